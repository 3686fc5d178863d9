// A plugin's call: converts bytes of tensors to floats, runs the operator, and converts back.
#include "bmnet/cpu_ops/plugin.h"

#include <bmnet/proto/TensorOps.hpp>

#include "bmnet/cpu_ops/operator.h"
#include "bmnet/cpu_ops/quantize.h"

namespace tputwin::net {
namespace {

using Shapes = google::protobuf::RepeatedPtrField<::bmnet::BlobShape>;
using Addresses = google::protobuf::RepeatedField<uint64_t>;
using Thresholds = google::protobuf::RepeatedField<float>;

std::vector<int64_t> dims_of(const ::bmnet::BlobShape& shape) {
  return {shape.dim().begin(), shape.dim().end()};
}

Status check(const ::bmnet::LayerParameter& op, const ByteTensor& tensor) {
  const int size = tensor.shape.data_type_size();
  const cpu::Call call{op, {}, {}};
  if (size != 1 && size != 4) return cpu::fail(call, "tensors are of int8 or float");
  if (size == 1 && !(tensor.threshold > 0)) return cpu::fail(call, "int8 tensors have thresholds");
  if (tensor.bytes.size() != ::bmnet::GetTensorSize(tensor.shape))
    return cpu::fail(call, "tensors are as large as their shapes");
  return {};
}

std::vector<ByteTensor> located(const Shapes& shapes, const Addresses& addresses,
                                const Thresholds& thresholds) {
  std::vector<ByteTensor> tensors;
  for (int i = 0; i < shapes.size(); ++i) {
    auto* bytes = reinterpret_cast<uint8_t*>(addresses.Get(i));
    tensors.push_back({shapes.Get(i),
                       {bytes, ::bmnet::GetTensorSize(shapes.Get(i))},
                       i < thresholds.size() ? thresholds.Get(i) : 0});
  }
  return tensors;
}

}  // namespace

Status run_on_bytes(const ::bmnet::LayerParameter& op, std::span<const ByteTensor> inputs,
                    std::span<const ConstTensor> coefficients,
                    std::span<const ByteTensor> outputs) {
  std::vector<std::vector<float>> in, out;
  std::vector<ConstTensor> from;
  std::vector<MutableTensor> to;
  const bool reads_values = !reads_only_shapes(op.type());
  for (const ByteTensor& tensor : inputs) {
    TW_RETURN_IF_ERROR(check(op, tensor));
    const auto bytes = tensor.bytes.first(reads_values ? tensor.bytes.size() : 0);
    in.push_back(dequantize(bytes, tensor.shape.data_type_size() == 1, tensor.threshold));
    from.push_back({dims_of(tensor.shape), in.back().data()});
  }
  from.insert(from.end(), coefficients.begin(), coefficients.end());
  for (const ByteTensor& tensor : outputs) {
    TW_RETURN_IF_ERROR(check(op, tensor));
    out.emplace_back(::bmnet::GetTensorCount(tensor.shape));
    to.push_back({dims_of(tensor.shape), out.back().data()});
  }
  TW_RETURN_IF_ERROR(run_cpu_op(op, from, to));
  for (size_t i = 0; i < outputs.size(); ++i)
    quantize(out[i], outputs[i].shape.data_type_size() == 1, outputs[i].threshold, outputs[i].bytes,
             rounding_of(op.type()));
  return {};
}

Status run_plugin(const ::bmnet::LayerParameter& op) {
  std::vector<std::vector<float>> values;  // copies, because weights are not aligned
  std::vector<ConstTensor> coefficients;
  for (const ByteTensor& tensor : located(op.coeff_shape(), op.global_coeff(), {})) {
    if (tensor.shape.data_type_size() != sizeof(float))
      return cpu::fail({op, {}, {}}, "coefficients are floats");
    values.push_back(dequantize(tensor.bytes, false, 0));
    coefficients.push_back({dims_of(tensor.shape), values.back().data()});
  }
  return run_on_bytes(op, located(op.input_shape(), op.global_input(), op.threshold_x()),
                      coefficients,
                      located(op.output_shape(), op.global_output(), op.threshold_y()));
}

}  // namespace tputwin::net
