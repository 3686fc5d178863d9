// Ranges of views, and their order.
#include "ops/contract/range_set.h"

#include <algorithm>

namespace tputwin {
namespace {

// Planes of more pieces than this are described by fewer, wider ranges.
constexpr uint64_t kMaxPieces = 1 << 16;

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

// Calls add(at, count_n, run) for the planes of a view, as the arguments of ViewPlane.
template <class Add>
void for_each_plane(const TensorView& view, Add add) {
  const uint32_t run = run_bytes(view), whole = view.shape.n / view.pack;
  add(0, whole, run);
  if (!is_run(view)) add(view.plane_stride, whole, run);
  if (uint32_t rest = view.shape.n % view.pack; rest != 0)  // the cell that is not full
    add(uint64_t{whole} * view.stride.n, 1, rest * element_bytes(view.dtype));
}

}  // namespace

ViewPlane::ViewPlane(const TensorView& v, const Chip& chip, uint64_t at, uint64_t count_n,
                     uint64_t run)
    : space_(v.space), channel_stride_(v.stride.c), chip_lanes_(chip.lanes) {
  const Shape& s = v.shape;
  const Repeat n{count_n, v.stride.n}, h{s.h, v.stride.h}, w{s.w, v.stride.w};
  if (v.space != Space::local) {
    begin_ = v.address + at;
    full_ = maximal_runs(run, {n, {s.c, v.stride.c}, h, w});
    return;
  }
  const uint64_t lane = v.address / chip.lane_bytes;
  first_lane_ = lane % chip.lanes;
  begin_ = v.address % chip.lane_bytes + at + lane / chip.lanes * v.stride.c;
  lanes_ = std::min(s.c, chip.lanes);
  full_lanes_ = s.c <= chip.lanes || s.c % chip.lanes == 0 ? lanes_ : s.c % chip.lanes;
  if (lanes_ == 0) return;
  const uint64_t channels = (uint64_t{s.c} + chip.lanes - 1) / chip.lanes;
  full_ = maximal_runs(run, {n, {channels, v.stride.c}, h, w});
  if (full_lanes_ != lanes_) rest_ = maximal_runs(run, {n, {channels - 1, v.stride.c}, h, w});
}

void ViewPlane::append_to(std::vector<ByteRange>& ranges) const {
  if (space_ != Space::local) {
    reserve_more(ranges, full_.pieces);
    return add_repeated(space_, 0, begin_, full_, ranges);
  }
  reserve_more(ranges, full_lanes_ * full_.pieces + (lanes_ - full_lanes_) * rest_.pieces);
  for (uint64_t c = 0; c < lanes_; ++c) {
    const uint64_t at = first_lane_ + c;
    const auto lane = static_cast<uint32_t>(at < chip_lanes_ ? at : at - chip_lanes_);
    const Part of_lane = part(lane);
    add_repeated(space_, lane, of_lane.begin, *of_lane.runs, ranges);
  }
}

void add_ranges(const TensorView& view, const Chip& chip, std::vector<ByteRange>& ranges) {
  for_each_plane(view, [&](uint64_t at, uint64_t count_n, uint64_t run) {
    ViewPlane(view, chip, at, count_n, run).append_to(ranges);
  });
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

// Sorts the ranges from `first` on. Views are appended lane by lane, so there are few ascending
// runs, and merging these is faster than sorting.
void sort_ranges(std::vector<ByteRange>& ranges, size_t first) {
  constexpr size_t kMostRuns = 32;
  std::vector<size_t> starts{first};
  for (size_t i = first + 1; i < ranges.size(); ++i) {
    if (!comes_before(ranges[i], ranges[i - 1])) continue;
    if (starts.size() == kMostRuns) {
      std::sort(ranges.begin() + static_cast<ptrdiff_t>(first), ranges.end(), comes_before);
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

// Sorts and merges the ranges from `first` on.
void sort_and_merge(std::vector<ByteRange>& ranges, size_t first) {
  sort_ranges(ranges, first);
  size_t kept = first;
  for (size_t i = first; i < ranges.size(); ++i) {
    const ByteRange r = ranges[i];
    if (kept > first) {
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

}  // namespace

void sort_and_merge(std::vector<ByteRange>& ranges) { sort_and_merge(ranges, 0); }

namespace {

// Vectors whose memory footprints use again, at most the reads and writes of one.
class Spare {
 public:
  void keep(std::vector<ByteRange>&& ranges) {
    if (vectors_.size() == 2 || ranges.capacity() > kMostRanges) return;
    vectors_.push_back(std::move(ranges));
    vectors_.back().clear();
  }
  std::vector<ByteRange> take() {
    if (vectors_.empty()) return {};
    std::vector<ByteRange> ranges = std::move(vectors_.back());
    vectors_.pop_back();
    return ranges;
  }

 private:
  static constexpr size_t kMostRanges = size_t{1} << 18;
  std::vector<std::vector<ByteRange>> vectors_;
};

thread_local Spare spare;

}  // namespace

void recycle(Footprint&& footprint) {
  spare.keep(std::move(footprint.reads));
  spare.keep(std::move(footprint.writes));
}

void RangeSet::add(const TensorView& view) {
  std::vector<ViewPlane>& planes = view.space == Space::local ? of_lanes_ : of_systems_;
  for_each_plane(view, [&](uint64_t at, uint64_t count_n, uint64_t run) {
    planes.emplace_back(view, chip_, at, count_n, run);
  });
}

// Local memory is the first space.
std::vector<ByteRange> RangeSet::take() const {
  std::vector<ByteRange> ranges = spare.take();
  add_lanes(ranges);
  const size_t first = ranges.size();
  for (const ViewPlane& plane : of_systems_) plane.append_to(ranges);
  sort_and_merge(ranges, first);
  return ranges;
}

void RangeSet::add_lanes(std::vector<ByteRange>& ranges) const {
  if (of_lanes_.empty()) return;
  std::vector<ViewPlane::Part> parts(of_lanes_.size()), before(of_lanes_.size());
  size_t first = 0;  // of the ranges of the lane before
  for (uint32_t lane = 0; lane < chip_.lanes; ++lane) {
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = of_lanes_[i].part(lane);
    const size_t end = ranges.size();
    if (parts == before) {
      for (size_t i = first; i < end; ++i) {
        ByteRange range = ranges[i];
        range.lane = lane;
        ranges.push_back(range);
      }
    } else {
      for (const auto& [runs, begin] : parts)
        if (runs != nullptr) add_repeated(Space::local, lane, begin, *runs, ranges);
      sort_and_merge(ranges, end);
      reserve_more(ranges, (ranges.size() - end) * (chip_.lanes - lane - 1));
      std::swap(parts, before);
    }
    first = end;
  }
}

}  // namespace tputwin
