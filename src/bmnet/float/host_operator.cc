// Operators of docs/host-operators.md as float kernels.
#include "bmnet/float/kernels.h"
#include "host/operators.h"

namespace tputwin::net {

Result<FloatKernel> make_float_host_operator(const TensorOp& op, const std::vector<Blob>& blobs) {
  const auto& p = op.tg_host_param();
  const auto count_of = [](const auto& list) { return static_cast<size_t>(list.size()); };
  const size_t inputs = count_of(op.bottom()) + count_of(p.constant());
  TW_ASSIGN_OR_RETURN(made, host::make_operator(p.text(), inputs, count_of(op.top())));
  return FloatKernel([&op, &blobs, made](std::span<const Blob* const> given,
                                         std::span<Blob* const> outputs) -> Status {
    const auto& constants = op.tg_host_param().constant();
    std::vector<host::Array> in, out(outputs.size());
    size_t bottom = 0, blob = 0;
    while (bottom < given.size() || blob < blobs.size()) {
      const bool is_constant = static_cast<int>(blob) < constants.size() &&
                               constants[static_cast<int>(blob)] == in.size();
      if (!is_constant && bottom == given.size()) break;
      const Blob& from = is_constant ? blobs[blob++] : *given[bottom++];
      in.push_back({from.shape, from.data});
    }
    std::vector<int64_t> capacity;
    for (const TensorShape& shape : op.output_shape()) capacity.push_back(count(shape));
    TW_RETURN_IF_ERROR(host::run(made, in, out, capacity));
    for (size_t i = 0; i < out.size(); ++i) {
      outputs[i]->shape = out[i].shape;
      outputs[i]->data = out[i].f32();
    }
    return {};
  });
}

}  // namespace tputwin::net
