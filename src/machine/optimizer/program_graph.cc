// Builds the graph: follows each byte of local memory through the program, with the instruction
// that wrote it last.
#include "machine/optimizer/program_graph.h"

#include <algorithm>
#include <utility>

#include "machine/optimizer/lane_owners.h"
#include "ops/fast/prepared/prepared.h"

namespace tputwin {
namespace {

void add_once(std::vector<uint32_t>& list, uint32_t number) {
  if (std::find(list.rbegin(), list.rend(), number) == list.rend()) list.push_back(number);
}

template <class T, class... Types>
constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

// Returns true if every index of a lookup is inside its table.
bool has_whole_table(const TableLookup& op) {
  return op.table.shape.w >= uint64_t{1} << (8 * element_bytes(op.in.dtype));
}

// Returns true if the function writes nothing but an element for each of its source.
bool writes_results_only(const FloatFunction& op) {
  return !op.entries && !destroys_source(op.kind) &&
         std::ranges::none_of(op.work, [](const auto& work) { return work.has_value(); });
}

// Returns true if the operation always writes every byte of its footprint.
bool writes_all(const Operation& op) {
  if (const auto* lookup = std::get_if<TableLookup>(&op)) return has_whole_table(*lookup);
  if (const auto* function = std::get_if<FloatFunction>(&op)) return writes_results_only(*function);
  return std::visit(
      []<class Op>(const Op&) {
        return is_one_of<Op, DmaTensor, DmaMatrix, Conv2dBm1880, Depthwise2dBm1880, Pool2dBm1880,
                         Elementwise, MatrixMac, Copy, CopyMatrix, Conv2dBm1684xFloat,
                         Conv2dBm1684xInt8, Depthwise2dBm1684xFloat, Depthwise2dBm1684xInt8,
                         Pool2dBm1684xFloat, Pool2dBm1684xInt8, FloatArithmetic, IntArithmetic,
                         Bitwise, Convert, Requantize, Unary, Select, Rearrange, LoadTable,
                         Sequence>;
      },
      static_cast<const AnyOperation&>(op));
}

// A footprint with more than kExactPieces pieces in a lane may be wider than the written bytes.
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
    nodes_.resize(program.size());
    live_.resize(program.size());
    live_if_found_.resize(program.size());
    lanes_.assign(chip_.lanes, new_lane());
  }

  struct Edges {
    std::vector<ProgramGraph::Node> nodes;
    bool reads_before;
  };
  Edges run() {
    for (uint32_t i = 0; i < program_.size(); ++i) {
      const Operation& op = program_[i].op;
      if (const auto* call = std::get_if<CpuCall>(&op)) {
        if (!call->sync) show_to_host(), called_ = true;
        continue;
      }
      goes_on_ |= called_;
      const Footprint touched = footprint(op, chip_);
      read(i, op, touched);
      write(i, op, touched);
    }
    show_to_host();
    for (size_t i = 0; i < live_.size(); ++i) {
      nodes_[i].is_overwritten = live_[i] == 0;
      nodes_[i].is_overwritten_by_found = live_if_found_[i] == 0;
    }
    if (goes_on_)
      for (ProgramGraph::Node& node : nodes_) node.live_out.clear();
    return {std::move(nodes_), reads_before_};
  }

 private:
  LaneOwners new_lane() const { return LaneOwners(chip_.lane_bytes, ProgramGraph::kBefore); }

