// Marks of operations that an index, a mask or a table entry directs.
#include "ops/dependence/dependence.h"

namespace tputwin {
namespace {

// ---- index and mask ----

bool has_same_start(const TensorView& a, const TensorView& b) {
  return a.space == b.space && a.address == b.address;
}

// Returns true if the operand that chooses shares bytes with another source, or with a result that
// keeps old values. Its values and the marks of the other cannot both be in memory then.
bool shares_bytes(const OperandList& list, const TensorView& choice, const Chip& chip) {
  return std::any_of(list.begin(), list.end(), [&](const Operand& operand) {
    return operand.view != &choice && operand.access != Access::write &&
           (has_same_start(*operand.view, choice) || overlap_in_part(*operand.view, choice, chip));
  });
}

void pass_chosen(Gather op, MarkFlow& flow) {
  flow.choose("index_addr", op.index);
  if (shares_bytes(operands(op), op.index, flow.chip())) return pass_all(op, flow);
  op.fault = nullptr;
  op.fill = 0;  // a constant has no mark
  flow.move(op, footprint(op, flow.chip()), &op.index);
}

void pass_chosen(Scatter op, MarkFlow& flow) {
  flow.choose("index_addr", op.index);
  if (shares_bytes(operands(op), op.index, flow.chip())) return pass_all(op, flow);
  op.fault = nullptr;
  flow.move(op, footprint(op, flow.chip()), &op.index);
}

// Results that are positions and counts are made of the mask alone.
void pass_chosen(MaskSelect op, MarkFlow& flow) {
  using Kind = MaskSelect::Kind;
  const bool has_mask = op.kind != Kind::positions && op.kind != Kind::row_positions;
  flow.choose(has_mask ? "mask_addr" : "src_addr", has_mask ? op.mask : op.in);
  if (!has_mask) return;
  if (shares_bytes(operands(op), op.mask, flow.chip())) return pass_all(op, flow);
  op.chosen = nullptr;
  flow.move(op, footprint(op, flow.chip()), &op.mask, op.count ? &*op.count : nullptr);
}

// ---- tables ----

// Entries that elements choose, in the table of their lane. An undefined element makes its result
// undefined.
template <class Op>
void pass_entries(const Op& op, const TensorView& element, MarkFlow& flow) {
  const OperandList tables{{"table", &op.table, Access::read}};
  if (shares_bytes(tables, op.in, flow.chip())) return pass_all(op, flow);
  Op entries = op;
  if constexpr (requires { entries.fault; }) entries.fault = nullptr;
  flow.move(entries, footprint(op, flow.chip()), &entries.in);
  flow.store(op.out, flow.load(element));
}

void pass_looked_up(const L2Function& op, MarkFlow& flow) {
  if (op.kind == L2Function::Kind::lookup) {
    TensorView low = op.in;  // of a word only the low byte counts
    if (element_bytes(low.dtype) == 4) low.dtype = DType::u8;
    return pass_entries(op, low, flow);
  }
  ElementMarks marks = flow.load(op.in);
  marks.raise_all(flow.load(op.table).largest());
  flow.store(op.out, marks);
}

}  // namespace

void pass_choice(const Operation& operation, MarkFlow& flow) {
  if (const auto* gather = std::get_if<Gather>(&operation)) return pass_chosen(*gather, flow);
  if (const auto* scatter = std::get_if<Scatter>(&operation)) return pass_chosen(*scatter, flow);
  if (const auto* select = std::get_if<MaskSelect>(&operation)) pass_chosen(*select, flow);
}

void pass_table(const Operation& operation, MarkFlow& flow) {
  if (const auto* lut = std::get_if<Lut>(&operation)) return pass_entries(*lut, lut->in, flow);
  if (const auto* lookup = std::get_if<TableLookup>(&operation))
    return pass_entries(*lookup, lookup->in, flow);
  if (const auto* function = std::get_if<L2Function>(&operation)) pass_looked_up(*function, flow);
}

}  // namespace tputwin
