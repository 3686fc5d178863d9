// table_lookup: row by row with the table of the lane, and bytes by permutation where the processor
// has it.
#include <atomic>

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/byte_lookup.h"
#include "ops/fast/walk/nest.h"
#include "ops/index/table_lookup.h"

namespace tputwin::fast {
namespace {

const uint8_t* table_of(const TableLookup& op, const Memory& memory, size_t slot) {
  const uint64_t lane = op.in.address / memory.local.lane_bytes() + slot;
  return memory.byte(op.table, 0, static_cast<uint32_t>(lane % memory.local.lanes()), 0, 0);
}

// Returns true if every index was inside the table.
template <class T, class Index>
bool look_up(const TableLookup& op, const Memory& memory, const Slots& slots, size_t slot) {
  const auto channel = static_cast<uint32_t>(slot);
  const uint8_t* table = table_of(op, memory, slot);
  uint8_t* out = memory.byte(op.out, 0, channel, 0, 0);
  const uint8_t* in = memory.byte(op.in, 0, channel, 0, 0);
  const uint32_t length = op.table.shape.w;
  const Nest<2> nest = slot_nest<2>({&op.out, &op.in}, slots, slots.rounds(slot));
  bool inside = true;
  for_each_inner(nest, 0, nest.runs(), [&](const std::array<size_t, 2>& offset) {
    uint8_t* to = out + offset[0];
    const uint8_t* from = in + offset[1];
    for (size_t i = 0; i < nest.inner.count; ++i) {
      const uint32_t index = Memory::load<Index>(from + i * nest.inner.step[1]);
      if (index < length) [[likely]]
        Memory::store(to + i * nest.inner.step[0], Memory::load<T>(table + index * sizeof(T)));
      else
        inside = false;
    }
  });
  return inside;
}

// Looks up bytes in a table of at least 256 entries, so that no index is outside.
Declined bytes(const TableLookup& op, const Memory& memory) {
  constexpr uint32_t kBytes = 256;
  if (is_empty(op.out.shape) || op.in.dtype != DType::u8 || !has_byte_rows(op.in) ||
      !has_byte_rows(op.out))
    return "no rows of bytes in lanes";
  if (op.table.shape.w < kBytes || !has_byte_rows(op.table))
    return "the table is not 256 bytes side by side";
  if (const Declined why = overlap(op.out, {&op.in, &op.table}, memory.local)) return why;
  const Slots slots = local_slots(op.out.shape, memory.local);
  share_out(slots.count, op.out.shape.count(), bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t slot = begin; slot < end; ++slot) {
      const auto c = static_cast<uint32_t>(slot);
      look_up_bytes(byte_nest<2>({&op.out, &op.in}, slots, slots.rounds(slot)),
                    memory.byte(op.out, 0, c, 0, 0), memory.byte(op.in, 0, c, 0, 0),
                    table_of(op, memory, slot));
    }
  });
  return kRan;
}

// If an index is outside the table, the reference kernel computes all results again and records the
// index.
Declined rows(const TableLookup& op, const Memory& memory) {
  const LocalMemory& local = memory.local;
  if (is_empty(op.out.shape) || !is_run(op.out) || !is_run(op.in) || !is_run(op.table) ||
      !has_dense_rows(op.table))
    return "the table is not in one piece, or values are in two";
  if (const Declined why = overlap(op.out, {&op.in, &op.table}, local)) return why;
  const Slots slots = local_slots(op.out.shape, local);
  std::atomic<bool> inside = true;
  share_out(slots.count, op.out.shape.count() * 4, bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t slot = begin; slot < end; ++slot) {
      const bool all = by_width(element_bytes(op.out.dtype), [&]<class T>(T) {
        return op.in.dtype == DType::u8 ? look_up<T, uint8_t>(op, memory, slots, slot)
                                        : look_up<T, uint16_t>(op, memory, slots, slot);
      });
      if (!all) inside = false;
    }
  });
  return inside ? kRan : "an index is outside the table";
}

}  // namespace

TW_FAST_KERNELS(TableLookup, {"bytes", bytes}, {"rows", rows})

}  // namespace tputwin::fast
