// Finds the first NaN or infinity of a launch, and the operands that it was computed from.
#include <fmt/format.h>

#include "insight/checker.h"
#include "insight/recording/operand_values.h"
#include "ops/contract/kernel_steps.h"

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

// The operands of a command as they were before it ran.
class Before {
 public:
  Before(const Memory& memory, const OperandCopy& copy, const Operation& op)
      : memory_(memory), copy_(copy), list_(operands(op)) {}

  // Returns the first operand with an element for which `holds` is true.
  template <class Holds>
  const Operand* find(Holds holds, Shape& index) const {
    for (const Operand& operand : list_) {
      const TensorView& view = *operand.view;
      if (operand.access == Access::write || !is_float(view.dtype)) continue;
      const auto found = first_element(view, [&](const Shape& at) {
        return holds(static_cast<uint32_t>(copy_.read(memory_, view, at)), view.dtype);
      });
      if (!found) continue;
      index = *found;
      return &operand;
    }
    return nullptr;
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

 private:
  const Memory& memory_;
  const OperandCopy& copy_;
  const OperandList list_;
};

const char* remedy(FindingKind kind) {
  switch (kind) {
    case FindingKind::nan_made:
      return "a bound of the operands before the command: of a divisor, a root, a difference of "
             "infinities";
    case FindingKind::infinity_made:
      return "a bound or a scale of the operands before the command, or a wider type of the result";
    default:
      return "numbers where the operand comes from: in the host, or in the command that wrote it";
  }
}

}  // namespace

void Checker::check_numbers(CommandId id, const Operation& op) {
  if (!before_.is_taken() || numbers_found_) return;
  before_.drop();
  const Memory memory = memory_to_read(device_);
  const OperandList list = operands(op);
  const TensorView& out = *list[0].view;
  if (all_finite(memory, chip_, out)) return;
  const auto bits = [&](const Shape& at) {
    return static_cast<uint32_t>(memory.read(out, at.n, at.c, at.h, at.w));
  };
  const auto nan =
      first_element(out, [&](const Shape& at) { return is_nan_bits(bits(at), out.dtype); });
  const auto special = nan ? nan : first_element(out, [&](const Shape& at) {
    return !is_finite_bits(bits(at), out.dtype);
  });
  if (!special) return;
  const Before before(memory, before_, op);
  Shape at;
  const Operand* source = before.find(is_nan_bits, at);
  const bool has_infinity = source == nullptr && before.find(is_infinity_bits, at) != nullptr;
  if (source == nullptr && !nan && has_infinity) return;  // an operand was infinite already
  const FindingKind kind = source != nullptr ? FindingKind::nan_read
                           : nan             ? FindingKind::nan_made
                                             : FindingKind::infinity_made;
  numbers_found_ = true;
  // Data may contain special values on purpose: NaN in tests, infinities in masks.
  if (kind != FindingKind::nan_made && !may_be_mistake(id, Check::numbers)) return;
  if (is_known(kind, id, 0)) return;
  std::string note =
      source != nullptr
          ? fmt::format("{} {} was NaN before", source->name, describe(at))
          : fmt::format("{} {} becomes {}{}", list[0].name, describe(*special),
                        recording::describe_value(static_cast<int32_t>(bits(*special)), out.dtype),
                        before.values(*special));
  const ByteRange where =
      source != nullptr ? range_of(memory, *source->view, at) : range_of(memory, out, *special);
  add({.kind = kind,
       .actor = actor(id, "computes:"),
       .other = {},
       .place = place({where}),
       .missing = remedy(kind),
       .note = std::move(note)});
}

}  // namespace tputwin::insight
