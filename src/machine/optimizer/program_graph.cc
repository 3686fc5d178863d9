// Follows each byte of local memory through a program, with the instruction that last wrote it.
#include "machine/optimizer/program_graph.h"

#include <algorithm>
#include <utility>

#include "ops/fast/prepared/prepared.h"

namespace tputwin {
namespace {

// Owners of the bytes of one lane, that is their last writers, as sorted pieces without gaps.
class LaneOwners {
 public:
  explicit LaneOwners(uint32_t bytes) : pieces_{{0, bytes, Dataflow::kBefore}} {}

  // Calls f(owner, begin, end) for each piece of [begin, end).
  template <class F>
  void each(uint32_t begin, uint32_t end, F&& f) const {
    for (size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i)
      f(pieces_[i].owner, std::max(begin, pieces_[i].begin), std::min(end, pieces_[i].end));
  }

  // Assigns ranges of one lane, sorted and disjoint, to an owner. Visits the touched pieces once,
  // because maps have many rows.
  void assign(std::span<const ByteRange> ranges, uint32_t owner) {
    const size_t first = find(static_cast<uint32_t>(ranges.front().begin));
    const size_t last = find(static_cast<uint32_t>(ranges.back().end - 1));
    merged_.clear();
    size_t at = first;
    uint32_t done = pieces_[first].begin;  // bytes before it are in merged_
    const auto keep_until = [&](uint32_t end) {
      for (; at <= last && done < end; at += done == pieces_[at].end) {
        const uint32_t to = std::min(end, pieces_[at].end);
        merged_.push_back({done, to, pieces_[at].owner});
        done = to;
      }
    };
    for (const ByteRange& range : ranges) {
      keep_until(static_cast<uint32_t>(range.begin));
      done = static_cast<uint32_t>(range.end);
      merged_.push_back({static_cast<uint32_t>(range.begin), done, owner});
      while (at <= last && pieces_[at].end <= done) ++at;
    }
    keep_until(pieces_[last].end);
    replace(first, last + 1 - first);
  }

 private:
  struct Piece {
    uint32_t begin, end, owner;
  };
  size_t find(uint32_t byte) const {
    const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), byte,
                                         [](uint32_t b, const Piece& p) { return b < p.begin; });
    return static_cast<size_t>(behind - pieces_.begin()) - 1;
  }
  // Replaces `count` pieces from `first` on by merged_.
  void replace(size_t first, size_t count) {
    const size_t kept = std::min(count, merged_.size());
    const auto at = pieces_.begin() + static_cast<ptrdiff_t>(first);
    const auto middle = merged_.begin() + static_cast<ptrdiff_t>(kept);
    const auto behind = std::copy(merged_.begin(), middle, at);
    if (kept < count)
      pieces_.erase(behind, behind + static_cast<ptrdiff_t>(count - kept));
    else
      pieces_.insert(behind, middle, merged_.end());
  }

  std::vector<Piece> pieces_;
  std::vector<Piece> merged_;  // of one call of assign()
};

void add_once(std::vector<uint32_t>& list, uint32_t number) {
  if (std::find(list.rbegin(), list.rend(), number) == list.rend()) list.push_back(number);
}

template <class T, class... Types>
constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

// Returns true if the operation always writes every byte of its footprint.
bool writes_all(const Operation& op) {
  return std::visit(
      []<class Op>(const Op&) {
        return is_one_of<Op, DmaTensor, DmaMatrix, Conv2dBm1880, Depthwise2dBm1880, Pool2dBm1880,
                         Elementwise, MatrixMac, Copy, CopyMatrix, Conv2dBm1684xFloat,
                         Conv2dBm1684xInt8, Depthwise2dBm1684xFloat, Depthwise2dBm1684xInt8,
                         Pool2dBm1684xFloat, Pool2dBm1684xInt8, FloatArithmetic, IntArithmetic,
                         Bitwise, Convert, Requantize, Unary>;
      },
      static_cast<const AnyOperation&>(op));
}

// Above this number of pieces in a lane a footprint may be wider than the written bytes.
constexpr uint64_t kExactPieces = 1 << 16;
bool has_exact_footprint(const Operation& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    const TensorView& v = *operand.view;
    if (operand.access == Access::read || v.space != Space::local) continue;
    const bool is_dense = v.stride.w <= run_bytes(v);
    const uint64_t rows = uint64_t{cells(v)} * (v.shape.c / chip.lanes + 1) * v.shape.h;
    if (rows * (is_dense ? 1 : v.shape.w) > kExactPieces) return false;
  }
  return true;
}

class Analysis {
 public:
  Analysis(std::span<const Instruction> program, const Chip& chip)
      : program_(program), chip_(chip) {
    flow_.nodes.resize(program.size());
    live_.resize(program.size());
    forget();
  }

