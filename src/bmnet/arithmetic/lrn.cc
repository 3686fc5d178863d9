// Local response normalization.
#include "bmnet/arithmetic/lrn.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "bmnet/float/kernels.h"
#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {
Result<FloatKernel> make_float_lrn(const TensorOp& op, const std::vector<Blob>& blobs) {
  return make_float_host(op, blobs);
}

// ---- Integers ----
namespace {

// (128 << 7) + rounding fits the int16 accumulators.
constexpr int kLargestSumShift = 7;

// Returns (k + alpha/n * real sum)^-beta * T_x/T_y for the integer `sum`.
float factor(const ::bmnet::TGLRNParameter& p, float threshold_x, float threshold_y,
             const LrnIntegers& integers, int sum) {
  const float unit = std::ldexp(threshold_x * threshold_x / 128.0f, integers.sum_shift) /
                     static_cast<float>(integers.sum_multiplier);
  const float base =
      p.k() + p.alpha() / static_cast<float>(p.local_size()) * static_cast<float>(sum) * unit;
  const float result = std::pow(base, -p.beta()) * threshold_x / threshold_y;
  return std::isfinite(result) ? result : 0.0f;
}

}  // namespace

LrnIntegers choose_lrn(const ::bmnet::TGLRNParameter& parameter, float threshold_x,
                       float threshold_y, float sum_threshold) {
  LrnIntegers integers;
  const float square = threshold_x * threshold_x;
  if (!(sum_threshold > 0)) sum_threshold = square * static_cast<float>(parameter.local_size());
  const float ratio = square / sum_threshold;
  integers.sum_shift = std::min(kLargestSumShift, multiplier_shift(ratio).value_or(0));
  integers.sum_multiplier = round_to(std::ldexp(ratio, integers.sum_shift), 1, 127);
  float largest = 0;
  for (int sum = 0; sum < 128; ++sum)
    largest = std::max(largest, factor(parameter, threshold_x, threshold_y, integers, sum));
  integers.right_shift = multiplier_shift(largest).value_or(0);
  fill_lrn_tables(parameter, threshold_x, threshold_y, integers);
  return integers;
}

void fill_lrn_tables(const ::bmnet::TGLRNParameter& parameter, float threshold_x, float threshold_y,
                     LrnIntegers& integers) {
  for (int byte = 0; byte < 256; ++byte) {
    const int x = static_cast<int8_t>(byte);
    integers.square[byte] = static_cast<int8_t>(std::min(127, (x * x + 64) >> 7));
    // Sums are never negative. The entries of negative bytes repeat the entry of 0.
    const float power = factor(parameter, threshold_x, threshold_y, integers, std::max(x, 0));
    integers.power[byte] =
        static_cast<int8_t>(round_to(std::ldexp(power, integers.right_shift), 0, 127));
  }
}

Status choose_lrn(const IntegerChoice& layer) {
  float sum_threshold = 0;
  if (layer.given != nullptr)
    for (const BlobParameter& blob : layer.given->blob_param())
      if (blob.name() == kSumOfSquares) sum_threshold = blob.threshold_y();
  const auto& p = layer.op.tg_lrn_param();
  const LrnIntegers integers = choose_lrn(p, layer.x(), layer.y(), sum_threshold);
  layer.entry.add_threshold_x_quantized(integers.sum_multiplier);
  layer.entry.add_threshold_x_quantized(1);
  layer.entry.set_right_shift_width(integers.right_shift);
  BlobParameter& sum = *layer.entry.add_blob_param();
  sum.set_name(kSumOfSquares);
  sum.set_threshold_y(sum_threshold > 0
                          ? sum_threshold
                          : layer.x() * layer.x() * static_cast<float>(p.local_size()));
  sum.set_right_shift_width(integers.sum_shift);
  return {};
}

void read_lrn(EntryReader& reader, LayerIntegers& integers) {
  LrnIntegers lrn;
  lrn.right_shift = integers.right_shift;
  const auto multipliers = reader.multipliers(1, 1, 127);
  if (!multipliers.empty()) lrn.sum_multiplier = multipliers[0];
  bool found = false;
  for (const BlobParameter& blob : reader.entry.blob_param()) {
    if (blob.name() != kSumOfSquares) continue;
    found = true;
    lrn.sum_shift = reader.shift("blob_param sum_sq.right_shift_width", blob.right_shift_width());
  }
  if (!found) reader.missing("blob_param sum_sq", "an LRN needs it");
  fill_lrn_tables(reader.op.tg_lrn_param(), integers.threshold_x.at(0), integers.threshold_y.at(0),
                  lrn);
  integers.lrn = lrn;
}

// ---- int8: lrn.h ----

namespace reference {

// Across channels: acc = the squares of the window's channels, y = x * power[acc].
Status lrn(const Layer& layer) {
  const auto& param = layer.op.tg_lrn_param();
  if (param.norm_region() != ::bmnet::TGLRNParameter::ACROSS_CHANNELS)
    return fail(layer.op, errors::net_layer_parameter).argument("norm_region", "WITHIN_CHANNEL");
  if (!layer.integers.lrn) return fail(layer.op, errors::net_table_entry);
  const LrnIntegers& integers = *layer.integers.lrn;
  const Extents e = layer.in_extents();
  const int64_t plane = e.h * e.w, half = (int64_t{param.local_size()} - 1) / 2;
  for (int64_t n = 0; n < e.n; ++n)
    for (int64_t c = 0; c < e.c; ++c)
      for (int64_t i = 0; i < plane; ++i) {
        const int8_t* column = layer.in() + n * e.c * plane + i;
        int64_t acc = 0;
        for (int64_t k = std::max<int64_t>(c - half, 0); k <= std::min(c + half, e.c - 1); ++k) {
          const int64_t square = integers.square[static_cast<uint8_t>(column[k * plane])];
          acc = sat16(acc + square * integers.sum_multiplier);
        }
        const int8_t sum = sat8(rhu(acc, integers.sum_shift));
        const int64_t power = integers.power[static_cast<uint8_t>(sum)];
        layer.out()[(n * e.c + c) * plane + i] =
            sat8(rhu(column[c * plane] * power, integers.right_shift));
      }
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
