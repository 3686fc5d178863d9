// Messages of the Debug Adapter Protocol: JSON behind a header with its length.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tputwin::tools {

class ProtocolStream {
 public:
  ProtocolStream(int input, int output) : input_(input), output_(output) {}

  int input() const { return input_; }
  // Takes what has come; false at the end of the input.
  bool fill();
  // The next whole message that has come.
  std::optional<nlohmann::json> next();
  // Numbers a message and sends it.
  void send(nlohmann::json message);

 private:
  int input_, output_;
  std::string read_;
  int sequence_ = 0;
};

}  // namespace tputwin::tools
