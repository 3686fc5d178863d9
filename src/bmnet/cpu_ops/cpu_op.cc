// CpuOp, the documented base class of operators of the host.
#include <bmnet/targets/cpu/cpu_op.hpp>

#include <stdexcept>

#include "base/errors/bmnet.h"

namespace bmnet {
namespace {

using Shapes = google::protobuf::RepeatedPtrField<TensorShape>;
using Addresses = google::protobuf::RepeatedField<uint64_t>;

// Throws to the runtime, which reports it as the error of the run.
[[noreturn]] void refuse(const TensorOp& op, const char* why) {
  throw std::runtime_error(tputwin::Error(tputwin::errors::net_cpu_payload)
                               .in("layer " + op.name() + " (" + op.type() + ")")
                               .detail(why)
                               .message());
}

bool counts(const Shapes& shapes) {
  for (const TensorShape& shape : shapes) {
    int64_t elements = 1;
    for (int64_t extent : shape.dim())
      if (extent < 1 || __builtin_mul_overflow(elements, extent, &elements) || elements >> 40 != 0)
        return false;
    if (shape.data_type_size() != 1 && shape.data_type_size() != 2 && shape.data_type_size() != 4)
      return false;
  }
  return true;
}

void list(const Shapes& shapes, const Addresses& offsets,
          std::vector<CpuLayer::Operand>& operands) {
  operands.clear();
  for (int i = 0; i < offsets.size(); ++i)
    operands.emplace_back(offsets.Get(i), GetTensorSize(shapes.Get(i)));
}

void set(const std::vector<uint64_t>& from, Addresses& to) {
  to.Clear();
  to.Add(from.begin(), from.end());
}

}  // namespace

CpuOp::CpuOp() = default;
CpuOp::~CpuOp() = default;

void CpuOp::parse_cmd(char* payload, int size) {
  if (!op_.ParseFromArray(payload, size)) refuse(op_, "it cannot be parsed");
  if (op_.global_input_size() != op_.input_shape_size() ||
      op_.global_output_size() != op_.output_shape_size() ||
      op_.global_coeff_size() != op_.coeff_shape_size())
    refuse(op_, "every operand has a place and a shape");
  if (!counts(op_.input_shape()) || !counts(op_.output_shape()) || !counts(op_.coeff_shape()))
    refuse(op_, "extents are at least 1, elements have 1, 2 or 4 bytes");
}

void CpuOp::get_op_inputs(std::vector<Operand>& inputs) {
  list(op_.input_shape(), op_.global_input(), inputs);
}
void CpuOp::get_op_outputs(std::vector<Operand>& outputs) {
  list(op_.output_shape(), op_.global_output(), outputs);
}
void CpuOp::get_op_coeffs(std::vector<Operand>& coeffs) {
  list(op_.coeff_shape(), op_.global_coeff(), coeffs);
}

void CpuOp::relocate_op_inputs(const std::vector<uint64_t>& addresses) {
  set(addresses, *op_.mutable_global_input());
}
void CpuOp::relocate_op_outputs(const std::vector<uint64_t>& addresses) {
  set(addresses, *op_.mutable_global_output());
}
void CpuOp::relocate_op_coeffs(const std::vector<uint64_t>& addresses) {
  set(addresses, *op_.mutable_global_coeff());
}

}  // namespace bmnet
