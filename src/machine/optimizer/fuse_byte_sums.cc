// Pass, BM1684X: fuses a residual of bytes into one kernel: the products of two inputs of bytes and
// constants, their sum in 16 bits or in bytes, and the cast of a sum of 16 bits. The kernel runs
// when the last instruction does, and writes its result only.
//
// Legal if
// - each instruction is the only reader of the results that it reads, except the inputs, and later
//   instructions overwrite all results but the last one;
// - no instruction between the first product and the last instruction writes an input.
//
//   before: 2 wide = mul(a)                      after: 2 mul: fused into 4
//           3 other = mul(b)                            3 mul: fused into 4
//           4 out = add(wide, other)                    4 add: kernel
#include <algorithm>
#include <array>

#include "machine/optimizer/passes.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

bool is_of_kind(const Operation& op, IntArithmetic::Kind kind) {
  const auto* arithmetic = std::get_if<IntArithmetic>(&op);
  return arithmetic != nullptr && arithmetic->kind == kind;
}

// Holds the instructions of a sum. `last` is the sum itself or its cast.
struct Instructions {
  uint32_t first, addend, add, last;
  bool contains(uint32_t i) const { return i == first || i == addend || i == add || i == last; }
};

// Returns the two products that the sum at `add` reads, in program order, if it alone reads them.
std::optional<std::array<uint32_t, 2>> products(const ProgramGraph& graph, uint32_t add) {
  std::vector<uint32_t> writers = graph.node(add).writers;
  std::ranges::sort(writers);
  if (writers.size() != 2 || writers[1] == ProgramGraph::kBefore) return {};
  for (const uint32_t writer : writers)
    if (!is_of_kind(graph.op(writer), IntArithmetic::Kind::mul) || !graph.feeds_only(writer, add))
      return {};
  return std::array{writers[0], writers[1]};
}

// Returns the instructions of a sum whose last one is `last`.
std::optional<Instructions> find_sum(const ProgramGraph& graph, uint32_t last) {
  uint32_t add = last;
  if (std::holds_alternative<Convert>(graph.op(last))) {
    const auto& writers = graph.node(last).writers;
    if (writers.size() != 1 || writers[0] == ProgramGraph::kBefore) return {};
    add = writers[0];
    if (!graph.feeds_only(add, last)) return {};
  }
  if (!is_of_kind(graph.op(add), IntArithmetic::Kind::add)) return {};
  const auto both = products(graph, add);
  if (!both) return {};
  return Instructions{.first = (*both)[0], .addend = (*both)[1], .add = add, .last = last};
}

bool keeps_inputs(const PlanBuilder& plan, const Instructions& sum) {
  const ProgramGraph& graph = plan.graph();
  for (uint32_t i = sum.first + 1; i < sum.last; ++i) {
    if (sum.contains(i)) continue;
    for (const Operand& operand : operands(graph.op(i)))
      for (const uint32_t product : {sum.first, sum.addend})
        if (operand.access != Access::read && operand.view->space == Space::local &&
            !fast::disjoint(*operand.view, input_of(graph.op(product)), plan.local()))
          return false;
  }
  return true;
}

void fuse(PlanBuilder& plan, const Instructions& sum) {
  const ProgramGraph& graph = plan.graph();
  PlanStep& step = plan.step(sum.last);
  if (!keeps_inputs(plan, sum)) return;
  auto kernel = fast::prepare({.first = &graph.op(sum.first),
                               .addend = &graph.op(sum.addend),
                               .add = &graph.op(sum.add),
                               .cast = sum.last == sum.add ? nullptr : &graph.op(sum.last)},
                              plan.memory());
  if (kernel == nullptr) return;
  step.kernel = std::move(kernel);
  for (const uint32_t i : {sum.first, sum.addend, sum.add}) {
    if (i == sum.last) continue;
    plan.step(i).kernel = nullptr;
    plan.step(i).fused_into = sum.last;
  }
}

}  // namespace

void fuse_byte_sums(PlanBuilder& plan) {
  for (uint32_t i = 0; i < plan.graph().size(); ++i)
    if (!plan.step(i).is_fused())
      if (const auto sum = find_sum(plan.graph(), i)) fuse(plan, *sum);
}

}  // namespace tputwin
