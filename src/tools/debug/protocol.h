// Messages of the Debug Adapter Protocol: JSON after a header with its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/checked_json.h"

namespace tputwin::tools {

class ProtocolStream {
 public:
  ProtocolStream(int input, int output) : input_(input), output_(output) {}

  int input() const { return input_; }
  // Reads the bytes that have arrived; returns false at the end of the input.
  bool fill();
  // Returns the next complete message that has arrived.
  std::optional<CheckedJson> next();
  // Numbers a message and sends it.
  void send(CheckedJson message);

 private:
  int input_, output_;
  std::string read_;
  int sequence_ = 0;
};

}  // namespace tputwin::tools
