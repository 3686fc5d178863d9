// Footprints, bounds and names that all operations share.
#include "ops/contract/contract.h"

#include "base/errors/memory.h"
#include "ops/contract/range_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace tputwin {
namespace {

// Adds (count - 1) * stride to offset. Returns false if the result leaves [0, limit).
bool advance(uint64_t& offset, uint64_t count, uint64_t stride, uint64_t limit) {
  uint64_t step = (count - 1) * stride;  // cannot overflow: 32-bit factors
  if (step >= limit - offset) return false;
  offset += step;
  return true;
}

bool inside(const TensorView& v, uint64_t start, uint64_t limit) {
  uint64_t offset = start;
  const uint64_t beyond = is_run(v) ? run_bytes(v) - 1 : v.plane_stride;
  return start < limit && advance(offset, cells(v), v.stride.n, limit) &&
         advance(offset, v.shape.h, v.stride.h, limit) &&
         advance(offset, v.shape.w, v.stride.w, limit) && beyond < limit - offset;
}

bool inside_system(const TensorView& v, uint64_t bytes) {
  uint64_t offset = v.address;
  if (offset >= bytes || !advance(offset, v.shape.c, v.stride.c, bytes)) return false;
  return inside(v, offset, bytes);
}

bool inside_lanes(const TensorView& v, const Chip& chip) {
  const uint64_t start = v.address / chip.lane_bytes;
  // No encoding reaches further than twice around the lanes.
  if (start >= 2 * chip.lanes) return false;
  const uint64_t last_round = (start + v.shape.c - 1) / chip.lanes;
  uint64_t offset = v.address % chip.lane_bytes;
  return advance(offset, last_round + 1, v.stride.c, chip.lane_bytes) &&
         inside(v, offset, chip.lane_bytes);
}

}  // namespace

std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::compute:
      return "compute";
    case Engine::cpu:
      return "cpu";
    case Engine::dma:
      return "dma";
  }
  return "?";
}

namespace {

// Returns the begin and end of a view's bytes, in system memory or, the same for all lanes, in a
// lane.
std::pair<uint64_t, uint64_t> extent_of(const TensorView& v, const Chip& chip) {
  const bool local = v.space == Space::local;
  const uint64_t begin = local ? v.address % chip.lane_bytes : v.address;
  const uint64_t start = v.address / chip.lane_bytes;
  const uint64_t rounds = local ? (start + v.shape.c - 1) / chip.lanes + 1 : v.shape.c;
  const uint64_t last = (cells(v) - 1) * uint64_t{v.stride.n} + (rounds - 1) * v.stride.c +
                        (v.shape.h - 1) * uint64_t{v.stride.h} +
                        (v.shape.w - 1) * uint64_t{v.stride.w};
  return {begin, begin + last + (is_run(v) ? run_bytes(v) : v.plane_stride + 1)};
}

}  // namespace

bool overlap_in_part(const TensorView& a, const TensorView& b, const Chip& chip) {
  if (a.space != b.space || a.shape.count() == 0 || b.shape.count() == 0 || a == b) return false;
  const auto [begin_a, end_a] = extent_of(a, chip);
  const auto [begin_b, end_b] = extent_of(b, chip);
  if (end_a <= begin_b || end_b <= begin_a) return false;
  std::vector<ByteRange> x, y;
  add_ranges(a, chip, x);
  add_ranges(b, chip, y);
  sort_and_merge(x);
  sort_and_merge(y);
  auto before = [](const ByteRange& p, const ByteRange& q) {
    return std::tuple(p.lane, p.end) <= std::tuple(q.lane, q.begin);
  };
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (before(x[i], y[j]))
      ++i;
    else if (before(y[j], x[i]))
      ++j;
    else
      return true;
  }
  return false;
}

