// Writes and reads numbers and byte strings.
#include "insight/recording/archive.h"

#include <fmt/format.h>

namespace tputwin::insight::recording {

void Writer::number(uint64_t value) {
  for (; value >= 0x80; value >>= 7) written_.push_back(static_cast<uint8_t>(value | 0x80));
  written_.push_back(static_cast<uint8_t>(value));
}

void Writer::bytes(std::span<const uint8_t> value) {
  number(value.size());
  written_.insert(written_.end(), value.begin(), value.end());
}

uint64_t Reader::number(uint64_t most) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (left_.empty()) {
      fail("a number continues after the end");
      return 0;
    }
    const uint8_t next = left_.front();
    left_ = left_.subspan(1);
    value |= uint64_t{next & 0x7fu} << shift;
    if (next >= 0x80) continue;
    if (value <= most) return value;
    break;
  }
  fail(fmt::format("a number is larger than {}", most));
  return 0;
}

std::span<const uint8_t> Reader::bytes() {
  const uint64_t count = number();
  if (count > left_.size()) {
    fail(fmt::format("{} bytes are announced, {} are left", count, left_.size()));
    return {};
  }
  const auto found = left_.first(count);
  left_ = left_.subspan(count);
  return found;
}

void Reader::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  left_ = {};
}

}  // namespace tputwin::insight::recording
