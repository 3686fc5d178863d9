// CpuOp: the base of CPU operators whose parameters are a TensorOp. C++11; link with cpu-plugin,
// protobuf and glog.
//
//   class Elu : public bmnet::CpuOp {
//    public:
//     void run() override {
//       const float* in = reinterpret_cast<const float*>(op_.global_input(0));
//       float* out = reinterpret_cast<float*>(op_.global_output(0));
//       int64_t count = bmnet::GetTensorCount(op_.input_shape(0));
//       ...
//     }
//   };
//   REGISTER_CPU_OP(Elu);
//
// In run(), global_input, global_output and global_coeff of op_ are host addresses. A tensor whose
// shape has a data_type_size of 1 holds int8: x = q * threshold_x(i) / 128, and q = y * 128 /
// threshold_y(i). A data_type_size of 4 means floats. If run() throws, the run of the net fails
// with the text of the exception.
#ifndef BMNET_TARGETS_CPU_CPU_OP_HPP
#define BMNET_TARGETS_CPU_CPU_OP_HPP

#include <bmnet/proto/TensorOps.hpp>
#include <bmnet/targets/cpu/cpu_layer.hpp>
#include <bmnet/utils/logging.hpp>

#include <cmath>
#include <vector>

namespace bmnet {

class CpuOp : public CpuLayer {
 public:
  CpuOp();
  ~CpuOp() override;
  void parse_cmd(char* payload, int size) override;
  void get_op_inputs(std::vector<Operand>& inputs) override;
  void get_op_outputs(std::vector<Operand>& outputs) override;
  void get_op_coeffs(std::vector<Operand>& coeffs) override;
  void relocate_op_inputs(const std::vector<uint64_t>& addresses) override;
  void relocate_op_outputs(const std::vector<uint64_t>& addresses) override;
  void relocate_op_coeffs(const std::vector<uint64_t>& addresses) override;

 protected:
  TensorOp op_;
};

}  // namespace bmnet

#endif
