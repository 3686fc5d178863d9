// Weighted sums of the input's rows, then of its columns: resizing, padding and averages of any
// kind.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

using Sources = google::protobuf::RepeatedField<uint32_t>;
using Weights = google::protobuf::RepeatedField<float>;

// The taps of one axis.
struct Taps {
  int64_t count;
  const Sources& source;
  const Weights& weight;

  bool fits(int64_t from, int64_t to) const {
    if (count < 1 || source.size() != to * count || weight.size() != to * count) return false;
    return std::ranges::all_of(source, [from](uint32_t s) { return s < from; });
  }
  // Calls call(index, weight) for each tap of output `i`.
  template <class Function>
  void each(int64_t i, const Function& call) const {
    for (int64_t tap = i * count; tap < (i + 1) * count; ++tap)
      call(int64_t{source[static_cast<int>(tap)]}, weight[static_cast<int>(tap)]);
  }
};

}  // namespace

Status resample(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& p = call.op.tg_resample_param();
  const Taps rows{p.row_taps(), p.row_source(), p.row_weight()};
  const Taps columns{p.column_taps(), p.column_source(), p.column_weight()};
  const Shape4 from = shape4(call.in[0]), to = shape4(call.out[0]);
  if (from.n != to.n || from.c != to.c) return fail(call, "n and c of input and output are equal");
  if (!rows.fits(from.h, to.h) || !columns.fits(from.w, to.w))
    return fail(call, "every output row and column has its taps, inside the input");
  std::vector<float> line(static_cast<size_t>(from.w));
  for (int64_t plane = 0; plane < from.n * from.c; ++plane) {
    const float* x = call.in[0].data + plane * from.h * from.w;
    float* y = call.out[0].data + plane * to.h * to.w;
    for (int64_t h = 0; h < to.h; ++h) {
      std::ranges::fill(line, 0.0f);
      rows.each(h, [&](int64_t row, float weight) {
        for (int64_t w = 0; w < from.w; ++w)
          line[static_cast<size_t>(w)] += weight * x[row * from.w + w];
      });
      for (int64_t w = 0; w < to.w; ++w, ++y) {
        *y = 0;
        columns.each(w, [&](int64_t column, float weight) {
          *y += weight * line[static_cast<size_t>(column)];
        });
      }
    }
  }
  return {};
}

}  // namespace tputwin::net::cpu
