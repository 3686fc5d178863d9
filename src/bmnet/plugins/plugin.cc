// The plugins of the operators in cpu_ops. They differ in their file names only. The type of the
// TensorOp, which is the plugin's name, selects the operator.
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

// The runtime tests only that this symbol exists. It means that the plugin does not change its
// inputs, so weights stay constant.
extern "C" bool tputwin_writes_outputs_only() { return true; }
