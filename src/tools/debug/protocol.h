// Messages of the Debug Adapter Protocol: JSON behind a header with its length.
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
  // Takes what has come; false at the end of the input.
  bool fill();
  // The next whole message that has come.
  std::optional<CheckedJson> next();
  // Numbers a message and sends it.
  void send(CheckedJson message);

 private:
  int input_, output_;
  std::string read_;
  int sequence_ = 0;
};

}  // namespace tputwin::tools
