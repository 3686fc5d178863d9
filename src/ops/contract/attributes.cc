// Text of attributes that are not a plain number or word.
#include "ops/contract/attributes.h"

#include <fmt/format.h>

#include <array>

namespace tputwin {

void AttributeSink::bits(std::string_view name, uint32_t value) {
  std::array<char, 16> text;
  const char* end = fmt::format_to_n(text.data(), text.size(), "{:#x}", value).out;
  word(name, {text.data(), end});
}

void AttributeSink::joined(std::string_view name, std::initializer_list<uint32_t> values,
                           char between) {
  std::array<char, 64> text;  // fits five of the longest numbers
  char* end = text.data();
  for (const uint32_t& value : values) {
    if (&value != values.begin()) *end++ = between;
    end = fmt::format_to_n(end, text.end() - end, "{}", value).out;
  }
  word(name, {text.data(), end});
}

void AttributeSink::extents(std::string_view name, std::initializer_list<uint32_t> values) {
  joined(name, values, 'x');
}

void AttributeSink::list(std::string_view name, std::initializer_list<uint32_t> values) {
  joined(name, values, ',');
}

void AttributeSink::window(const Window& window) {
  const Axis &h = window.h, &w = window.w;
  extents("kernel", {h.kernel, w.kernel});
  if (h.stride != 1 || w.stride != 1) extents("stride", {h.stride, w.stride});
  if (h.dilation != 1 || w.dilation != 1) extents("dilation", {h.dilation, w.dilation});
  if (h.pad_before || h.pad_after || w.pad_before || w.pad_after)
    list("pad", {h.pad_before, h.pad_after, w.pad_before, w.pad_after});
  if (h.insert || h.insert_last || w.insert || w.insert_last)
    list("insert", {h.insert, h.insert_last, w.insert, w.insert_last});
  constexpr std::string_view kPads[] = {"", "reflected", "edge", "circular"};
  if (window.pads != PadMode::constant) word("pads", kPads[static_cast<size_t>(window.pads)]);
}

}  // namespace tputwin
