// The parameters of a host operator as text, "nms iou_threshold=0.5": a name and key=value words,
// separated by blanks. Lists are numbers separated by commas.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::host {

// Reads the parameters of an operator. status() keeps the first error: a value that is no number or
// is out of range, or a key that the operator does not read.
class Parameters {
 public:
  static Result<Parameters> parse(std::string_view text);

  const std::string& name() const { return name_; }
  bool has(std::string_view key) const { return values_.contains(std::string(key)); }
  // Returns the value of a key, within [least, most]; `otherwise` if the key is missing.
  int64_t integer(std::string_view key, int64_t otherwise,
                  int64_t least = std::numeric_limits<int32_t>::min(),
                  int64_t most = std::numeric_limits<int32_t>::max());
  float number(std::string_view key, float otherwise,
               float least = -std::numeric_limits<float>::max(),
               float most = std::numeric_limits<float>::max());
  bool flag(std::string_view key, bool otherwise) { return integer(key, otherwise, 0, 1) != 0; }
  std::vector<float> list(std::string_view key);        // empty if the key is missing
  std::vector<int64_t> integers(std::string_view key);  // a list of integers below 2^24
  // Returns the index of the value among `words`; 0 if the key is missing.
  size_t word(std::string_view key, std::initializer_list<std::string_view> words);
  std::string text(std::string_view key);  // empty if the key is missing
  // Checks a rule that involves several parameters.
  void require(bool holds, std::string_view key, std::string_view rule);

  // Call after all parameters have been read.
  Status status() const;

 private:
  const std::string* find(std::string_view key);
  void fail(std::string_view key, std::string value, std::string rule);

  struct Value {
    std::string text;
    bool used = false;
  };
  std::string name_;
  std::map<std::string, Value> values_;
  Status status_;
};

}  // namespace tputwin::host
