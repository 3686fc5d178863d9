// Sums of floating-point products in the orders of the chips, printed term by term.
#pragma once

#include <array>
#include <string>

#include "insight/explain/paper.h"

namespace tputwin::explain {

// Adds products to two accumulators A and B alternately, and rounds each step to a type.
class AlternatingTerms {
 public:
  AlternatingTerms(Paper& paper, DType dtype, float first, float second, std::string name = "")
      : paper_(paper), dtype_(dtype), sums_{first, second}, name_(std::move(name)) {}

  void add(const std::string& left, float a, const std::string& right, float b) {
    const float product = round_to(f32::mul(a, b), dtype_);
    float& sum = sums_[next_];
    sum = round_to(f32::add(sum, product), dtype_);
    paper_.term(left, a, right, b, product, sum, name_ + (next_ == 0 ? "A" : "B"));
    next_ ^= 1;
  }
  void skip() { next_ ^= 1; }
  float first() const { return sums_[0]; }
  float second() const { return sums_[1]; }
  float total() { return printed(f32::add(sums_[0], sums_[1])); }
  float total_second_first() { return printed(f32::add(sums_[1], sums_[0])); }

 private:
  float printed(float sum) {
    paper_.line("{0}A + {0}B = {1}", name_, sum);
    return sum;
  }
  Paper& paper_;
  DType dtype_;
  std::array<float, 2> sums_;
  std::string name_;
  unsigned next_ = 0;
};

inline float added(Paper& paper, std::string_view what, float sum, float value) {
  const float result = f32::add(sum, value);
  paper.line("+ {} {} = {}", what, value, result);
  return result;
}

// Returns the bits of a result in its type.
inline int32_t rounded(Paper& paper, float value, DType dtype) {
  const uint32_t bits = float_bits(value, dtype);
  if (dtype != DType::f32) paper.line("as {}: {}", to_string(dtype), float_value(bits, dtype));
  return static_cast<int32_t>(bits);
}

}  // namespace tputwin::explain
