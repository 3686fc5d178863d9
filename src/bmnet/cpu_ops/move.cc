// Operators that move values.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {

Status tile(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& param = call.op.tg_tile_param();
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, param.axis()));
  const int64_t row = view.extent * view.inner;
  if (param.tiles() < 1 || count(call.out[0]) % param.tiles() != 0 ||
      count(call.out[0]) / param.tiles() != count(call.in[0]))
    return fail(call, "the output is `tiles` times the input");
  float* out = call.out[0].data;
  for (int64_t o = 0; o < view.outer; ++o)
    for (int i = 0; i < param.tiles(); ++i) out = std::copy_n(call.in[0].data + o * row, row, out);
  return {};
}

Status reverse(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, call.op.tg_reverse_param().axis()));
  float* out = call.out[0].data;
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = view.extent - 1; i >= 0; --i)
      out = std::copy_n(call.in[0].data + (o * view.extent + i) * view.inner, view.inner, out);
  return {};
}

// Axis i of the output is axis order[i] of the input. Permute0321 has its order in its name.
Status permute(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const auto& shape = call.in[0].shape;
  const auto& given = call.op.tg_permute_param().order();
  std::vector<size_t> order{0, 3, 2, 1};
  if (call.op.type() != "Permute0321") order.assign(given.begin(), given.end());
  std::vector<int64_t> extent, step;
  std::vector<bool> seen(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t axis = i < order.size() ? order[i] : i;
    if (axis >= shape.size() || seen[axis]) return fail(call, "an order names each axis once");
    seen[axis] = true;
    extent.push_back(shape[axis]);
    step.push_back(product(shape, axis + 1, shape.size()));
  }
  for (int64_t i = 0; i < count(shape); ++i) {
    int64_t rest = i, from = 0;
    for (size_t axis = extent.size(); axis-- > 0; rest /= extent[axis])
      from += rest % extent[axis] * step[axis];
    call.out[0].data[i] = call.in[0].data[from];
  }
  return {};
}

Status upsample(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const Shape4 in = shape4(call.in[0]), out = shape4(call.out[0]);
  const int64_t rows = out.h / in.h, columns = out.w / in.w;
  if (in.n != out.n || in.c != out.c || out.h != in.h * rows || out.w != in.w * columns)
    return fail(call, "rows and columns are whole multiples of the input's");
  float* to = call.out[0].data;
  for (int64_t p = 0; p < out.n * out.c; ++p)
    for (int64_t h = 0; h < out.h; ++h)
      for (int64_t w = 0; w < out.w; ++w)
        *to++ = call.in[0].data[(p * in.h + h / rows) * in.w + w / columns];
  return {};
}

}  // namespace tputwin::net::cpu
