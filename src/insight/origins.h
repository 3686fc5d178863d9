// Known command buffers of the process: the calls of the user's program that made each command, and
// the layers that the commands belong to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "bmodel/bmodel.h"
#include "insight/stacks.h"
#include "ops/contract/contract.h"

namespace tputwin::insight {

struct Made {
  std::string_view call;  // in static storage
  StackId stack = 0;
};
// The calls that made the commands of a buffer, by engine and command number.
using Origin = std::map<std::pair<Engine, uint32_t>, Made>;

template <class Content>
class Known {
 public:
  void add(std::span<const uint8_t> commands, Content content) {
    std::lock_guard lock(mutex_);
    all_.push_front({{commands.begin(), commands.end()}, std::move(content)});
    if (all_.size() > kMost) all_.pop_back();
  }
  // Returns the content known for a recent buffer with these bytes; empty: unknown.
  Content find(std::span<const uint8_t> commands) const {
    std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        all_, [&](const Of& of) { return std::ranges::equal(of.commands, commands); });
    return known != all_.end() ? known->content : Content();
  }

 private:
  static constexpr size_t kMost = 64;
  struct Of {
    std::vector<uint8_t> commands;
    Content content;
  };
  mutable std::mutex mutex_;
  std::deque<Of> all_;  // newest first
};

class Origins : public Known<Origin> {
 public:
  static Origins& of_process();
};

// Layers of networks, as their files name them.
class Layers : public Known<bmodel::LayerRuns> {
 public:
  static Layers& of_process();
};

}  // namespace tputwin::insight
