// sort: keys that have the order of the elements, with the index or position in their low bits.
#include "ops/index/sort.h"

#include <algorithm>
#include <vector>

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kSign = 0x8000'0000;

// Returns a key that ascends in the elements' order, which the reference kernel defines.
uint32_t rank(uint32_t bits, DType dtype, bool descending) {
  uint32_t key = bits;
  if (is_float(dtype))
    key = kSign + (bits & kSign ? 0 - (bits & ~kSign) : bits);
  else if (is_signed(dtype))
    key = bits ^ kSign;
  return descending ? ~key : key;
}

struct Item {
  uint64_t key;
  uint32_t position;
  bool operator<(const Item& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

// Sorts the first `count` items.
template <class T>
void sort_first(std::vector<T>& items, size_t count) {
  const auto middle = items.begin() + static_cast<ptrdiff_t>(count);
  if (count < items.size()) std::nth_element(items.begin(), middle, items.end());
  std::sort(items.begin(), middle);
}

struct Rows {
  uint8_t* out;
  const uint8_t* in;
  uint8_t* out_index;
  const uint8_t* in_index;
};

void write(const Rows& rows, size_t i, uint32_t position) {
  Memory::store(rows.out + i * 4, Memory::load<uint32_t>(rows.in + position * size_t{4}));
  if (rows.out_index == nullptr) return;
  const uint32_t index = rows.in_index == nullptr
                             ? position
                             : Memory::load<uint32_t>(rows.in_index + position * size_t{4});
  Memory::store(rows.out_index + i * 4, index);
}

// Sorts with positions as the order of equal elements.
void sort_by_position(const Sort& op, const Rows& rows) {
  std::vector<uint64_t> items(op.in.shape.w);
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = uint64_t{rank(Memory::load<uint32_t>(rows.in + i * 4), op.in.dtype, op.descending)}
                   << 32 |
               i;
  sort_first(items, op.out.shape.w);
  for (size_t i = 0; i < op.out.shape.w; ++i) write(rows, i, static_cast<uint32_t>(items[i]));
}

void sort_by_index(const Sort& op, const Rows& rows) {
  std::vector<Item> items(op.in.shape.w);
  for (size_t i = 0; i < items.size(); ++i) {
    const uint64_t value =
        rank(Memory::load<uint32_t>(rows.in + i * 4), op.in.dtype, op.descending);
    const uint32_t index = Memory::load<uint32_t>(rows.in_index + i * 4) ^ kSign;
    items[i] = {value << 32 | index, static_cast<uint32_t>(i)};
  }
  sort_first(items, op.out.shape.w);
  for (size_t i = 0; i < op.out.shape.w; ++i) write(rows, i, items[i].position);
}

Declined keys(const Sort& op, const Memory& memory) {
  const OperandList list = operands(op);
  for (const Operand& operand : list) {
    if (!has_dense_rows(*operand.view) || !is_32bit(operand.view->dtype))
      return "no rows of 32-bit elements";
    if (operand.access == Access::read) continue;
    for (const Operand& other : list)
      if (&other != &operand && !disjoint(*operand.view, *other.view, memory.local))
        return "results overlap an operand";
  }
  auto begin = [&](const TensorView& view) { return memory.byte(view, 0, 0, 0, 0); };
  const Rows rows{begin(op.out), begin(op.in), op.out_index ? begin(*op.out_index) : nullptr,
                  op.in_index ? begin(*op.in_index) : nullptr};
  op.in_index ? sort_by_index(op, rows) : sort_by_position(op, rows);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Sort, {"keys", keys})

}  // namespace tputwin::fast
