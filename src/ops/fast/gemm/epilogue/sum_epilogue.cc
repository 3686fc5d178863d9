// Decides which instructions after int32 accumulators are fused, and computes them.
#include "ops/fast/gemm/epilogue/sum_epilogue.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ops/contract/kernel_steps.h"
#include "ops/elementwise/int_arithmetic.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/operation.h"

namespace tputwin::fast {
namespace {

// Returns true if the source has one number for all channels, or one for each.
bool is_per_channel(const Source& source, const Shape& shape) {
  const Stride& stride = source.view.stride;
  return source.is_constant || (!source.along_n && element_bytes(source.view.dtype) == 4 &&
                                (shape.n == 1 || stride.n == 0) &&
                                (shape.h == 1 || stride.h == 0) && (shape.w == 1 || stride.w == 0));
}

// Returns the other operand of a saturating sum in place, or nothing if `sum` is another operation.
std::optional<Source> addend_of(const IntArithmetic& sum) {
  const bool is_b = !sum.b.is_constant && sum.b.view == sum.out;
  const Source& addend = is_b ? sum.a : sum.b;
  const Source& place = is_b ? sum.b : sum.a;
  if (sum.kind != IntArithmetic::Kind::add || !sum.saturates || !sum.shift.is_constant ||
      sum.shift.constant != 0 || sum.out.dtype != DType::i32 || place.is_constant ||
      place.view != sum.out || addend.view.dtype != DType::i32 ||
      !is_per_channel(addend, sum.out.shape))
    return {};
  return addend;
}

// Returns true if `op` requantizes `sums` to narrower elements, and its results can be stored in
// rows of the same shape.
bool is_taken(const Requantize& op, const TensorView& sums) {
  TensorView out = op.out;
  out.shape = sums.shape;
  const auto is_parameter = [&](const Source& s) { return is_per_channel(s, op.out.shape); };
  return op.kind == Requantize::Kind::to_narrow && has_same_elements(op.in, sums) &&
         is_parameter(op.multiplier) && is_parameter(op.shift) && is_parameter(op.offset) &&
         has_dense_rows(op.out) && can_put(out, op.out);
}

}  // namespace

bool has_whole_planes(const TensorView& v) {
  return has_dense_rows(v) && (v.shape.h == 1 || v.stride.h == v.shape.w * run_bytes(v));
}

bool can_put(const TensorView& rows, const TensorView& view) {
  return rows.shape == view.shape || has_whole_planes(view);
}

void put(TensorView& rows, const TensorView& view) {
  rows.space = view.space;
  rows.address = view.address;
  rows.stride = view.stride;
  if (rows.shape == view.shape) return;
  rows.stride.w = run_bytes(rows);
  rows.stride.h = rows.shape.w * rows.stride.w;
}

bool has_same_elements(const TensorView& a, const TensorView& b) {
  if (a == b) return true;
  return a.space == b.space && a.dtype == b.dtype && a.address == b.address &&
         a.shape.n == b.shape.n && a.shape.c == b.shape.c && a.stride.n == b.stride.n &&
         a.stride.c == b.stride.c && has_whole_planes(a) && has_whole_planes(b) &&
         uint64_t{a.shape.h} * a.shape.w == uint64_t{b.shape.h} * b.shape.w;
}

bool SumEpilogue::fuse(std::span<const Operation* const> instructions, const TensorView& sums,
                       std::span<const ByteRange> live_out, const Memory& memory) {
  if (sums.dtype != DType::i32 || instructions.empty()) return false;
  std::optional<Source> addend;
  if (const auto* sum = std::get_if<IntArithmetic>(instructions.front())) {
    addend = addend_of(*sum);
    if (!addend || !has_same_elements(sum->out, sums)) return false;
    instructions = instructions.subspan(1);
  }
  if (instructions.size() > 1) return false;
  if (!live_out.empty() && (instructions.empty() || !has_whole_planes(sums))) return false;
  TensorView out = sums;
  if (!instructions.empty()) {
    const auto* last = std::get_if<Requantize>(instructions.front());
    if (last == nullptr || !is_taken(*last, sums)) return false;
    out.dtype = last->out.dtype;
    out.plane_stride = last->out.plane_stride;
    put(out, last->out);
    scale_ = *last;
  }
  addend_ = addend, out_ = out;
  if (!live_out.empty()) live_out_ = LiveOutSums(sums, live_out, memory);
  return true;
}

bool SumEpilogue::operator==(const SumEpilogue& other) const {
  if (scale_.has_value() != other.scale_.has_value() ||
      addend_.has_value() != other.addend_.has_value() ||
      (addend_ && !same_source(*addend_, *other.addend_)))
    return false;
  if (!scale_) return true;
  const Requantize &a = *scale_, &b = *other.scale_;
  return a.out.dtype == b.out.dtype && a.rounding == b.rounding &&
         same_source(a.multiplier, b.multiplier) && same_source(a.shift, b.shift) &&
         same_source(a.offset, b.offset);
}

SumEpilogue::Channel SumEpilogue::of_channel(uint32_t c, int64_t largest,
                                             const Memory& memory) const {
  Channel channel{.addend = addend_ ? addend_->read(memory, 0, c, 0, 0) : 0};
  // An epilogue is plain if the sum with its addend fits in int32. That sum is exact even if
  // intermediate sums wrap.
  channel.is_plain = largest + std::abs(int64_t{channel.addend}) <= INT32_MAX;
  if (!scale_) return channel;
  const Requantize& op = *scale_;
  const int32_t offset = op.offset.read(memory, 0, c, 0, 0);
  channel.multiplier = op.multiplier.read(memory, 0, c, 0, 0);
  channel.shift = op.shift.read(memory, 0, c, 0, 0);
  channel.scale = {.multiplier = channel.multiplier,
                   .right = -std::max(channel.shift, -kMostRight - 1),
                   .offset = is_signed(op.out.dtype) ? int32_t{static_cast<int16_t>(offset)}
                                                     : int32_t{static_cast<uint16_t>(offset)},
                   .rounding = op.rounding,
                   .low = saturate(INT32_MIN, op.out.dtype),
                   .high = saturate(INT32_MAX, op.out.dtype)};
  channel.is_plain = channel.is_plain && fit_vectors(channel.scale);
  return channel;
}

int32_t SumEpilogue::apply_to_one(int64_t sum, const Channel& channel) const {
  const int32_t with_addend = saturate(sum + channel.addend, DType::i32);
  if (!scale_) return with_addend;
  return element(*scale_, with_addend, channel.multiplier, channel.shift, channel.scale.offset);
}

void SumEpilogue::write_live_out(const Part& part, const uint32_t* sums, const Channel& channel,
                                 const Memory& memory, int64_t late) const {
  if (!live_out_.any() || !has_live_out(part)) return;
  thread_local Scratch scratch;
  if (!channel.is_plain) {
    auto* sums_with_addend = scratch.take<uint32_t>(part.count);
    for (uint32_t i = 0; i < part.count; ++i) {
      const int64_t sum = saturate(static_cast<int32_t>(sums[i]) + late, DType::i32);
      sums_with_addend[i] = static_cast<uint32_t>(saturate(sum + channel.addend, DType::i32));
    }
    sums = sums_with_addend;
  }
  live_out_.write(memory, part.n, part.c, part.first, part.count, sums);
}

void SumEpilogue::apply(const uint32_t* sums, size_t count, const Channel& channel,
                        const TileKernels& kernels, uint8_t* to) const {
  const uint32_t bytes = element_bytes(out_.dtype);
  if (channel.is_plain && scale_) return kernels.scale(sums, count, channel.scale, bytes, to);
  if (channel.is_plain) return static_cast<void>(std::memcpy(to, sums, count * bytes));
  for (size_t i = 0; i < count; ++i, to += bytes) {
    const int32_t out = apply_to_one(static_cast<int32_t>(sums[i]), channel);
    std::memcpy(to, &out, bytes);
  }
}

}  // namespace tputwin::fast
