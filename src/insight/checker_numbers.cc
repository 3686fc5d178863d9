// Finds the commands that make NaN or infinities, and the operands that they were computed from.
#include <fmt/format.h>

#include "insight/checker.h"
#include "insight/recording/operand_values.h"
#include "ops/contract/kernel_steps.h"
#include "ops/dependence/mark_flow.h"

namespace tputwin::insight {
namespace {

// Returns the first element of a view for which `holds` is true.
template <class Holds>
std::optional<Shape> first_element(const TensorView& view, Holds holds) {
  for (uint32_t n = 0; n < view.shape.n; ++n)
    for (uint32_t c = 0; c < view.shape.c; ++c)
      for (uint32_t h = 0; h < view.shape.h; ++h)
        for (uint32_t w = 0; w < view.shape.w; ++w)
          if (holds(Shape{n, c, h, w})) return Shape{n, c, h, w};
  return std::nullopt;
}

using IsSpecial = bool (*)(uint32_t bits, DType dtype);

// An element of an operand.
struct OperandElement {
  const Operand* operand;
  Shape index;
};

// The operands of a command as they were before it ran.
class Before {
 public:
  Before(const Memory& memory, const OperandCopy& copy, const Operation& op)
      : memory_(memory), copy_(copy), list_(operands(op)) {}

  // Returns an operand element that is special and that a result element depends on: the one of the
  // same index or, of windows and matrices, any one.
  std::optional<OperandElement> find(IsSpecial is_special, const Shape& result) {
    for (size_t i = 0; i < list_.size(); ++i) {
      const TensorView& view = *list_[i].view;
      if (list_[i].access == Access::write || !is_float(view.dtype)) continue;
      if (const auto at = recording::goes_with(view.shape, list_[0].view->shape, result)) {
        if (is_special(bits(view, *at), view.dtype)) return OperandElement{&list_[i], *at};
      } else if (const auto any = first(i, is_special)) {
        return OperandElement{&list_[i], *any};
      }
    }
    return std::nullopt;
  }

  // Returns ", src_addr (0,1,2,3) is 0 (0x0)" for each operand element of a result element.
  std::string values(const Shape& index) const {
    std::string text;
    for (const Operand& operand : list_) {
      if (operand.access == Access::write) continue;
      const TensorView& view = *operand.view;
      const auto at = recording::goes_with(view.shape, list_[0].view->shape, index);
      if (!at) continue;
      text += fmt::format(", {} {} is {}", operand.name, describe(*at),
                          recording::describe_value(copy_.read(memory_, view, *at), view.dtype));
    }
    return text;
  }
  const Operand& result() const { return list_[0]; }

 private:
  uint32_t bits(const TensorView& view, const Shape& at) const {
    return static_cast<uint32_t>(copy_.read(memory_, view, at));
  }
  // Returns the first special element of an operand.
  std::optional<Shape> first(size_t operand, IsSpecial is_special) {
    const auto [known, is_new] = first_.try_emplace({operand, is_special});
    const TensorView& view = *list_[operand].view;
    if (is_new)
      known->second = first_element(
          view, [&](const Shape& at) { return is_special(bits(view, at), view.dtype); });
    return known->second;
  }

  const Memory& memory_;
  const OperandCopy& copy_;
  const OperandList list_;
  std::map<std::pair<size_t, IsSpecial>, std::optional<Shape>> first_;
};

// A NaN or an infinity among the results, and what it was made of.
struct Special {
  FindingKind kind;
  Shape index;
  int32_t value;
  std::optional<OperandElement> source = {};
};

// Returns nullopt for an infinity that is made of an infinity.
std::optional<Special> special_of(Before& before, const Shape& index, int32_t value) {
  const DType dtype = before.result().view->dtype;
  const auto bits = static_cast<uint32_t>(value);
  if (const auto source = before.find(is_nan_bits, index))
    return Special{FindingKind::nan_read, index, value, source};
  if (is_nan_bits(bits, dtype)) return Special{FindingKind::nan_made, index, value};
  if (before.find(is_infinity_bits, index)) return std::nullopt;
  return Special{FindingKind::infinity_made, index, value};
}

std::string describe(const Special& special, const Before& before) {
  if (special.source)
    return fmt::format("{} {} was NaN before", special.source->operand->name,
                       describe(special.source->index));
  return fmt::format("{} {} becomes {}{}", before.result().name, describe(special.index),
                     recording::describe_value(special.value, before.result().view->dtype),
                     before.values(special.index));
}

}  // namespace

// Returns the elements of a result that have a trace already: those made of undefined values, or of
// earlier NaN and infinities.
ElementMarks Checker::explained_elements(const TensorView& out) const {
  std::vector<ByteRange> ranges;
  for (const TracedBytes& result : results_) ranges.push_back(result.bytes);
  sort_and_merge(ranges);
  std::vector<MarkedBytes> marked;
  for (const ByteRange& range : ranges) marked.push_back({range, Mark{1}});
  return load_marks(out, chip_, MarkedMemory(chip_, marked));
}

// Adds the roots of NaN and infinities that a command makes: one for each kind.
void Checker::check_numbers(CommandId id, const Operation& op) {
  if (!before_.is_taken()) return;
  before_.drop();
  const Memory memory = memory_to_read(device_);
  const OperandList list = operands(op);
  const TensorView& out = *list[0].view;
  if (all_finite(memory, chip_, out)) return;
  const ElementMarks explained = explained_elements(out);
  Before before(memory, before_, op);
  std::map<FindingKind, std::pair<Special, ElementMarks>> made;
  for_each_index(out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t value = memory.read(out, n, c, h, w);
    if (is_finite_bits(static_cast<uint32_t>(value), out.dtype) || explained.at(n, c, h, w) != 0)
      return;
    const auto special = special_of(before, {n, c, h, w}, value);
    if (!special) return;
    const auto at = made.try_emplace(special->kind, *special, ElementMarks(out.shape)).first;
    at->second.second.raise(n, c, h, w, 1);
  });
  for (const auto& [kind, of_kind] : made) {
    // Data may contain special values on purpose: NaN in tests, infinities in masks.
    if (kind != FindingKind::nan_made && !is_to_report(id, Check::numbers)) continue;
    const auto& [special, marks] = of_kind;
    const ByteRange where =
        special.source ? range_of(memory, *special.source->operand->view, special.source->index)
                       : range_of(memory, out, special.index);
    const TraceId trace = add_root({.kind = kind,
                                    .command = id,
                                    .place = place({where}),
                                    .note = describe(special, before),
                                    .is_meant = kind != FindingKind::nan_made && is_of_file(id),
                                    .is_passed_on = true});
    std::vector<MarkedBytes> results;
    store_marks(out, chip_, marks, results);
    for (const MarkedBytes& result : results) results_.push_back({result.bytes, trace});
  }
}

}  // namespace tputwin::insight
