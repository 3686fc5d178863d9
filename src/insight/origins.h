// What the process knows of command buffers: where in the user's program their commands were made,
// and of which layers they are.
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
  std::string_view call;  // of static storage
  StackId stack = 0;
};
// What made a command, by its engine and its number there.
using Origin = std::map<std::pair<Engine, uint32_t>, Made>;

template <class Content>
class Known {
 public:
  void add(std::span<const uint8_t> commands, Content content) {
    std::lock_guard lock(mutex_);
    all_.push_front({{commands.begin(), commands.end()}, std::move(content)});
    if (all_.size() > kMost) all_.pop_back();
  }
  // Of a buffer with these bytes that is not long ago; empty: unknown.
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
  std::deque<Of> all_;  // the newest first
};

class Origins : public Known<Origin> {
 public:
  static Origins& of_process();
};

// Of networks, as their files say.
class Layers : public Known<bmodel::LayerRuns> {
 public:
  static Layers& of_process();
};

}  // namespace tputwin::insight
