// Attributes: what an operation is besides its operands, as named values. An operation tells them
// once, and text, JSON, disassembly, traces and test descriptions are sinks of its telling.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// Text lives until the sink returns. A bool is true: what does not hold is not told.
using AttributeValue = std::variant<bool, int64_t, float, std::string_view>;

// Allocates nothing by itself; names are the same in every form.
class AttributeSink {
 public:
  void number(std::string_view name, int64_t value) { take(name, value); }
  void real(std::string_view name, float value) { take(name, value); }
  void word(std::string_view name, std::string_view value) { take(name, value); }
  // Only if it holds.
  void flag(std::string_view name, bool holds) {
    if (holds) take(name, true);
  }
  void bits(std::string_view name, uint32_t value);                             // 0x1f
  void extents(std::string_view name, std::initializer_list<uint32_t> values);  // 3x3
  void list(std::string_view name, std::initializer_list<uint32_t> values);     // 1,1,0,0
  // Kernel, and what differs from a plain window.
  void window(const Window& window);
  // The bits of a source that is a constant.
  void constant(std::string_view name, const Source& source) {
    if (source.is_constant) bits(name, source.constant);
  }
  // The same unless it is 0, which is as good as none.
  void parameter(std::string_view name, const Source& source) {
    if (source.constant != 0) constant(name, source);
  }
  // a and b of an element-wise operation.
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
