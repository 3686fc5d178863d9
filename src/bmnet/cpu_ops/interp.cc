// Bilinear interpolation that maps the corners of the input to those of the output. Negative pads
// cut rows and columns off the input.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

// A position between two pixels of the input, `weight` of the way from `first` to `next`.
struct Between {
  int64_t first, next;
  float weight;
};

Between pixels_of(int64_t out, int64_t out_extent, int64_t in_extent) {
  const float ratio =
      out_extent > 1 ? static_cast<float>(in_extent - 1) / static_cast<float>(out_extent - 1) : 0;
  const float at = ratio * static_cast<float>(out);
  const auto first = static_cast<int64_t>(at);
  return {first, std::min(first + 1, in_extent - 1), at - static_cast<float>(first)};
}

// `in` points at the first pixel kept, rows are `pitch` apart.
void resize(const float* in, int64_t pitch, int64_t height, int64_t width, const Shape4& to,
            float* out) {
  for (int64_t h = 0; h < to.h; ++h) {
    const Between y = pixels_of(h, to.h, height);
    for (int64_t w = 0; w < to.w; ++w) {
      const Between x = pixels_of(w, to.w, width);
      const float *upper = in + y.first * pitch, *lower = in + y.next * pitch;
      *out++ = (1 - y.weight) * ((1 - x.weight) * upper[x.first] + x.weight * upper[x.next]) +
               y.weight * ((1 - x.weight) * lower[x.first] + x.weight * lower[x.next]);
    }
  }
}

}  // namespace

Status interp(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& param = call.op.tg_interp_param();
  const int64_t begin = static_cast<int32_t>(param.pad_beg());
  const int64_t end = static_cast<int32_t>(param.pad_end());
  const Shape4 from = shape4(call.in[0]), to = shape4(call.out[0]);
  const int64_t height = from.h + begin + end, width = from.w + begin + end;
  if (begin > 0 || end > 0) return fail(call, "pads are 0, or negative: they cut");
  if (height < 1 || width < 1) return fail(call, "the pads cut everything off");
  if (from.n != to.n || from.c != to.c) return fail(call, "n and c of input and output are equal");
  for (int64_t p = 0; p < from.n * from.c; ++p)
    resize(call.in[0].data + (p * from.h - begin) * from.w - begin, from.w, height, width, to,
           call.out[0].data + p * to.h * to.w);
  return {};
}

}  // namespace tputwin::net::cpu