void add_operands(const OperandList& operands, RangeSet& reads, RangeSet& writes) {
  for (const Operand& operand : operands) {
    if (operand.access == Access::read) reads.add(*operand.view);
    if (operand.access == Access::read_write) reads.add(old_value(*operand.view));
    if (operand.access != Access::read) writes.add(*operand.view);
  }
}

Footprint footprint_of(const OperandList& operands, const Chip& chip) {
  RangeSet reads(chip), writes(chip);
  add_operands(operands, reads, writes);
  return {reads.take(), writes.take()};
}

namespace {

// The end of a view may need more than 64 bits.
using Wide = unsigned __int128;

std::string describe(Wide bytes) {
  return bytes <= UINT64_MAX ? fmt::format("{}", static_cast<uint64_t>(bytes)) : "more than 2^64";
}

// Returns the end of a view that begins at `start` and whose channels take `rounds` steps.
Wide end_of(const TensorView& v, uint64_t start, uint64_t rounds) {
  auto steps = [](uint64_t count, uint64_t stride) { return Wide{count - 1} * stride; };
  return Wide{start} + steps(cells(v), v.stride.n) + steps(rounds, v.stride.c) +
         steps(v.shape.h, v.stride.h) + steps(v.shape.w, v.stride.w) +
         (is_run(v) ? run_bytes(v) : v.plane_stride + 1);
}

[[gnu::cold]] Error leaves_lanes(const TensorView& view, std::string_view name, const Chip& chip) {
  const uint64_t start = view.address / chip.lane_bytes, limit = chip.lane_bytes;
  Error error = Error(errors::mem_local_range)
                    .argument(name, tputwin::describe(view))
                    .see(chip.written.local_memory);
  if (start >= 2 * chip.lanes)
    return std::move(error).detail(fmt::format("local memory ends at {:#x}", chip.local_bytes()));
  const Wide end =
      end_of(view, view.address % limit, (start % chip.lanes + view.shape.c - 1) / chip.lanes + 1);
  return std::move(error).detail(
      fmt::format("it needs {} bytes of a lane, which has {}: {} too many", describe(end), limit,
                  describe(end - limit)));
}

[[gnu::cold]] Error leaves_system(const TensorView& view, std::string_view name, const Chip& chip,
                                  ErrorId rule, uint64_t limit) {
  Error error = Error(rule).argument(name, tputwin::describe(view));
  if (rule == errors::mem_global_range)
    static_cast<void>(std::move(error).see(chip.written.system_memory));
  const Wide end = end_of(view, view.address, view.shape.c);
  return std::move(error).detail(fmt::format("it ends at byte {} of a memory of {}: {} too many",
                                             describe(end), limit, describe(end - limit)));
}

}  // namespace

Status check_bounds(const TensorView& view, std::string_view name, const Chip& chip,
                    uint64_t global_bytes) {
  const Shape& s = view.shape;
  if (s.n == 0 || s.c == 0 || s.h == 0 || s.w == 0) return {};
  auto in_system = [&](ErrorId rule, uint64_t bytes) -> Status {
    if (inside_system(view, bytes)) [[likely]]
      return {};
    return leaves_system(view, name, chip, rule, bytes);
  };
  switch (view.space) {
    case Space::local:
      if (inside_lanes(view, chip)) [[likely]]
        return {};
      return leaves_lanes(view, name, chip);
    case Space::global:
      return in_system(errors::mem_global_range, global_bytes);
    case Space::l2:
      return in_system(errors::mem_l2_range, view.address < chip.l2.bytes
                                                 ? chip.l2.bytes
                                                 : chip.l2.bytes + chip.l2_tables);
    case Space::dtcm:
      return in_system(errors::mem_dtcm_range, chip.dtcm.bytes);
  }
  return {};
}

std::string stride_argument(std::string_view address_argument) {
  constexpr std::string_view kSuffix = "_addr";
  if (!address_argument.ends_with(kSuffix)) return std::string(address_argument);
  address_argument.remove_suffix(kSuffix.size());
  return fmt::format("{}_stride", address_argument);
}

}  // namespace tputwin
