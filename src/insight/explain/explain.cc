// Dispatches operations to their formulas. For operations without one, lists the operands.
#include "insight/explain/explain.h"

#include "insight/explain/formulas.h"
#include "numerics/float_mode.h"
#include "ops/read_order.h"

namespace tputwin::explain {
namespace {

std::string value_text(int32_t bits, DType type) {
  if (type == DType::b32) return fmt::format("{:#x}", static_cast<uint32_t>(bits));
  if (is_float(type)) return fmt::format("{}", float_value(static_cast<uint32_t>(bits), type));
  return fmt::format("{}", integer_value(bits, type));
}

bool has(const Shape& shape, const Shape& at) {
  return at.n < shape.n && at.c < shape.c && at.h < shape.h && at.w < shape.w;
}

// Writes the operand elements at the position of the result element. Operands without that position
// are described as a whole.
void write_operands(const Operation& op, const Memory& memory, const Shape& at, Paper& paper) {
  for (const Operand& operand : operands(op)) {
    if (operand.access == Access::write) continue;
    const TensorView& view = *operand.view;
    if (!has(view.shape, at)) {
      paper.line("{} {}", operand.name, tputwin::describe(view));
      continue;
    }
    const int32_t bits = memory.read(view, at.n, at.c, at.h, at.w);
    paper.line("{} {}", place(operand.name, at.n, at.c, at.h, at.w), value_text(bits, view.dtype));
  }
}

// Returns true if elements of the result share bytes.
bool repeats(const TensorView& out, const Chip& chip) {
  std::vector<ByteRange> ranges;
  add_ranges(out, chip, ranges);
  sort_and_merge(ranges);
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.end - range.begin;
  return bytes < out.shape.count() * element_bytes(out.dtype);
}

// Returns true if computing one element of the result may change operands of a later one.
bool overlaps(const Operation& op, const TensorView& out, const Chip& chip) {
  if (repeats(out, chip)) return true;
  if (reads_first(read_order(op))) return false;
  for (const Operand& operand : operands(op)) {
    TensorView read = *operand.view;
    // With 16-bit old values and 8-bit results, only the high plane is read and not written.
    if (operand.access != Access::read && old_value(read).dtype != read.dtype)
      read.address += read.plane_stride;
    if (operand.access != Access::write && overlap_in_part(read, out, chip)) return true;
  }
  return false;
}

// Returns true for a column of the tensor that is outside the matrix.
bool is_padding(const Operation& op, const Shape& at) {
  const auto outside = [&](const MatrixView& m) {
    return at.c * m.tensor.shape.w + at.w >= m.cols;
  };
  if (const auto* mac = std::get_if<MatrixMac>(&op)) return outside(mac->res);
  if (const auto* product = std::get_if<MatmulBm1684>(&op)) return outside(product->out);
  if (const auto* product = std::get_if<MatmulBm1684Int8>(&op)) return outside(product->out);
  return false;
}

template <class Op>
concept HasFormula = requires(const Op& op, const Memory& memory, Paper& paper) {
  formula(op, memory, Shape{}, paper);
};

}  // namespace

const TensorView* result_of(const Operation& op) {
  for (const Operand& operand : operands(op))
    if (operand.access != Access::read) return operand.view;
  return nullptr;
}

Explanation explain(const Operation& op, const Memory& memory, const Chip& chip, const Shape& at) {
  const TensorView* out = result_of(op);
  if (out == nullptr || !has(out->shape, at) || is_padding(op, at))
    return {.text = "  no element of the result\n"};
  Explanation explanation;
  Paper paper;
  std::visit(
      [&](const auto& held) {
        if constexpr (HasFormula<std::decay_t<decltype(held)>>) {
          const ScopedFloatMode mode;
          explanation.result = formula(held, memory, at, paper);
        }
      },
      static_cast<const AnyOperation&>(op));
  const std::string head = fmt::format("{}: {}\n", place("out", at.n, at.c, at.h, at.w), name(op));
  if (explanation.result) {
    explanation.result = wrap(*explanation.result, out->dtype);
    paper.line("result {}", value_text(*explanation.result, out->dtype));
  } else {
    write_operands(op, memory, at, paper);
    paper.line("(the formula of {} is not spelled out; these operands take part)", name(op));
  }
  explanation.overlaps = overlaps(op, *out, chip);
  if (explanation.overlaps)
    paper.line("(operands overlap the result: elements computed before may have changed them)");
  explanation.text = head + paper.text();
  return explanation;
}

}  // namespace tputwin::explain
