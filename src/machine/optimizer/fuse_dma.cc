// Pass: fuses moves between global and local memory into kernels: a load whose bytes only kernels
// read, as their whole input or as the addend of a residual, and a store of a kernel's results. The
// kernel then reads or writes global memory itself.
//
// A kernel of two inputs also reads the source of a load that stays.
//
// Legal if
// - the move keeps the index of each element, and its view is what the kernel reads or writes;
// - the loaded bytes are overwritten before another instruction or the host could read them; stored
//   bytes likewise, unless the kernel can write its results twice;
// - no instruction writes the global bytes (or touches them, for a store) between the move and the
//   kernel, as the move now happens when the kernel runs (GlobalUse).
//
//   before: 0 load in                    after: 0 load in: fused into 1
//           1 conv2d: kernel                    1 conv2d: kernel
//           2 store out                         2 store out: fused into 1
#include <algorithm>

#include "machine/optimizer/passes.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

// Uses of global memory with the instruction numbers at which they may happen. A kernel with a
// fused move touches global memory earlier or later than in program order.
class GlobalUse {
 public:
  explicit GlobalUse(const ProgramGraph& graph) {
    for (uint32_t i = 0; i < graph.size(); ++i)
      for (const Operand& operand : operands(graph.op(i)))
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

// Returns the view with strides of 0 along axes of extent 1, whose strides have no effect. The same
// holds for channels that fit in one pass over the lanes.
TensorView without_idle_strides(TensorView v, const LocalMemory& local) {
  const bool is_one_pass =
      v.space == Space::local &&
      v.address / local.lane_bytes() % local.lanes() + v.shape.c <= local.lanes();
  if (v.shape.n == 1) v.stride.n = 0;
  if (v.shape.c == 1 || is_one_pass) v.stride.c = 0;
  if (v.shape.h == 1) v.stride.h = 0;
  if (v.shape.w == 1) v.stride.w = 0;
  return v;
}

bool has_plain_runs(const TensorView& v) { return v.pack == 1 && is_run(v); }

// Returns true if both views hold the same elements at the same bytes.
bool hold_same_elements(const TensorView& a, const TensorView& b, const LocalMemory& local) {
  return has_plain_runs(a) && has_plain_runs(b) &&
         fast::same_bytes(without_idle_strides(a, local), without_idle_strides(b, local));
}

// A move that keeps the index of each element. Destination elements do not overlap.
struct PlainMove {
  TensorView dst, src;
};

// Returns the view of a matrix in global memory with the blocks of columns that its copy in local
// memory has as channels.
TensorView in_blocks(const TensorView& matrix, const Shape& local) {
  TensorView view = matrix;
  view.shape = local;
  view.stride = {matrix.stride.n, local.w, local.w, 1};
  return view;
}

std::optional<PlainMove> move_of_matrix(const MatrixView& dst, const MatrixView& src) {
  const bool is_store = src.tensor.space == Space::local;
  if (is_store == (dst.tensor.space == Space::local)) return {};
  const Shape& blocks = (is_store ? src : dst).tensor.shape;
  const TensorView& global = (is_store ? dst : src).tensor;
  if (dst.rows != src.rows || dst.cols != src.cols || run_bytes(global) != 1 ||
      global.stride.w != 1 || global.shape.h != 1 || blocks.h != 1 ||
      uint64_t{blocks.c} * blocks.w != dst.cols)
    return {};
  if (is_store) return PlainMove{in_blocks(dst.tensor, blocks), src.tensor};
  return PlainMove{dst.tensor, in_blocks(src.tensor, blocks)};
}

std::optional<PlainMove> move_of(const Operation& op) {
  if (const auto* t = std::get_if<DmaTensor>(&op); t != nullptr && !t->transpose_nc)
    return PlainMove{t->dst, t->src};
  if (const auto* c = std::get_if<Copy>(&op); c != nullptr && !c->src.is_constant)
    return PlainMove{c->dst, c->src.view};
  if (const auto* m = std::get_if<DmaMatrix>(&op); m != nullptr && !m->transpose)
    return move_of_matrix(m->dst, m->src);
  if (const auto* m = std::get_if<CopyMatrix>(&op)) return move_of_matrix(m->dst, m->src);
  return {};
}

std::optional<PlainMove> plain_move(const Operation& op, const LocalMemory& local) {
  auto move = move_of(op);
  if (!move) return {};
  const TensorView &dst = move->dst, &src = move->src;
  if ((dst.space == Space::local) == (src.space == Space::local)) return {};
  const TensorView& global = dst.space == Space::local ? src : dst;
  if (global.space != Space::global || dst.shape != src.shape || dst.shape.count() == 0 ||
      !has_plain_runs(dst) || !has_plain_runs(src) || run_bytes(dst) != run_bytes(src) ||
      !fast::has_dense_rows(global) || !fast::distinct(dst, local))
    return {};
  return move;
}

class DmaFusion {
 public:
  explicit DmaFusion(PlanBuilder& plan) : plan_(plan), graph_(plan.graph()), use_(plan.graph()) {}

  // Fuses the instruction if it is a plain move that kernels can make.
  void fuse(uint32_t i) {
    const auto move = plain_move(graph_.op(i), plan_.local());
    if (!move) return;
    const bool is_store = move->src.space == Space::local;
    const GlobalRange range = extent_in_global(is_store ? move->dst : move->src);
    if (range.end() + fast::PreparedKernel::kMoveSlack > plan_.memory().global.size()) return;
    if (is_store)
      fuse_store(i, *move);
    else
      fuse_load(i, *move);
  }

 private:
  fast::PreparedKernel& kernel(uint32_t step) const { return *plan_.step(step).kernel; }

  // Fuses a load into the kernels that read its bytes. No other instruction may read these bytes in
  // local memory.
  void fuse_load(uint32_t load, const PlainMove& move) {
    const ProgramGraph::Node& node = graph_.node(load);
    if (!node.constant_readers.empty() || node.readers.empty()) return;
    if (!node.is_overwritten) return read_source(load, move);
    std::vector<fast::Moved> roles;
    uint32_t last = load;
    for (const uint32_t reader : node.readers) {
      const auto role = role_of(load, reader, move);
      if (!role) return;
      roles.push_back(*role);
      last = std::max(last, *plan_.kernel_step(reader));
    }
    if (!use_.spread(load, move.src, /*writes=*/false, load, last)) return;
    for (size_t i = 0; i < roles.size(); ++i) {
      const uint32_t step = *plan_.kernel_step(node.readers[i]);
      kernel(step).move(roles[i], move.src);
      plan_.step(load).fused_into = step;
    }
  }

  // Lets kernels of two inputs read the source of a load that stays, since its bytes are read
  // later, too. The host may write the source when it is called.
  void read_source(uint32_t load, const PlainMove& move) {
    uint32_t last = load;
    for (const uint32_t reader : graph_.node(load).readers) {
      if (plan_.step(reader).kernel == nullptr || !kernel(reader).has_second_input() ||
          !is_one_section(load, reader))
        continue;
      const auto role = role_of(load, reader, move);
      if (!role || !use_.spread(load, move.src, /*writes=*/false, load, std::max(last, reader)))
        continue;
      last = std::max(last, reader);
      kernel(reader).move(*role, move.src);
    }
  }

  // Returns true if the host is not called between two instructions.
  bool is_one_section(uint32_t first, uint32_t last) const {
    for (uint32_t i = first + 1; i <= last; ++i)
      if (plan_.step(i).begins_section) return false;
    return true;
  }

  // Returns the operand of a kernel that the load brings for `reader`.
  std::optional<fast::Moved> role_of(uint32_t load, uint32_t reader, const PlainMove& move) const {
    if (is_addend(load, reader, move)) return fast::Moved::addend;
    const PlanStep& step = plan_.step(reader);
    if (step.kernel != nullptr && step.kernel->takes_moves(move.src)) {
      const OperandList all = operands(graph_.op(reader));
      if (is_input(load, reader, move, *all[1].view)) return fast::Moved::input;
      if (step.kernel->has_second_input() && is_input(load, reader, move, *all[2].view))
        return fast::Moved::addend;
    }
    if (!step.is_fused() || step.fused_into <= load ||
        plan_.step(step.fused_into).kernel == nullptr ||
        !kernel(step.fused_into).takes_moves(move.src) ||
        graph_.node(reader).writers != std::vector{load} ||
        !hold_same_elements(input_of(graph_.op(reader)), move.dst, plan_.local()))
      return {};
    return kernel(step.fused_into).fused_input(graph_.op(reader));
  }

  // Returns true if the loaded view is the whole of `input`, an operand of the kernel of `reader`.
  // It must be disjoint from the other operands and from what other instructions wrote for them.
  bool is_input(uint32_t load, uint32_t reader, const PlainMove& move,
                const TensorView& input) const {
    // Returns true if the selected local operands of an instruction are disjoint from the view.
    const auto are_disjoint = [&](uint32_t instruction, auto&& is_selected) {
      return std::ranges::all_of(operands(graph_.op(instruction)), [&](const Operand& operand) {
        return !is_selected(operand) || operand.view->space != Space::local ||
               fast::disjoint(*operand.view, move.dst, plan_.local());
      });
    };
    const auto is_other = [&](const Operand& operand) { return operand.view != &input; };
    const auto is_written = [](const Operand& operand) { return operand.access != Access::read; };
    if (!hold_same_elements(input, move.dst, plan_.local()) || !are_disjoint(reader, is_other))
      return false;
    return std::ranges::all_of(graph_.node(reader).writers, [&](uint32_t writer) {
      return writer == load ||
             (writer != ProgramGraph::kBefore && are_disjoint(writer, is_written));
    });
  }

  // Returns true if `reader` is the mul_const of a residual fused into a kernel that runs after the
  // load, and the load brings its addend.
  bool is_addend(uint32_t load, uint32_t reader, const PlainMove& move) const {
    const auto* mul = std::get_if<Elementwise>(&graph_.op(reader));
    const PlanStep& step = plan_.step(reader);
    return mul != nullptr && mul->kind == Elementwise::Kind::mul && step.is_fused() &&
           step.fused_into > load && graph_.node(reader).writers == std::vector{load} &&
           hold_same_elements(mul->a, move.dst, plan_.local());
  }

  // Fuses a store of the whole result of a kernel. The kernel writes the result there, instead of
  // to local memory or in addition to it.
  void fuse_store(uint32_t store, const PlainMove& move) {
    const auto& writers = graph_.node(store).writers;
    if (writers.size() != 1 || writers[0] == ProgramGraph::kBefore) return;
    const auto step = plan_.kernel_step(writers[0]);
    if (!step || !kernel(*step).takes_moves(move.dst)) return;
    if (!hold_same_elements(result_of(graph_.op(writers[0])), move.src, plan_.local())) return;
    const bool is_only_reader = graph_.feeds_only(writers[0], store);
    if (!is_only_reader && !kernel(*step).can_write_twice()) return;
    if (!use_.spread(store, move.dst, /*writes=*/true, *step, store)) return;
    kernel(*step).move(is_only_reader ? fast::Moved::result : fast::Moved::second_result, move.dst);
    plan_.step(store).fused_into = *step;
  }

  PlanBuilder& plan_;
  const ProgramGraph& graph_;
  GlobalUse use_;
};

}  // namespace

void fuse_dma(PlanBuilder& plan) {
  DmaFusion fusion(plan);
  for (uint32_t i = 0; i < plan.graph().size(); ++i)
    if (!plan.step(i).is_elided) fusion.fuse(i);
}

}  // namespace tputwin
