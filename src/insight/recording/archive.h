// Archives: convert values to bytes and back. Numbers are written in 7-bit groups, lowest first,
// and take as few bytes as they need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::insight::recording {

class Writer {
 public:
  static constexpr bool kReads = false;

  void number(uint64_t value);
  void bytes(std::span<const uint8_t> value);  // preceded by their count
  const std::vector<uint8_t>& written() const { return written_; }
  void clear() { written_.clear(); }

 private:
  std::vector<uint8_t> written_;
};

// After the first error it reads zeros only.
class Reader {
 public:
  static constexpr bool kReads = true;

  explicit Reader(std::span<const uint8_t> bytes) : left_(bytes) {}

  // Reads a number. Numbers above `most` are errors.
  uint64_t number(uint64_t most = UINT64_MAX);
  std::span<const uint8_t> bytes();
  bool at_end() const { return left_.empty(); }
  void fail(std::string why);
  bool failed() const { return !why_.empty(); }
  const std::string& why() const { return why_; }

 private:
  std::span<const uint8_t> left_;
  std::string why_;
};

}  // namespace tputwin::insight::recording
