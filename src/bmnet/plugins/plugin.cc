// The plugins of the operators in cpu_ops. They differ by their file names only: which operator
// runs is told by the type of the TensorOp, which is the plugin's name.
#include <bmnet/targets/cpu/cpu.hpp>

#include <stdexcept>

#include "bmnet/cpu_ops/plugin.h"

namespace {

class Operator : public bmnet::CpuOp {
 public:
  void run() override {
    if (auto status = tputwin::net::run_plugin(op_); !status.ok())
      throw std::runtime_error(status.message());
  }
};

}  // namespace

REGISTER_CPU_OP(Operator)

// Its being there is the answer: the runtime need not expect weights to change.
extern "C" bool tputwin_writes_outputs_only() { return true; }
