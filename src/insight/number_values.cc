// Finds NaN and infinities by their bits.
#include "insight/number_values.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "insight/recording/touched.h"

namespace tputwin::insight {
namespace {

template <class Bits>
bool none_is_special(const uint8_t* at, uint64_t bytes, Bits special) {
  bool any = false;
  for (uint64_t i = 0; i + sizeof(Bits) <= bytes; i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at + i, sizeof bits);
    any |= static_cast<Bits>(bits & special) == special;
  }
  return !any;
}

bool all_finite(const uint8_t* at, uint64_t bytes, DType dtype) {
  if (dtype == DType::f32) return none_is_special<uint32_t>(at, bytes, 0x7f800000);
  return none_is_special<uint16_t>(at, bytes, dtype == DType::f16 ? 0x7c00 : 0x7f80);
}

template <class... Types>
bool is_one_of(const Operation& op) {
  return (std::holds_alternative<Types>(op) || ...);
}

bool is_special(const Source& source) {
  return source.is_constant && is_float(source.view.dtype) &&
         !is_finite_bits(source.constant, source.view.dtype);
}

bool has_special_constant(const Operation& op) {
  return std::visit(
      [](const auto& o) {
        if constexpr (requires { is_special(o.a) || is_special(o.b); })
          return is_special(o.a) || is_special(o.b);
        else
          return false;
      },
      op);
}

}  // namespace

Memory memory_to_read(const Device& device) {
  // Memory has no read-only form.
  auto& mutable_device = const_cast<Device&>(device);
  const Chip& chip = device.chip();
  return {const_cast<LocalMemory&>(device.memories().read_local()),
          const_cast<GlobalMemory&>(device.memories().read_global()),
          chip.l2.bytes != 0 ? &mutable_device.memories().on_chip(Space::l2) : nullptr,
          chip.dtcm.bytes != 0 ? &mutable_device.memories().on_chip(Space::dtcm) : nullptr};
}

ByteRange range_of(const Memory& memory, const TensorView& view, const Shape& index) {
  const uint8_t* at = memory.byte(view, index.n, index.c, index.h, index.w);
  const bool is_local = view.space == Space::local;
  const uint64_t lane_bytes = is_local ? memory.local.lane_bytes() : UINT64_MAX;
  const uint64_t address = is_local ? memory.local.address_of(at)
                                    : static_cast<uint64_t>(at - memory.system(view.space).data());
  const uint64_t begin = address % lane_bytes;
  return {view.space, static_cast<uint32_t>(address / lane_bytes), begin,
          begin + element_bytes(view.dtype)};
}

bool all_finite(const Memory& memory, const Chip& chip, const TensorView& view) {
  std::vector<ByteRange> ranges;
  add_ranges(view, chip, ranges);
  return std::ranges::all_of(ranges, [&](const ByteRange& range) {
    return all_finite(recording::data_of(memory, range), range.end - range.begin, view.dtype);
  });
}

bool computes_numbers(const Operation& op) {
  const auto* unary = std::get_if<UnaryF32>(&op);
  using Kind = UnaryF32::Kind;
  // Results of to_int32 are not fp32, and results of lookups come from tables.
  if (unary != nullptr && (unary->kind == Kind::to_int32 || unary->kind == Kind::lookup_exp ||
                           unary->kind == Kind::lookup_int8))
    return false;
  return is_one_of<FloatArithmetic, FloatFunction, UnaryF32, ChannelAffine, Convert, Requantize,
                   CopyAdd, Conv2dBm1684, Depthwise2dBm1684, MatmulBm1684, Conv2dBm1684xFloat,
                   Depthwise2dBm1684xFloat, MatmulBm1684xFp32, MatmulBm1684xHalf>(op) &&
         !has_special_constant(op);
}

void OperandCopy::take(const Device& device, const Operation& op, const Footprint& touched) {
  pieces_.clear();
  const OperandList list = operands(op);
  is_taken_ = list.size() > 0 && is_float(list[0].view->dtype) && computes_numbers(op);
  if (!is_taken_) return;
  const Memory memory = memory_to_read(device);
  const auto key = [](const ByteRange& range) { return std::tuple(range.space, range.lane); };
  auto write = touched.writes.begin();
  for (const ByteRange& read : touched.reads) {  // both lists are sorted
    while (write != touched.writes.end() &&
           std::tuple(key(*write), write->end) <= std::tuple(key(read), read.begin))
      ++write;
    for (auto at = write;
         at != touched.writes.end() && key(*at) == key(read) && at->begin < read.end; ++at) {
      const ByteRange both{read.space, read.lane, std::max(read.begin, at->begin),
                           std::min(read.end, at->end)};
      const uint8_t* bytes = recording::data_of(memory, both);
      pieces_.push_back({bytes, {bytes, bytes + (both.end - both.begin)}});
    }
  }
  std::ranges::sort(pieces_, {}, &Piece::at);
}

int32_t OperandCopy::read(const Memory& memory, const TensorView& view, const Shape& index) const {
  const int32_t now = memory.read(view, index.n, index.c, index.h, index.w);
  const uint8_t* at = memory.byte(view, index.n, index.c, index.h, index.w);
  const auto next = std::ranges::upper_bound(pieces_, at, {}, &Piece::at);
  if (next == pieces_.begin()) return now;
  const Piece& piece = *std::prev(next);
  const auto offset = static_cast<size_t>(at - piece.at), bytes = size_t{element_bytes(view.dtype)};
  if (offset + bytes > piece.bytes.size()) return now;
  uint32_t bits = 0;
  std::memcpy(&bits, piece.bytes.data() + offset, bytes);
  return is_float(view.dtype) || bytes == 4 ? static_cast<int32_t>(bits) : now;
}

}  // namespace tputwin::insight
