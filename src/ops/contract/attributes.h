// Attributes: named values that describe an operation in addition to its operands. An operation
// lists them once. Text, JSON, disassembly, traces and test descriptions are sinks of that list.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// The text is valid until the sink returns. A bool is always true: flags that do not hold are
// skipped.
using AttributeValue = std::variant<bool, int64_t, float, std::string_view>;

// Allocates nothing by itself. Names are the same in every output format.
class AttributeSink {
 public:
  void number(std::string_view name, int64_t value) { take(name, value); }
  void real(std::string_view name, float value) { take(name, value); }
  void word(std::string_view name, std::string_view value) { take(name, value); }
  // Adds the flag only if it holds.
  void flag(std::string_view name, bool holds) {
    if (holds) take(name, true);
  }
  void bits(std::string_view name, uint32_t value);                             // 0x1f
  void extents(std::string_view name, std::initializer_list<uint32_t> values);  // 3x3
  void list(std::string_view name, std::initializer_list<uint32_t> values);     // 1,1,0,0
  // Adds the kernel, and the numbers that differ from those of a plain window.
  void window(const Window& window);
  // Adds the bits of a source that is a constant.
  void constant(std::string_view name, const Source& source) {
    if (source.is_constant) bits(name, source.constant);
  }
  // As constant(), but skips 0, which has no effect.
  void parameter(std::string_view name, const Source& source) {
    if (source.constant != 0) constant(name, source);
  }
  // Adds the constants a and b of an element-wise operation.
  void constants(const Source& a, const Source& b) {
    constant("a", a);
    constant("b", b);
  }

 protected:
  ~AttributeSink() = default;

 private:
  virtual void take(std::string_view name, const AttributeValue& value) = 0;
  void joined(std::string_view name, std::initializer_list<uint32_t> values, char between);
};

}  // namespace tputwin
