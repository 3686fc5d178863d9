// Functions of one value in floats: ReLU with and without a slope, and those that are tables on the
// TPU.
#include "base/parallel.h"
#include "bmnet/cpu_ops/operator.h"
#include "bmnet/cpu_ops/table_function.h"

namespace tputwin::net::cpu {
namespace {

template <class Function>
Status for_each_value(const Call& call, const Function& function) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  parallel_for(static_cast<size_t>(count(call.out[0])), 16384, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) call.out[0].data[i] = function(call.in[0].data[i]);
  });
  return {};
}

}  // namespace

Status table(const Call& call) {
  const auto function = table_function(call.op);
  return function ? for_each_value(call, function) : fail(call, "the function must be a known one");
}

Status activation(const Call& call) {
  // A slope of 0 needs this branch: infinity times 0 is NaN.
  if (is_plain_relu(call.op)) return for_each_value(call, [](float x) { return x < 0 ? 0.0f : x; });
  if (!is_leaky_relu(call.op)) return table(call);
  const float slope = call.op.tg_activation_param().activation_arg(0);
  return for_each_value(call, [slope](float x) { return x > 0 ? x : x * slope; });
}

Status prelu(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const int64_t channels = call.in[0].shape.size() > 1 ? call.in[0].shape[1] : 1;
  const bool shared = call.op.tg_prelu_param().channel_shared();
  const int64_t images = call.in[0].shape.empty() ? 1 : call.in[0].shape[0];
  const int64_t values = count(call.in[0]);
  if (count(call.out[0]) != values || count(call.in[1]) != (shared ? 1 : channels))
    return fail(call, "there is one slope, or one for each channel");
  const int64_t plane = values / std::max<int64_t>(1, images * channels);
  for (int64_t i = 0; i < values; ++i) {
    const float x = call.in[0].data[i];
    const float slope = call.in[1].data[shared ? 0 : i / plane % channels];
    call.out[0].data[i] = x > 0 ? x : x * slope;
  }
  return {};
}

}  // namespace tputwin::net::cpu
