// Filling of operands: by bytes, by elements, and by the meaning of indices and masks.
#include "selftest/fill_operands.h"

#include <vector>

#include "ops/contract/kernel_steps.h"
#include "selftest/kinds.h"
#include "selftest/special_pairs.h"

namespace tputwin::testing {
namespace {

// Distribution of the bytes of one operand.
enum class Fill : uint8_t {
  uniform,
  small,
  extreme,
  symmetric,  // extremes, except -128
  sparse,
  positive,
  nearly_positive
};

void fill(Rng& rng, std::span<uint8_t> bytes, Fill mode) {
  constexpr uint8_t kExtremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (uint8_t& byte : bytes) {
    uint64_t r = rng.next();
    switch (mode) {
      case Fill::uniform:
        byte = static_cast<uint8_t>(r);
        break;
      case Fill::small:
        byte = static_cast<uint8_t>(r % 7 - 3);
        break;
      case Fill::extreme:
        byte = kExtremes[r % 5];
        break;
      case Fill::symmetric:
        byte = kExtremes[r % 5] == 0x80 ? 0x81 : kExtremes[r % 5];
        break;
      case Fill::sparse:
        byte = r % 8 == 0 ? static_cast<uint8_t>(r >> 8) : 0;
        break;
      case Fill::positive:
        byte = r & 0x7f;
        break;
      case Fill::nearly_positive:
        byte = static_cast<uint8_t>(r % 999 == 0 ? r >> 16 : r & 0x7f);
        break;
    }
  }
}

// Fills shift counts in [-16, 16].
void fill_counts(Rng& rng, std::span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.below(33) - 16);
}

// Fills the operands of the BM1880.
void fill_bytes(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory) {
  const auto* elementwise = std::get_if<Elementwise>(&operation);
  for (const Operand& operand : operands(operation)) {
    const bool counts = elementwise != nullptr && elementwise->kind == Elementwise::Kind::shift &&
                        operand.view == &elementwise->b;
    const Fill mode =
        rng.pick({Fill::uniform, Fill::uniform, Fill::small, Fill::extreme, Fill::symmetric,
                  Fill::sparse, Fill::positive, Fill::nearly_positive});
    std::vector<ByteRange> ranges;
    add_ranges(operand.access == Access::read_write ? old_value(*operand.view) : *operand.view,
               chip, ranges);
    for (const ByteRange& r : ranges) {
      uint8_t* start = r.space == Space::global ? memory.global.data() : memory.local.lane(r.lane);
      std::span<uint8_t> bytes(start + r.begin, r.end - r.begin);
      counts ? fill_counts(rng, bytes) : fill(rng, bytes, mode);
    }
  }
}

// Returns true for shift amounts. They get the documented range and values beyond it.
bool is_shift_amount(const Operation& operation, const TensorView* view) {
  if (const auto* op = std::get_if<Bitwise>(&operation))
    return op->kind >= Bitwise::Kind::arithmetic_shift && view == &op->b.view;
  if (const auto* op = std::get_if<FixedPoint>(&operation))
    return (op->kind == FixedPoint::Kind::arithmetic_shift ||
            op->kind == FixedPoint::Kind::logical_shift) &&
           view == &op->b.view;
  return false;
}

template <class F>
void fill_with(const TensorView& view, const Memory& memory, F&& value) {
  for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(view, n, c, h, w, static_cast<int32_t>(value(w)));
  });
}

// Fills indices into a side of shape `s`. All of them, or most of them, are inside.
void fill_index(Rng& rng, IndexedBy by, const TensorView& index, const Shape& s,
                const Memory& memory) {
  const bool strays = rng.chance(1, 3);
  fill_with(index, memory, [&](uint32_t w) {
    const bool row = by == IndexedBy::h || (by == IndexedBy::shared_hw && w == 1);
    if (strays && rng.chance(1, 20)) return static_cast<uint32_t>(rng.next());
    return rng.range(0, (row ? s.h : s.w) - 1);
  });
}

void fill_mask(Rng& rng, const TensorView& mask, const Memory& memory) {
  const uint32_t dense = rng.range(1, 9);
  fill_with(mask, memory, [&](uint32_t) {
    return rng.chance(dense, 10) ? static_cast<uint32_t>(rng.next()) : 0u;
  });
}

void fill_indices(Rng& rng, const Operation& operation, const Memory& memory) {
  if (const auto* op = std::get_if<Gather>(&operation))
    fill_index(rng, op->by, op->index, op->param.shape, memory);
  if (const auto* op = std::get_if<Scatter>(&operation))
    fill_index(rng, op->by, op->index, op->out.shape, memory);
  if (const auto* op = std::get_if<TableLookup>(&operation))
    fill_index(rng, IndexedBy::w, op->in, op->table.shape, memory);
  if (const auto* op = std::get_if<MaskSelect>(&operation))
    fill_mask(rng, op->mask.shape == Shape{} ? op->in : op->mask, memory);
}

void fill_elements(Rng& rng, const Operation& operation, const Memory& memory) {
  for (const Operand& operand : operands(operation)) {
    const ValueKind kind = random_kind(rng);
    const bool uniform = rng.coin(), amounts = is_shift_amount(operation, operand.view);
    const TensorView& view = *operand.view;
    auto draw = [&]() -> int32_t {
      if (amounts) return static_cast<int32_t>(rng.below(81)) - 40;
      if (uniform && !is_float(view.dtype)) return static_cast<int32_t>(rng.next());
      return static_cast<int32_t>(random_bits(rng, view.dtype, kind));
    };
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write(view, n, c, h, w, draw());
    });
  }
  fill_indices(rng, operation, memory);
  plant_pair(rng, operation, memory);
}

}  // namespace

void fill_random(Rng& rng, std::span<uint8_t> bytes, uint8_t bits) {
  fill(rng, bytes, Fill::uniform);
  for (uint8_t& byte : bytes) byte &= bits;
}

void fill_operands(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory) {
  if (is_of(ChipFamily::bm1880, operation)) return fill_bytes(rng, operation, chip, memory);
  if (const auto* op = std::get_if<MaskedLanes>(&operation))
    return fill_operands(rng, *op->operation, chip, memory);
  fill_elements(rng, operation, memory);
}

}  // namespace tputwin::testing
