// Depthwise convolutions of bytes that only move rows: out(y) = in(y * stride + tap) for the tap
// with weight 1.
#include "ops/fast/picked_rows.h"

#include <cstring>
#include <optional>
#include <vector>

#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kNoTap = UINT32_MAX;

// Returns the tap of a channel's only weight, or kNoTap if all are 0. Returns nothing if the filter
// does more than to pick a row.
std::optional<uint32_t> picked_tap(const Depthwise2dBm1684xInt8& op, const Memory& memory,
                                   uint32_t c) {
  uint32_t picked = kNoTap;
  for (uint32_t tap = 0; tap < op.window.h.kernel; ++tap) {
    const int32_t weight = op.weight.read(memory, 0, c, tap, 0);
    if (weight == 0) continue;
    if (weight != 1 || picked != kNoTap) return {};
    picked = tap;
  }
  return picked;
}

Declined shape_declines(const Depthwise2dBm1684xInt8& op) {
  const Axis &h = op.window.h, &w = op.window.w;
  const bool keeps_columns = w.kernel == 1 && w.stride == 1 && w.pad_before == 0 &&
                             w.pad_after == 0 && w.insert == 0 && w.insert_last == 0 &&
                             op.in.shape.w == op.out.shape.w;
  if (!keeps_columns || h.insert != 0 || h.insert_last != 0 || h.stride == 0 ||
      h.output(op.in.shape.h) != op.out.shape.h || op.window.pads != PadMode::constant)
    return "the window changes rows";
  if (op.is_rotated || op.rshift != 0 || op.bias || op.constant_bias != 0 || op.weight.is_constant)
    return "results are not inputs";
  if (op.in.dtype != op.out.dtype || !has_byte_rows(op.in) || !has_byte_rows(op.out) ||
      is_empty(op.out.shape))
    return "no rows of bytes of one type";
  return kRan;
}

// Moves the rows of a channel.
void pick_rows(const Depthwise2dBm1684xInt8& op, const Memory& memory, uint32_t n, uint32_t c,
               uint32_t tap) {
  const Axis& axis = op.window.h;
  const size_t width = op.out.shape.w;
  const int padding = op.padding.read(memory, 0, c, 0, 0) & 0xff;
  for (uint32_t y = 0; y < op.out.shape.h; ++y) {
    uint8_t* const to = memory.byte(op.out, n, c, y, 0);
    const int64_t row =
        int64_t{y} * axis.stride + int64_t{tap} * axis.dilation - int64_t{axis.pad_before};
    if (tap == kNoTap)
      std::memset(to, 0, width);
    else if (row < 0 || row >= op.in.shape.h)
      std::memset(to, padding, width);
    else
      std::memcpy(to, memory.byte(op.in, n, c, static_cast<uint32_t>(row), 0), width);
  }
}

}  // namespace

Declined picked_rows(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  if (const Declined why = shape_declines(op)) return why;
  if (const Declined why =
          overlap(op.out, {&op.in, tensor_of(op.weight), tensor_of(op.padding)}, memory.local))
    return why;
  const uint32_t channels = op.out.shape.c;
  std::vector<uint32_t> taps(channels);
  for (uint32_t c = 0; c < channels; ++c) {
    const auto tap = picked_tap(op, memory, c);
    if (!tap) return "weights other than a single 1";
    taps[c] = *tap;
  }
  const size_t planes = size_t{op.out.shape.n} * channels;
  share_out(planes, op.out.shape.count(), bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto c = static_cast<uint32_t>(i % channels);
      pick_rows(op, memory, static_cast<uint32_t>(i / channels), c, taps[c]);
    }
  });
  return kRan;
}

}  // namespace tputwin::fast
