// table_lookup of bytes: the table of the lane, which is read in every run.
#include <algorithm>
#include <cstring>

#include "ops/fast/prepared/byte_map.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/byte_lookup.h"
#include "ops/index/table_lookup.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kTableBytes = 256;

class PreparedByteTable final : public ByteMap {
 public:
  PreparedByteTable(const TableLookup& op, const Memory& memory)
      : ByteMap(op.out, op.in, nullptr),
        op_(op),
        first_lane_(op.in.address / memory.local.lane_bytes()) {}

 private:
  void compute(const Nest<kOperands>& rows, size_t begin, size_t end, const Row& at, size_t slot,
               const Memory& memory) const override {
    const uint8_t* table = table_of(memory, slot);
    Nest<2> row;
    row.inner = {rows.inner.count, {1, 1}};
    for_each_inner(rows, begin, end, [&](const std::array<size_t, kOperands>& offset) {
      uint8_t* out = at[kResult] + offset[kResult];
      look_up_bytes(row, out, at[kFirst] + offset[kFirst], table);
      if (has(kSecond)) std::memcpy(at[kSecond] + offset[kSecond], out, rows.inner.count);
    });
  }

  bool is_same_in_all_lanes(const Memory& memory) const override {
    const uint8_t* const first = table_of(memory, 0);
    for (size_t slot = 1; slot < std::min(op_.in.shape.c, memory.local.lanes()); ++slot)
      if (std::memcmp(table_of(memory, slot), first, kTableBytes) != 0) return false;
    return true;
  }
  const uint8_t* table_of(const Memory& memory, size_t slot) const {
    const auto lane = static_cast<uint32_t>((first_lane_ + slot) % memory.local.lanes());
    return memory.byte(op_.table, 0, lane, 0, 0);
  }

  const TableLookup& op_;
  const uint64_t first_lane_;
};

}  // namespace

// A table of 256 bytes has every index.
std::unique_ptr<PreparedKernel> prepare(const TableLookup& op, const Memory& memory) {
  if (is_empty(op.out.shape) || op.in.dtype != DType::u8 || op.in.shape != op.out.shape ||
      !has_byte_rows(op.in) || !has_byte_rows(op.out) || op.table.shape.w < kTableBytes ||
      !has_byte_rows(op.table) || overlap(op.out, {&op.in, &op.table}, memory.local) != nullptr)
    return nullptr;
  return std::make_unique<PreparedByteTable>(op, memory);
}

}  // namespace tputwin::fast