  // Marks all current bytes as read by the host, and so live. The host may then write any of them.
  void show_to_host() {
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane)
      lanes_[lane].each(0, chip_.lane_bytes, [&](uint32_t owner, uint32_t begin, uint32_t end) {
        if (owner == ProgramGraph::kBefore) return;
        live_[owner] = live_if_found_[owner] = kForever;
        nodes_[owner].read_later.push_back({Space::local, lane, begin, end});
        nodes_[owner].live_out.push_back({Space::local, lane, begin, end});
      });
    lanes_.assign(chip_.lanes, new_lane());
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
    auto& writers = nodes_[i].constant_writers;
    owners(footprint_of(constants, chip_).reads, [&](uint32_t owner, const ByteRange&) {
      add_once(writers, owner);
      if (owner == ProgramGraph::kBefore)
        reads_before_ = true;
      else
        add_once(nodes_[owner].constant_readers, i);
    });
    std::sort(writers.begin(), writers.end());
  }

  static bool contains(const OperandList& list, const TensorView* view) {
    return std::any_of(list.begin(), list.end(), [&](auto& o) { return o.view == view; });
  }

  void note(uint32_t owner, uint32_t reader, const ByteRange& range) {
    add_once(nodes_[reader].writers, owner);
    if (owner == ProgramGraph::kBefore) {
      reads_before_ = true;
      return;
    }
    ProgramGraph::Node& node = nodes_[owner];
    add_once(node.readers, reader);
    if (node.readers.front() != reader) node.read_later.push_back(range);
  }

  void write(uint32_t i, const Operation& op, const Footprint& touched) {
    const bool is_exact = has_exact_footprint(op, chip_), all = writes_all(op) && is_exact;
    const bool all_if_found = all || (std::holds_alternative<TableLookup>(op) && is_exact);
    owners(touched.writes, [&](uint32_t owner, const ByteRange& range) {
      if (owner == ProgramGraph::kBefore) {
        reads_before_ |= !all;
        return;
      }
      for (uint64_t* const live : {&live_[owner], &live_if_found_[owner]})
        if (*live != kForever) *live -= range.end - range.begin;
      if (all) return;
      live_[owner] = kForever;
      if (!all_if_found) live_if_found_[owner] = kForever;
      nodes_[owner].read_later.push_back(range);
      note(owner, i, range);
    });
    nodes_[i].writes_whole_footprint = all;
    const std::span<const ByteRange> all_ranges(touched.writes);
    for (size_t begin = 0, end = 0; begin < all_ranges.size(); begin = end) {
      const ByteRange& first = all_ranges[begin];
      for (; end < all_ranges.size() && is_next_to(first, all_ranges[end]); ++end)
        add_live(i, all_ranges[end]);
      if (first.space == Space::local)
        lanes_[first.lane].assign(all_ranges.subspan(begin, end - begin), i);
    }
  }

  void add_live(uint32_t i, const ByteRange& range) {
    if (range.space != Space::local) return;
    live_[i] += range.end - range.begin;
    live_if_found_[i] += range.end - range.begin;
  }

  static bool is_next_to(const ByteRange& a, const ByteRange& b) {
    return a.space == b.space && a.lane == b.lane;
  }

  static constexpr uint64_t kForever = UINT64_MAX;
  std::span<const Instruction> program_;
  const Chip& chip_;
  std::vector<ProgramGraph::Node> nodes_;
  bool reads_before_ = false;
  std::vector<LaneOwners> lanes_;
  std::vector<uint64_t> live_;           // bytes that an instruction still owns
  std::vector<uint64_t> live_if_found_;  // the same, if lookups find all their indices
  bool called_ = false;                  // the host was called
  bool goes_on_ = false;                 // an instruction follows the call
};

}  // namespace

const TensorView* load_source(const Operation& op) {
  const auto load = [](const TensorView& dst, const TensorView& src) -> const TensorView* {
    return src.space == Space::global && dst.space == Space::local ? &src : nullptr;
  };
  if (const auto* t = std::get_if<DmaTensor>(&op)) return load(t->dst, t->src);
  if (const auto* c = std::get_if<Copy>(&op))
    return c->src.is_constant ? nullptr : load(c->dst, c->src.view);
  if (const auto* m = std::get_if<DmaMatrix>(&op)) return load(m->dst.tensor, m->src.tensor);
  return nullptr;
}

ProgramGraph::ProgramGraph(std::span<const Instruction> program, const Chip& chip)
    : program_(program), chip_(chip) {
  auto [nodes, reads_before] = Analysis(program, chip).run();
  nodes_ = std::move(nodes);
  reads_before_ = reads_before;
  for (const Instruction& instruction : program)
    for (const Operand& operand : operands(instruction.op))
      if (operand.access != Access::read && operand.view->space == Space::global)
        written_global_.push_back(extent_in_global(*operand.view));
}

bool ProgramGraph::feeds_only(uint32_t writer, uint32_t reader) const {
  const Node& node = nodes_[writer];
  return node.is_overwritten && node.constant_readers.empty() &&
         node.readers == std::vector{reader};
}

std::optional<GlobalRange> ProgramGraph::constant_source(uint32_t instruction) const {
  if (instruction == kBefore) return {};
  const TensorView* source = load_source(op(instruction));
  if (source == nullptr) return {};
  const GlobalRange range = extent_in_global(*source);
  const auto overlaps = [&](const GlobalRange& written) { return intersect(written, range); };
  if (std::ranges::any_of(written_global_, overlaps)) return {};
  return range;
}

}  // namespace tputwin
