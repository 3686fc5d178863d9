// Moves between global and local memory that bodies do themselves: a load whose bytes only they
// read, a store of what nobody else reads.
#include <algorithm>

#include "machine/dataflow.h"
#include "machine/device.h"
#include "machine/plan.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

bool intersect(const GlobalRange& a, const GlobalRange& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

// Which instructions touch which global memory, and when: bodies that do moves of others touch it
// earlier or later than the program says.
class GlobalUse {
 public:
  explicit GlobalUse(std::span<const Instruction> program) {
    for (uint32_t i = 0; i < program.size(); ++i)
      for (const Operand& operand : operands(program[i].op))
        if (operand.view->space == Space::global)
          uses_.push_back(
              {extent_in_global(*operand.view), operand.access != Access::read, i, i, i});
  }
  // The move of an instruction happens at any time of [first, last], if nobody else meanwhile
  // writes what it reads, or touches what it writes. False: somebody does.
  bool spread(uint32_t instruction, const TensorView& view, bool writes, uint32_t first,
              uint32_t last) {
    const GlobalRange range = extent_in_global(view);
    const auto disturbs = [&](const Use& use) {
      return use.instruction != instruction && use.first <= last && use.last >= first &&
             (use.writes || writes) && intersect(use.range, range);
    };
    if (std::ranges::any_of(uses_, disturbs)) return false;
    for (Use& use : uses_)
      if (use.instruction == instruction) use.first = first, use.last = last;
    return true;
  }

 private:
  struct Use {
    GlobalRange range;
    bool writes;
    uint32_t instruction, first, last;
  };
  std::vector<Use> uses_;
};

bool same_place(const TensorView& a, const TensorView& b) {
  return a.space == b.space && a.address == b.address && a.shape == b.shape &&
         a.stride == b.stride && run_bytes(a) == 1 && run_bytes(b) == 1 && is_run(a) && is_run(b);
}

// A move that keeps the index of every element, each of which has bytes of its own.
bool is_plain(const DmaTensor& move, const LocalMemory& local) {
  const auto bytes = [](const TensorView& v) {
    return v.pack == 1 && is_run(v) && run_bytes(v) == 1;
  };
  return !move.transpose_nc && move.dst.shape == move.src.shape && move.dst.shape.count() != 0 &&
         bytes(move.dst) && bytes(move.src) && fast::distinct(move.dst, local);
}

bool has_rows(const TensorView& global) { return global.shape.w == 1 || global.stride.w == 1; }

const TensorView& input_of(const Operation& op) { return *operands(op)[1].view; }
const TensorView& result_of(const Operation& op) { return *operands(op)[0].view; }

}  // namespace

void Plan::take_over_moves(const Dataflow& flow, Device& device) {
  GlobalUse use(program_);
  const uint64_t end = device.global_contents().size();
  for (uint32_t i = 0; i < program_.size(); ++i) {
    const auto* move = std::get_if<DmaTensor>(&program_[i].op);
    if (move == nullptr || !is_plain(*move, device.local())) continue;
    if (move->src.space == Space::global && move->dst.space == Space::local) {
      const GlobalRange source = extent_in_global(move->src);
      if (source.begin + source.bytes + fast::PreparedBody::kMoveSlack > end) continue;
      const auto& readers = flow.nodes[i].readers;
      if (!only_bodies_read(i, move->dst, flow, device.local()) || !has_rows(move->src) ||
          !use.spread(i, move->src, false, i, readers.back()))
        continue;
      for (uint32_t reader : readers) steps_[reader].body->read_from(move->src);
      steps_[i].absorbed = true;
    } else if (move->src.space == Space::local && move->dst.space == Space::global) {
      const auto writer = body_behind(i, move->src, flow);
      if (!writer || !has_rows(move->dst) || !use.spread(i, move->dst, true, *writer, i)) continue;
      steps_[*writer].body->write_to(move->dst);
      steps_[i].absorbed = true;
    }
  }
}

// What an instruction wrote at `place` is the whole input of bodies that can read it elsewhere, and
// nobody else ever sees it.
bool Plan::only_bodies_read(uint32_t instruction, const TensorView& place, const Dataflow& flow,
                            const LocalMemory& local) const {
  // Nothing that an instruction does to lanes by these operands touches the place.
  const auto apart = [&](uint32_t other, auto&& concerns) {
    return std::ranges::all_of(operands(program_[other].op), [&](const Operand& operand) {
      return !concerns(operand) || operand.view->space != Space::local ||
             fast::disjoint(*operand.view, place, local);
    });
  };
  const auto reads_it = [&](uint32_t reader) {
    const fast::PreparedBody* body = steps_[reader].body.get();
    const TensorView& input = input_of(program_[reader].op);
    if (body == nullptr || !body->takes_moves() || !same_place(input, place)) return false;
    if (!apart(reader, [&](const Operand& o) { return o.view != &input; })) return false;
    return std::ranges::all_of(flow.nodes[reader].writers, [&](uint32_t writer) {
      return writer == instruction ||
             (writer != Dataflow::kBefore &&
              apart(writer, [](const Operand& o) { return o.access != Access::read; }));
    });
  };
  const Dataflow::Node& node = flow.nodes[instruction];
  return node.dies && node.constant_readers.empty() && !node.readers.empty() &&
         std::ranges::all_of(node.readers, reads_it);
}

// The body whose result, at `place`, a store alone reads; or the floor that the body took over.
std::optional<uint32_t> Plan::body_behind(uint32_t store, const TensorView& place,
                                          const Dataflow& flow) const {
  const auto only_reader = [&](uint32_t writer, uint32_t reader) {
    const Dataflow::Node& node = flow.nodes[writer];
    return node.dies && node.constant_readers.empty() && node.readers == std::vector{reader} &&
           flow.nodes[reader].writers == std::vector{writer};
  };
  uint32_t reader = store;
  for (;;) {
    const auto& writers = flow.nodes[reader].writers;
    if (writers.size() != 1 || writers[0] == Dataflow::kBefore || !only_reader(writers[0], reader))
      return {};
    reader = writers[0];
    if (!std::holds_alternative<Elementwise>(program_[reader].op)) break;
    if (!steps_[reader].absorbed) return {};
  }
  const fast::PreparedBody* body = steps_[reader].body.get();
  if (body == nullptr || !body->takes_moves() || !same_place(result_of(program_[reader].op), place))
    return {};
  return reader;
}

}  // namespace tputwin
