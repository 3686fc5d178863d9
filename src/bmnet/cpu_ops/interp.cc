// Bilinear interpolation that maps the corners of the input to those of the output. Negative pads
// remove rows and columns of the input.
#include "bmnet/cpu_ops/operator.h"
#include "host/resample.h"

namespace tputwin::net::cpu {
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
    host::resize_plane(call.in[0].data + (p * from.h - begin) * from.w - begin, from.w, height,
                       width, to.h, to.w, call.out[0].data + p * to.h * to.w,
                       host::aligned_corners);
  return {};
}

}  // namespace tputwin::net::cpu
