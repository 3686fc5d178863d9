// Comparison of raw values: the differences, and the similarity of both.
#include "tools/compare.h"

#include "base/errors/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tputwin::tools {
namespace {

size_t element_bytes(Element element) { return element == Element::int8 ? 1 : 4; }

double value_at(std::span<const uint8_t> bytes, Element element, size_t index) {
  if (element == Element::int8) return static_cast<int8_t>(bytes[index]);
  float value;
  std::memcpy(&value, bytes.data() + 4 * index, sizeof value);
  return value;
}

// Equal infinities are no difference, nor are two NaN.
bool differ(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  return a != b && !(std::abs(a - b) <= tolerance);
}

Error bad_size(const char* what, size_t size, std::string detail) {
  return Error(errors::cli_compare_size)
      .argument(what, fmt::format("{} bytes", size))
      .detail(std::move(detail));
}

}  // namespace

Result<Comparison> compare(std::span<const uint8_t> first, std::span<const uint8_t> second,
                           Element element, double tolerance) {
  if (first.size() != second.size())
    return bad_size("first", first.size(), fmt::format("the second has {}", second.size()));
  if (first.size() % element_bytes(element) != 0) return bad_size("size", first.size(), "fp32");
  Comparison result{.count = first.size() / element_bytes(element)};
  double dot = 0, norm_a = 0, norm_b = 0;
  for (size_t i = 0; i < result.count; ++i) {
    double a = value_at(first, element, i), b = value_at(second, element, i);
    dot += a * b;
    norm_a += a * a;
    norm_b += b * b;
    if (differ(a, b, tolerance)) result.differences.push_back({i, a, b});
  }
  if (norm_a > 0 && norm_b > 0)
    result.similarity = dot / std::sqrt(norm_a * norm_b);
  else
    result.similarity = norm_a == norm_b ? 1 : 0;
  return result;
}

std::string differences_text(const Comparison& comparison, size_t limit) {
  std::string text;
  size_t shown = std::min(limit, comparison.differences.size());
  for (size_t i = 0; i < shown; ++i) {
    const Difference& d = comparison.differences[i];
    text += fmt::format("  {}: {} expected {}\n", d.index, d.first, d.second);
  }
  if (size_t rest = comparison.differences.size() - shown; rest > 0)
    text += fmt::format("  ... and {} more\n", rest);
  return text;
}

Result<std::string> dump(std::span<const uint8_t> bytes, Element element) {
  if (bytes.size() % element_bytes(element) != 0) return bad_size("size", bytes.size(), "fp32");
  std::string text;
  for (size_t i = 0; i < bytes.size() / element_bytes(element); ++i)
    text += fmt::format("{}: {}\n", i, value_at(bytes, element, i));
  return text;
}

}  // namespace tputwin::tools
