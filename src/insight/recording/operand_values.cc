// Formats values as text, with their bits where numbers alone would hide differences.
#include "insight/recording/operand_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/contract/kernel_steps.h"

namespace tputwin::insight::recording {

std::string describe_value(int32_t value, DType dtype) {
  const auto bits = static_cast<uint32_t>(value);
  if (is_float(dtype)) return fmt::format("{} ({:#x})", float_value(bits, dtype), bits);
  if (dtype == DType::b32) return fmt::format("{:#x}", bits);
  return fmt::format("{}", integer_value(value, dtype));
}

std::optional<Shape> goes_with(const Shape& operand, const Shape& result, const Shape& index) {
  const auto along = [](uint32_t own, uint32_t of_result, uint32_t at) -> std::optional<uint32_t> {
    if (own == 1) return 0;
    return own == of_result ? std::optional(at) : std::nullopt;
  };
  const auto n = along(operand.n, result.n, index.n), c = along(operand.c, result.c, index.c),
             h = along(operand.h, result.h, index.h), w = along(operand.w, result.w, index.w);
  if (!n || !c || !h || !w) return std::nullopt;
  return Shape{*n, *c, *h, *w};
}

namespace {

size_t place_of(const Shape& shape, const Shape& index) {
  return ((size_t{index.n} * shape.c + index.c) * shape.h + index.h) * shape.w + index.w;
}

Shape index_of(const Shape& shape, size_t place) {
  Shape index;
  index.w = static_cast<uint32_t>(place % shape.w);
  index.h = static_cast<uint32_t>(place / shape.w % shape.h);
  index.c = static_cast<uint32_t>(place / shape.w / shape.h % shape.c);
  index.n = static_cast<uint32_t>(place / shape.w / shape.h / shape.c);
  return index;
}

std::string both(const OperandValues& a, const OperandValues& b, size_t place) {
  const std::string of_a = describe_value(a.values[place], a.view.dtype),
                    of_b = describe_value(b.values[place], b.view.dtype);
  return of_a == of_b ? fmt::format("{} on both sides", of_a)
                      : fmt::format("A {}, B {}", of_a, of_b);
}

size_t count_differences(const OperandValues& a, const OperandValues& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.values.size(); ++i) count += a.values[i] != b.values[i];
  return count;
}

bool is_comparable(const OperandValues& a, const OperandValues& b) {
  return a.view.shape == b.view.shape;
}

}  // namespace

std::vector<OperandValues> values_of(const Memory& memory, const Operation& operation) {
  std::vector<OperandValues> all;
  for (const Operand& operand : operands(operation)) {
    const bool adds = operand.access == Access::read_write;
    OperandValues values{.name = std::string(operand.name),
                         .is_read = operand.access == Access::read || adds,
                         .view = *operand.view,
                         .values = {}};
    values.values.reserve(values.view.shape.count());
    for_each_index(values.view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      values.values.push_back(memory.read(values.view, n, c, h, w));
    });
    all.push_back(std::move(values));
  }
  return all;
}

std::optional<Element> first_difference(const std::vector<OperandValues>& a,
                                        const std::vector<OperandValues>& b) {
  if (a.empty() || b.empty() || !is_comparable(a[0], b[0])) return std::nullopt;
  const auto [at, of_b] = std::ranges::mismatch(a[0].values, b[0].values);
  if (at == a[0].values.end()) return std::nullopt;
  const auto place = static_cast<size_t>(at - a[0].values.begin());
  return Element{place, index_of(a[0].view.shape, place), a[0].view.shape};
}

std::string describe_difference(const OperandValues& a, const OperandValues& b,
                                const Element& element) {
  return fmt::format("result {} {}: {}; {} of {} elements differ", a.name, describe(element.index),
                     both(a, b, element.place), count_differences(a, b), a.values.size());
}

std::string describe_mismatch(const std::vector<OperandValues>& a,
                              const std::vector<OperandValues>& b) {
  if (a.empty() || b.empty()) return "the host computes it on one side, or on both";
  if (!is_comparable(a[0], b[0]))
    return fmt::format("the results have other extents: A {}, B {}", describe(a[0].view),
                       describe(b[0].view));
  return "its first result is the same when it is repeated: others differ, or only the recordings";
}

std::string describe_operand(const OperandValues& a, const OperandValues& b,
                             const Element& element) {
  if (!is_comparable(a, b))
    return fmt::format("{}: A {}, B {}", a.name, describe(a.view.shape), describe(b.view.shape));
  const size_t differ = count_differences(a, b);
  const std::string whole = differ == 0
                                ? fmt::format("all {} elements equal", a.values.size())
                                : fmt::format("{} of {} elements differ", differ, a.values.size());
  std::optional<Shape> index = goes_with(a.view.shape, element.of, element.index);
  if (!index && differ == 0) return fmt::format("{}: {}", a.name, whole);
  size_t place = 0;
  if (index)
    place = place_of(a.view.shape, *index);
  else  // the first difference may be the reason
    while (a.values[place] == b.values[place]) ++place;
  return fmt::format("{} {}: {}; {}", a.name, describe(index_of(a.view.shape, place)),
                     both(a, b, place), whole);
}

}  // namespace tputwin::insight::recording
