// Instruction: compiles a TensorOp to commands. (BMNNSDK API v1, "CustomizedTensorFixedInst")
#ifndef BMNET_BACKEND_INSTRUCTION_HPP
#define BMNET_BACKEND_INSTRUCTION_HPP

#include <bmnet/backend/BackendContext.hpp>
#include <bmnet/proto/TensorOps.hpp>

#include <string>

namespace bmnet {

class Instruction {
 public:
  Instruction() : op_(own_) {}
  explicit Instruction(TensorOp& op) : own_(op), op_(own_) {}
  virtual ~Instruction() {}
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  // Returns the key of the IR type: "tg_" + sub type.
  virtual std::string inst_name() = 0;
  // Prints the op.
  virtual void dump() = 0;
  // Generates the commands. Override this function or compute().
  virtual void encode() { compute(); }
  virtual void compute() {}

  // The compiler calls this before encode() and reads the op back after it.
  void set_op(const TensorOp& op) { own_ = op; }
  const TensorOp& op() const { return own_; }
  virtual void set_context(BackendContext* context) { (void)context; }

 private:
  TensorOp own_;

 protected:
  TensorOp& op_;
};

}  // namespace bmnet

#endif
