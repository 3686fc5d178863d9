// Looks up rows: entries of 32 bits by vectors, others one by one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/prepared/chain_lookup.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/prepared/chain_lookup.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Returns the largest index. Indices above `last` count as `last`.
template <class Index>
uint32_t LookUpWords(const int32_t* table, uint32_t last, const RowBlock& block) {
  const I32 d;
  const hn::Rebind<Index, I32> di;
  const auto* const from = block.source<Index>(1);
  auto* const to = block.result<int32_t>();
  const Ints limit = ints(static_cast<int32_t>(last));
  Ints most = hn::Zero(d);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= block.count; i += hn::Lanes(d)) {
    const Ints index = hn::PromoteTo(d, hn::LoadU(di, from + i));
    most = hn::Max(most, index);
    hn::StoreU(hn::GatherIndex(d, table, hn::Min(index, limit)), d, to + i);
  }
  auto largest = static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(d, most)));
  for (; i < block.count; ++i) {
    const uint32_t index = block.load<Index>(1, i);
    largest = std::max(largest, index);
    block.store(i, Memory::load<int32_t>(reinterpret_cast<const uint8_t*>(table) +
                                         std::min(index, last) * sizeof(int32_t)));
  }
  return largest;
}

template <class T, class Index>
uint32_t LookUpEach(const uint8_t* table, uint32_t last, const RowBlock& block) {
  uint32_t largest = 0;
  for (size_t i = 0; i < block.count; ++i) {
    const uint32_t index = block.load<Index>(1, i);
    largest = std::max(largest, index);
    block.store(i, Memory::load<T>(table + std::min(index, last) * sizeof(T)));
  }
  return largest;
}

template <class Index>
uint32_t LookUp(const uint8_t* table, size_t bytes, uint32_t last, const RowBlock& block) {
  if (bytes == sizeof(int32_t) && reinterpret_cast<uintptr_t>(table) % sizeof(int32_t) == 0)
    return LookUpWords<Index>(reinterpret_cast<const int32_t*>(table), last, block);
  return by_width(bytes, [&]<class T>(T) { return LookUpEach<T, Index>(table, last, block); });
}

void LookupRows(const void* operation, const RowBlock& block) {
  const auto& [op, memory, missed] = *static_cast<const ChainLookup*>(operation);
  const uint8_t* const table = memory.byte(op.table, 0, block.lane, 0, 0);
  const uint32_t last = op.table.shape.w - 1;
  const size_t bytes = element_bytes(op.out.dtype);
  const uint32_t largest = op.in.dtype == DType::u8 ? LookUp<uint8_t>(table, bytes, last, block)
                                                    : LookUp<uint16_t>(table, bytes, last, block);
  if (largest > last) *missed = true;
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

TW_ROW_KERNEL(lookup_rows, LookupRows)

}  // namespace tputwin::fast
#endif
