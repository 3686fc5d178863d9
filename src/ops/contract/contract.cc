// Footprints, bounds and names that all operations share.
#include "ops/contract/contract.h"

#include "base/errors/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace tputwin {
namespace {

// `count` copies at distance `stride`.
struct Repeat {
  uint64_t count, stride;
};

// Planes of more pieces than this are described by fewer, wider ranges.
constexpr uint64_t kMaxPieces = 1 << 16;

// Runs of bytes [at, at + run), at = sum of i_k * stride_k, as maximal runs.
struct RepeatedRuns {
  uint64_t run, pieces;
  std::array<Repeat, 4> repeats;
};

// Joins repeats whose stride is at most the run that they repeat.
RepeatedRuns maximal_runs(uint64_t run, std::array<Repeat, 4> repeats) {
  std::ranges::sort(repeats, {}, &Repeat::stride);
  size_t first = 0;
  const auto count = [&] {
    uint64_t pieces = 1;
    for (size_t k = first; k < repeats.size(); ++k)
      pieces = std::min(pieces * std::min(repeats[k].count, kMaxPieces + 1), kMaxPieces + 1);
    return pieces;
  };
  uint64_t pieces = count();
  if (pieces == 0) return {run, 0, repeats};
  for (; first < repeats.size() && (repeats[first].stride <= run || pieces > kMaxPieces);
       pieces = count()) {
    run += (repeats[first].count - 1) * repeats[first].stride;
    ++first;
  }
  for (size_t k = 0; k < first; ++k) repeats[k].count = 1;
  return {run, pieces, repeats};
}

// Appends the runs from `begin` on. The largest stride is outermost, so that most ranges are in
// ascending order.
void add_repeated(Space space, uint32_t lane, uint64_t begin, const RepeatedRuns& runs,
                  std::vector<ByteRange>& ranges) {
  if (runs.pieces == 0) return;
  if (runs.pieces == 1) {
    ranges.push_back({space, lane, begin, begin + runs.run});
    return;
  }
  const auto& [a, b, c, d] = runs.repeats;
  for (uint64_t i = 0; i < d.count; ++i)
    for (uint64_t j = 0; j < c.count; ++j)
      for (uint64_t k = 0; k < b.count; ++k)
        for (uint64_t l = 0; l < a.count; ++l) {
          const uint64_t at = begin + i * d.stride + j * c.stride + k * b.stride + l * a.stride;
          ranges.push_back({space, lane, at, at + runs.run});
        }
}

// Makes space for more ranges.
void reserve_more(std::vector<ByteRange>& ranges, uint64_t count) {
  if (ranges.size() + count > ranges.capacity())
    ranges.reserve(std::max<size_t>(2 * ranges.capacity(), ranges.size() + count));
}

// Appends one plane of a view: `count_n` repetitions along n of runs of `run` bytes.
void add_plane(const TensorView& v, const Chip& chip, uint64_t plane, uint64_t count_n,
               uint64_t run, std::vector<ByteRange>& ranges) {
  const Shape& s = v.shape;
  const Repeat n{count_n, v.stride.n}, h{s.h, v.stride.h}, w{s.w, v.stride.w};
  if (v.space != Space::local) {
    const RepeatedRuns runs = maximal_runs(run, {n, {s.c, v.stride.c}, h, w});
    reserve_more(ranges, runs.pieces);
    add_repeated(v.space, 0, v.address + plane, runs, ranges);
    return;
  }
  const uint64_t start = v.address / chip.lane_bytes, offset = v.address % chip.lane_bytes;
  // The channels of a lane; lanes have at most two numbers of channels.
  const auto channels_of = [&](uint64_t c) { return (s.c - c + chip.lanes - 1) / chip.lanes; };
  const uint64_t count = std::min(s.c, chip.lanes);
  RepeatedRuns runs{};
  uint64_t channels = 0;
  for (uint64_t c = 0; c < count; ++c) {
    if (const uint64_t own = channels_of(c); own != channels) {
      channels = own;
      runs = maximal_runs(run, {n, {channels, v.stride.c}, h, w});
      reserve_more(ranges, (count - c) * runs.pieces);
    }
    const uint64_t lane = start + c;
    add_repeated(Space::local, lane % chip.lanes, offset + plane + lane / chip.lanes * v.stride.c,
                 runs, ranges);
  }
}

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

void add_ranges(const TensorView& view, const Chip& chip, std::vector<ByteRange>& ranges) {
  const uint32_t run = run_bytes(view), whole = view.shape.n / view.pack;
  add_plane(view, chip, 0, whole, run, ranges);
  if (!is_run(view)) add_plane(view, chip, view.plane_stride, whole, run, ranges);
  if (uint32_t rest = view.shape.n % view.pack; rest != 0) {  // the cell that is not full
    const uint64_t at = uint64_t{whole} * view.stride.n;
    add_plane(view, chip, at, 1, rest * element_bytes(view.dtype), ranges);
  }
}

void add_ranges(const MatrixView& matrix, const Chip& chip, std::vector<ByteRange>& ranges) {
  const uint32_t block = matrix.tensor.shape.w;
  TensorView whole = matrix.tensor, rest = matrix.tensor;
  whole.shape.n = rest.shape.n = matrix.rows;
  whole.shape.c = matrix.cols / block;
  add_ranges(whole, chip, ranges);
  rest.shape.c = 1;
  rest.shape.w = matrix.cols % block;
  if (rest.space != Space::local) {
    rest.address += uint64_t{whole.shape.c} * rest.stride.c;
  } else {
    // The block after the whole ones starts some lanes later; its address includes its round over
    // the lanes.
    uint64_t lane = rest.address / chip.lane_bytes + whole.shape.c;
    rest.address = lane % chip.lanes * chip.lane_bytes + rest.address % chip.lane_bytes +
                   lane / chip.lanes * rest.stride.c;
  }
  add_ranges(rest, chip, ranges);
}

namespace {

bool comes_before(const ByteRange& a, const ByteRange& b) {
  if (a.space != b.space) return a.space < b.space;
  if (a.lane != b.lane) return a.lane < b.lane;
  return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
}

// Sorts ranges. Views are appended lane by lane, so there are few ascending runs, and merging these
// is faster than sorting.
void sort_ranges(std::vector<ByteRange>& ranges) {
  constexpr size_t kMostRuns = 32;
  std::vector<size_t> starts{0};
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (!comes_before(ranges[i], ranges[i - 1])) continue;
    if (starts.size() == kMostRuns) {
      std::ranges::sort(ranges, comes_before);
      return;
    }
    starts.push_back(i);
  }
  const auto at = [&](size_t run) {
    return ranges.begin() +
           static_cast<ptrdiff_t>(run < starts.size() ? starts[run] : ranges.size());
  };
  for (; starts.size() > 1; starts.resize((starts.size() + 1) / 2)) {
    for (size_t run = 0; run < starts.size(); run += 2)
      if (run + 1 < starts.size())
        std::inplace_merge(at(run), at(run + 1), at(run + 2), comes_before);
    for (size_t run = 0; run < starts.size(); run += 2) starts[run / 2] = starts[run];
  }
}

}  // namespace

void sort_and_merge(std::vector<ByteRange>& ranges) {
  sort_ranges(ranges);
  size_t kept = 0;
  for (const ByteRange& r : ranges) {
    if (kept > 0) {
      ByteRange& last = ranges[kept - 1];
      if (last.space == r.space && last.lane == r.lane && r.begin <= last.end) {
        last.end = std::max(last.end, r.end);
        continue;
      }
    }
    ranges[kept++] = r;
  }
  ranges.resize(kept);
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

Footprint footprint_of(const OperandList& operands, const Chip& chip) {
  Footprint f;
  for (const Operand& operand : operands) {
    if (operand.access == Access::read) add_ranges(*operand.view, chip, f.reads);
    if (operand.access == Access::read_write) add_ranges(old_value(*operand.view), chip, f.reads);
    if (operand.access != Access::read) add_ranges(*operand.view, chip, f.writes);
  }
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
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
