// Dispatch to the families of dependence.def, and the small families.
#include "ops/dependence/dependence.h"

#include "ops/read_order.h"

namespace tputwin {
namespace {

enum class Family : uint8_t {
  elements,
  logic,
  selection,
  window,
  convolution,
  product,
  move,
  choice,
  table,
  channel_sum,
  all,
  nothing
};

template <class Op>
constexpr Family kFamily = Op::has_no_row_in_dependence_def;
#define TW_DEPENDENCE(Type, family) \
  template <>                       \
  constexpr Family kFamily<Type> = Family::family;
#include "ops/dependence/dependence.def"
#undef TW_DEPENDENCE
template <>
constexpr Family kFamily<CpuCall> = Family::nothing;  // the host orders and reports its accesses

// A constant that is copied has no marks.
void pass_move(const Operation& operation, MarkFlow& flow) {
  if (const auto* copy = std::get_if<Copy>(&operation); copy != nullptr && copy->src.is_constant)
    return;
  flow.move(operation, footprint(operation, flow.chip()));
}

void pass(Family family, const Operation& operation, MarkFlow& flow) {
  switch (family) {
    case Family::elements:
    case Family::logic:
    case Family::selection:
      return pass_elements(operation, flow);
    case Family::window:
    case Family::convolution:
      return pass_window(operation, flow);
    case Family::product:
      return pass_product(operation, flow);
    case Family::move:
      return pass_move(operation, flow);
    case Family::choice:
      return pass_choice(operation, flow);
    case Family::table:
      return pass_table(operation, flow);
    case Family::channel_sum:
      return pass_channel_sum(operation, flow);
    case Family::all:
      return pass_all(operation, flow);
    case Family::nothing:
      return;
  }
}

}  // namespace

void pass_all(const Operation& operation, MarkFlow& flow) {
  Mark mark = 0;
  const OperandList list = operands(operation);
  for (const Operand& operand : list)
    if (operand.access != Access::write) mark = std::max(mark, flow.load(*operand.view).largest());
  for (const Operand& operand : list) {
    if (operand.access == Access::read) continue;
    ElementMarks marks(operand.view->shape);
    marks.raise_all(mark);
    flow.store(*operand.view, marks);
  }
}

// The lanes that a mask keeps are not written, so the caller ignores their marks.
void pass_marks(const Operation& operation, MarkFlow& flow) {
  if (const auto* masked = std::get_if<MaskedLanes>(&operation))
    return pass_marks(*masked->operation, flow);
  // A result may depend on sources that it overwrites too early.
  if (!check_overlap(operation, flow.chip()).ok()) pass_all(operation, flow);
  pass_by_index(operation, flow);
}

void pass_by_index(const Operation& operation, MarkFlow& flow) {
  std::visit(
      [&](const auto& op) {
        using Op = std::decay_t<decltype(op)>;
        if constexpr (!std::is_same_v<Op, MaskedLanes>) pass(kFamily<Op>, operation, flow);
      },
      static_cast<const AnyOperation&>(operation));
}

}  // namespace tputwin
