// Fuses moves between global and local memory into kernels: a load whose bytes only they read, and
// a store of their results.
#include <algorithm>

#include "machine/device.h"
#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/program_graph.h"
#include "ops/fast/views/views.h"

namespace tputwin {
// Uses of global memory with the instruction numbers at which they may happen. A kernel with a
// fused move touches global memory earlier or later than in program order.
class GlobalUse {
 public:
  explicit GlobalUse(std::span<const Instruction> program) {
    for (uint32_t i = 0; i < program.size(); ++i)
      for (const Operand& operand : operands(program[i].op))
        if (operand.view->space == Space::global)
          uses_.push_back(
              {extent_in_global(*operand.view), operand.access != Access::read, i, i, i});
  }
  // Lets the move of an instruction happen at any time in [first, last]. Returns false, and changes
  // nothing, if another instruction then writes the bytes it reads or touches the bytes it writes.
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

namespace {

// Returns the view with strides of 0 along axes of extent 1, whose strides have no effect. The same
// holds for channels that fit in one pass over the lanes.
TensorView without_idle_strides(TensorView v, const LocalMemory& local) {
  const bool is_one_turn =
      v.space == Space::local &&
      v.address / local.lane_bytes() % local.lanes() + v.shape.c <= local.lanes();
  if (v.shape.n == 1) v.stride.n = 0;
  if (v.shape.c == 1 || is_one_turn) v.stride.c = 0;
  if (v.shape.h == 1) v.stride.h = 0;
  if (v.shape.w == 1) v.stride.w = 0;
  return v;
}

// Returns true if both views hold the same elements at the same bytes.
bool same_place(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  const auto has_runs = [](const TensorView& v) { return v.pack == 1 && is_run(v); };
  return has_runs(a) && has_runs(b) &&
         fast::same_bytes(without_idle_strides(a, local), without_idle_strides(b, local));
}

// A move that keeps the index of each element. Destination elements do not overlap.
struct PlainMove {
  const TensorView &dst, &src;
};
std::optional<PlainMove> plain_move(const Operation& op, const LocalMemory& local) {
  const TensorView *dst = nullptr, *src = nullptr;
  if (const auto* t = std::get_if<DmaTensor>(&op); t != nullptr && !t->transpose_nc)
    dst = &t->dst, src = &t->src;
  else if (const auto* c = std::get_if<Copy>(&op); c != nullptr && !c->src.is_constant)
    dst = &c->dst, src = &c->src.view;
  if (dst == nullptr || (dst->space == Space::local) == (src->space == Space::local)) return {};
  const TensorView& global = dst->space == Space::local ? *src : *dst;
  const auto plain = [](const TensorView& v) { return v.pack == 1 && is_run(v); };
  if (global.space != Space::global || dst->shape != src->shape || dst->shape.count() == 0 ||
      !plain(*dst) || !plain(*src) || run_bytes(*dst) != run_bytes(*src) ||
      !fast::has_dense_rows(global) || !fast::distinct(*dst, local))
    return {};
  return PlainMove{*dst, *src};
}

const TensorView& input_of(const Operation& op) { return *operands(op)[1].view; }

}  // namespace

void Plan::absorb_moves(const Dataflow& flow, Device& device) {
  GlobalUse use(program_);
  for (uint32_t i = 0; i < program_.size(); ++i) {
    if (steps_[i].spare) continue;
    const auto move = plain_move(program_[i].op, device.local_);
    if (!move) continue;
    const bool from_lanes = move->src.space == Space::local;
    const GlobalRange range = extent_in_global(from_lanes ? move->dst : move->src);
    const uint64_t size = device.global_bytes();
    if (range.begin + range.bytes + fast::PreparedBody::kMoveSlack > size) continue;
    static_cast<void>(from_lanes ? body_stores(i, flow, device, use)
                                 : bodies_load(i, flow, device, use));
  }
}

// Fuses a load into kernels that read its bytes as their whole input or as an addend. No other
// instruction may read these bytes in local memory.
bool Plan::bodies_load(uint32_t load, const Dataflow& flow, Device& device, GlobalUse& use) {
  const Dataflow::Node& node = flow.nodes[load];
  if (!node.dies || !node.constant_readers.empty() || node.readers.empty()) return false;
  const TensorView& source = plain_move(program_[load].op, device.local_)->src;
  uint32_t last = load;
  for (uint32_t reader : node.readers) {
    if (is_addend(load, reader, flow, device.local_))
      last = std::max(last, steps_[reader].absorbed_by);
    else if (is_input(load, reader, flow, device.local_) &&
             steps_[reader].body->takes_moves(source))
      last = std::max(last, reader);
    else
      return false;
  }
  if (!use.spread(load, source, /*writes=*/false, load, last)) return false;
  for (uint32_t reader : node.readers) {
    const uint32_t body = *body_of(reader);
    if (body == reader)
      steps_[body].body->read_from(source);
    else
      steps_[body].body->read_addend_from(source);
    steps_[load].absorbed_by = body;
  }
  return true;
}

bool Plan::is_input(uint32_t load, uint32_t reader, const Dataflow& flow,
                    const LocalMemory& local) const {
  const TensorView& place = plain_move(program_[load].op, local)->dst;
  // Returns true if the selected local operands of instruction `other` are disjoint from the loaded
  // view.
  const auto apart = [&](uint32_t other, auto&& concerns) {
    return std::ranges::all_of(operands(program_[other].op), [&](const Operand& operand) {
      return !concerns(operand) || operand.view->space != Space::local ||
             fast::disjoint(*operand.view, place, local);
    });
  };
  if (steps_[reader].body == nullptr) return false;
  const TensorView& input = input_of(program_[reader].op);
  if (!same_place(input, place, local) ||
      !apart(reader, [&](const Operand& o) { return o.view != &input; }))
    return false;
  return std::ranges::all_of(flow.nodes[reader].writers, [&](uint32_t writer) {
    return writer == load || (writer != Dataflow::kBefore && apart(writer, [](const Operand& o) {
                                return o.access != Access::read;
                              }));
  });
}

// Returns true if `reader` is the mul_const of a residual fused into a kernel that runs after the
// load, and the load brings its addend.
bool Plan::is_addend(uint32_t load, uint32_t reader, const Dataflow& flow,
                     const LocalMemory& local) const {
  const auto* mul = std::get_if<Elementwise>(&program_[reader].op);
  return mul != nullptr && mul->kind == Elementwise::Kind::mul && steps_[reader].absorbed() &&
         steps_[reader].absorbed_by > load && flow.nodes[reader].writers == std::vector{load} &&
         same_place(mul->a, *operands(program_[load].op)[0].view, local);
}

// Fuses a store of the whole result of a kernel. The kernel writes the result there, instead of to
// local memory or in addition to it.
bool Plan::body_stores(uint32_t store, const Dataflow& flow, Device& device, GlobalUse& use) {
  const PlainMove move = *plain_move(program_[store].op, device.local_);
  const auto& writers = flow.nodes[store].writers;
  if (writers.size() != 1 || writers[0] == Dataflow::kBefore) return false;
  const auto body = body_of(writers[0]);
  if (!body || !steps_[*body].body->takes_moves(move.dst)) return false;
  if (!same_place(result_of(program_[writers[0]].op), move.src, device.local_)) return false;
  const Dataflow::Node& written = flow.nodes[writers[0]];
  const bool dies =
      written.dies && written.constant_readers.empty() && written.readers == std::vector{store};
  if (!dies && !steps_[*body].body->can_write_twice()) return false;
  if (!use.spread(store, move.dst, /*writes=*/true, *body, store)) return false;
  if (dies)
    steps_[*body].body->write_to(move.dst);
  else
    steps_[*body].body->write_also_to(move.dst);
  steps_[store].absorbed_by = *body;
  return true;
}

}  // namespace tputwin