  Dataflow run() {
    for (uint32_t i = 0; i < program_.size(); ++i) {
      const Operation& op = program_[i].op;
      if (const auto* call = std::get_if<CpuCall>(&op)) {
        if (!call->sync) forget(), called_ = true;
        continue;
      }
      goes_on_ |= called_;
      const Footprint touched = footprint(op, chip_);
      read(i, op, touched);
      write(i, op, touched);
    }
    forget();
    for (size_t i = 0; i < live_.size(); ++i) flow_.nodes[i].dies = live_[i] == 0;
    if (goes_on_)
      for (Dataflow::Node& node : flow_.nodes) node.remains.clear();
    return std::move(flow_);
  }

 private:
  // Marks all current bytes as read by the host, and so alive.
  void forget() {
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane)
      lanes_[lane].each(0, chip_.lane_bytes, [&](uint32_t owner, uint32_t begin, uint32_t end) {
        if (owner == Dataflow::kBefore) return;
        live_[owner] = kForever;
        flow_.nodes[owner].outlasting.push_back({Space::local, lane, begin, end});
        flow_.nodes[owner].remains.push_back({Space::local, lane, begin, end});
      });
    lanes_.assign(chip_.lanes, LaneOwners(chip_.lane_bytes));
  }

  // Calls f(owner, range) for each piece of the local ranges.
  template <class F>
  void owners(const std::vector<ByteRange>& ranges, F&& f) const {
    for (const ByteRange& r : ranges)
      if (r.space == Space::local)
        lanes_[r.lane].each(static_cast<uint32_t>(r.begin), static_cast<uint32_t>(r.end),
                            [&](uint32_t owner, uint32_t begin, uint32_t end) {
                              f(owner, ByteRange{Space::local, r.lane, begin, end});
                            });
  }

  void read(uint32_t i, const Operation& op, const Footprint& touched) {
    const OperandList constants = fast::constant_operands(op);
    const auto note_reader = [&](uint32_t owner, const ByteRange& range) { note(owner, i, range); };
    if (constants.size() == 0) return owners(touched.reads, note_reader);
    OperandList others;
    for (const Operand& operand : operands(op))
      if (operand.access != Access::write && !contains(constants, operand.view))
        others.push_back(operand);
    owners(footprint_of(others, chip_).reads, note_reader);
    auto& writers = flow_.nodes[i].constant_writers;
    owners(footprint_of(constants, chip_).reads, [&](uint32_t owner, const ByteRange&) {
      add_once(writers, owner);
      if (owner == Dataflow::kBefore)
        flow_.uses_before = true;
      else
        add_once(flow_.nodes[owner].constant_readers, i);
    });
    std::sort(writers.begin(), writers.end());
  }

  static bool contains(const OperandList& list, const TensorView* view) {
    return std::any_of(list.begin(), list.end(), [&](auto& o) { return o.view == view; });
  }

  void note(uint32_t owner, uint32_t reader, const ByteRange& range) {
    add_once(flow_.nodes[reader].writers, owner);
    if (owner == Dataflow::kBefore) {
      flow_.uses_before = true;
      return;
    }
    Dataflow::Node& node = flow_.nodes[owner];
    add_once(node.readers, reader);
    if (node.readers.front() != reader) node.outlasting.push_back(range);
  }

  void write(uint32_t i, const Operation& op, const Footprint& touched) {
    const bool all = writes_all(op) && has_exact_footprint(op, chip_);
    owners(touched.writes, [&](uint32_t owner, const ByteRange& range) {
      if (owner == Dataflow::kBefore) {
        flow_.uses_before |= !all;
        return;
      }
      if (live_[owner] != kForever) live_[owner] -= range.end - range.begin;
      if (all) return;
      live_[owner] = kForever;
      flow_.nodes[owner].outlasting.push_back(range);
      note(owner, i, range);
    });
    flow_.nodes[i].is_exact = all;
    const std::span<const ByteRange> all_ranges(touched.writes);
    for (size_t begin = 0, end = 0; begin < all_ranges.size(); begin = end) {
      const ByteRange& first = all_ranges[begin];
      for (; end < all_ranges.size() && is_beside(first, all_ranges[end]); ++end)
        live_[i] += first.space == Space::local ? all_ranges[end].end - all_ranges[end].begin : 0;
      if (first.space == Space::local)
        lanes_[first.lane].assign(all_ranges.subspan(begin, end - begin), i);
    }
  }

  static bool is_beside(const ByteRange& a, const ByteRange& b) {
    return a.space == b.space && a.lane == b.lane;
  }

  static constexpr uint64_t kForever = UINT64_MAX;
  std::span<const Instruction> program_;
  const Chip& chip_;
  Dataflow flow_;
  std::vector<LaneOwners> lanes_;
  std::vector<uint64_t> live_;  // bytes that an instruction still owns
  bool called_ = false;         // the host was called
  bool goes_on_ = false;        // an instruction follows the call
};

}  // namespace

Dataflow analyse(std::span<const Instruction> program, const Chip& chip) {
  return Analysis(program, chip).run();
}

}  // namespace tputwin
