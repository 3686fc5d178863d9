// Origins: where in the user's program the commands of a command buffer were made.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "insight/stacks.h"
#include "ops/contract/contract.h"

namespace tputwin::insight {

struct Made {
  std::string_view call;  // of static storage
  StackId stack = 0;
};
// What made a command, by its engine and its number there.
using Origin = std::map<std::pair<Engine, uint32_t>, Made>;

class Origins {
 public:
  static Origins& of_process();

  void add(std::span<const uint8_t> commands, Origin origin);
  // Of a buffer with these bytes that is not long ago; empty: unknown.
  Origin find(std::span<const uint8_t> commands) const;

 private:
  static constexpr size_t kMost = 64;
  struct Known {
    std::vector<uint8_t> commands;
    Origin origin;
  };
  mutable std::mutex mutex_;
  std::deque<Known> known_;  // the newest first
};

}  // namespace tputwin::insight
