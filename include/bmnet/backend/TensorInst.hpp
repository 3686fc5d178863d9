#ifndef BMNET_BACKEND_TENSORINST_HPP
#define BMNET_BACKEND_TENSORINST_HPP

#include <bmnet/backend/Instruction.hpp>

namespace bmnet {

class TensorInst : public Instruction {
 public:
  TensorInst() {}
  explicit TensorInst(TensorOp& op) : Instruction(op) {}
  virtual ~TensorInst() {}
};

}  // namespace bmnet

#endif
