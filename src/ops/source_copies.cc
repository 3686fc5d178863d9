// Choice of the operations that run on copies, and the lanes that they run in.
#include "ops/source_copies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "ops/fast/views/views.h"
#include "ops/read_order.h"

namespace tputwin {
namespace {

// Half-open range of byte offsets inside a lane.
struct LaneExtent {
  uint64_t begin = 0, end = 0;
};

bool is_in_lanes(const TensorView& v) {
  return v.space == Space::local && !fast::is_empty(v.shape);
}

// Returns the range from the first byte of a view in any lane to the end of its last one. Runs for
// every instruction, so divisions are few and 32-bit, which is enough for local addresses.
LaneExtent lane_extent(const TensorView& v, const LocalMemory& local) {
  const auto address = static_cast<uint32_t>(v.address);
  const uint32_t lane = address / local.lane_bytes();
  const uint64_t begin = address - lane * local.lane_bytes();
  const uint64_t channels = uint64_t{lane} + v.shape.c;
  const uint64_t rounds = channels <= local.lanes() ? 1 : (channels - 1) / local.lanes() + 1;
  const uint64_t last = uint64_t{cells(v) - 1} * v.stride.n + (rounds - 1) * v.stride.c +
                        uint64_t{v.shape.h - 1} * v.stride.h + uint64_t{v.shape.w - 1} * v.stride.w;
  return {begin, begin + last + (is_run(v) ? run_bytes(v) : v.plane_stride + uint64_t{1})};
}

// Returns the range of all bytes of an operand; old values of results may have one more plane.
LaneExtent lane_extent(const Operand& operand, const LocalMemory& local) {
  const bool is_old = operand.access == Access::read_write;
  return lane_extent(is_old ? old_value(*operand.view) : *operand.view, local);
}

// Returns true if reads from `source` must come before writes to `result`. An element that is
// overwritten only by its own result has been read by then.
bool must_come_first(const TensorView& source, const TensorView& result, bool own_index,
                     const LocalMemory& local) {
  if (!own_index) return !fast::disjoint(result, source, local);
  const auto planes = [](const TensorView& v) { return is_run(v) ? 1u : 2u; };
  for (uint32_t i = 0; i < planes(result); ++i)
    for (uint32_t j = 0; j < planes(source); ++j) {
      const fast::Plane to{&result, i * result.plane_stride};
      const fast::Plane from{&source, j * source.plane_stride};
      if (!fast::same_bytes(to, from) && !fast::disjoint(to, from, local)) return true;
    }
  return false;
}

bool results_share(const Operation& operation, const LocalMemory& local) {
  const OperandList list = operands(operation);
  std::array<LaneExtent, 10> extents;  // empty ones overlap nothing
  for (size_t i = 0; i < list.size(); ++i)
    if (is_in_lanes(*list[i].view)) extents[i] = lane_extent(*list[i].view, local);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].access == Access::read) continue;
    for (size_t j = 0; j < list.size(); ++j) {
      const Operand& source = list[j];
      if (source.access != Access::read || extents[i].end <= extents[j].begin ||
          extents[j].end <= extents[i].begin)
        continue;
      const bool own_index = reads_own_index(operation, source);
      if (must_come_first(*source.view, *list[i].view, own_index, local)) return true;
    }
  }
  return false;
}

constexpr uint64_t kPage = 4096;  // keeps the alignment of addresses
constexpr uint64_t kSmallestLane = 16 << 10;

thread_local std::unique_ptr<LocalMemory> copy_lanes;

// Returns lanes of at least `bytes` bytes each, rounded up to a power of two. The thread keeps them
// for its next operation.
LocalMemory& lanes_for_copies(uint32_t count, uint64_t bytes) {
  std::unique_ptr<LocalMemory>& lanes = copy_lanes;
  const auto wanted = static_cast<uint32_t>(std::bit_ceil(std::max(bytes, kSmallestLane)));
  if (lanes == nullptr || lanes->lanes() != count || lanes->lane_bytes() < wanted) {
    lanes.reset();
    Chip size{};
    size.lanes = count;
    size.lane_bytes = wanted;
    lanes = std::make_unique<LocalMemory>(size);
  }
  return *lanes;
}

// Calls f(lane) for every lane that holds a channel of the view.
template <class F>
void for_each_lane(const TensorView& v, const LocalMemory& local, F&& f) {
  const uint64_t start = v.address / local.lane_bytes();
  for (uint32_t c = 0; c < std::min(v.shape.c, local.lanes()); ++c)
    f(static_cast<uint32_t>((start + c) % local.lanes()));
}

}  // namespace

bool needs_copies(const Operation& operation, const LocalMemory& local) {
  // execute() of the masked operation makes the copies.
  if (std::holds_alternative<MaskedLanes>(operation)) return false;
  return reads_first(read_order(operation)) && results_share(operation, local);
}

SourceCopies::SourceCopies(const Operation& operation, const Memory& memory)
    : original_(operation), memory_(memory), copy_(operation) {
  const LocalMemory& local = memory.local;
  LaneExtent all{UINT64_MAX, 0};
  for (const Operand& operand : operands(operation)) {
    if (!is_in_lanes(*operand.view)) continue;
    const LaneExtent extent = lane_extent(operand, local);
    all = {std::min(all.begin, extent.begin), std::max(all.end, extent.end)};
  }
  base_ = all.begin / kPage * kPage;
  lanes_ = &lanes_for_copies(local.lanes(), 2 * (all.end - base_));
  const uint64_t half = lanes_->lane_bytes() / 2;
  for (const Operand& operand : operands(copy_)) {
    auto& view = const_cast<TensorView&>(*operand.view);  // a member of copy_
    if (!is_in_lanes(view)) continue;
    const LaneExtent extent = lane_extent(operand, local);
    const uint64_t to = operand.access == Access::read ? half : 0;
    for_each_lane(view, local, [&](uint32_t lane) {
      std::memcpy(lanes_->lane(lane) + to + (extent.begin - base_),
                  memory.local.lane(lane) + extent.begin, extent.end - extent.begin);
    });
    view.address = view.address / local.lane_bytes() * lanes_->lane_bytes() + to +
                   (view.address % local.lane_bytes() - base_);
  }
}

Memory SourceCopies::memory() const { return {*lanes_, memory_.global, memory_.l2, memory_.dtcm}; }

void SourceCopies::bring_back() const {
  LocalMemory& local = memory_.local;
  for (const Operand& operand : operands(original_)) {
    if (operand.access == Access::read || !is_in_lanes(*operand.view)) continue;
    const LaneExtent extent = lane_extent(*operand.view, local);
    for_each_lane(*operand.view, local, [&](uint32_t lane) {
      std::memcpy(local.lane(lane) + extent.begin, lanes_->lane(lane) + (extent.begin - base_),
                  extent.end - extent.begin);
    });
  }
}

void release_copy_lanes() { copy_lanes.reset(); }

}  // namespace tputwin
