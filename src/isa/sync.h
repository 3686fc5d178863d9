// Sequence numbers and waits. Converts the order that a program asks for (serial, parallel groups,
// streams, single dependencies) to the two ids of every BD and GDMA command.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin::isa {

// Numbers count per engine from 1. They restart after a CPU command, and after the last number that
// fits 16 bits. All engines are idle at such a border, so no command waits across it.
constexpr uint32_t kLastSequenceId = 0xffff;

// Returns the engine whose commands a command of `engine` may have to wait for.
constexpr Engine other(Engine engine) {
  return engine == Engine::compute ? Engine::dma : Engine::compute;
}

class SyncTracker {
 public:
  using Node = size_t;  // index of a command in issue order
  struct Ids {
    uint32_t id = 0;    // own number; 0 for CPU commands
    uint32_t wait = 0;  // number on the other engine; 0: none
    bool operator==(const Ids&) const = default;
  };

  Node add(Engine engine);
  // `after` must not start before `before` has finished. The direction is not checked.
  void add_dependency(Node before, Node after) { edges_.push_back({before, after}); }

  // parallel_enable() and parallel_disable() start a new group. Commands of a group wait for
  // commands issued before it, not for each other. Outside parallel mode each command is a group.
  // The calls have no effect while streams exist.
  void parallel_enable() { begin_group(true); }
  void parallel_disable() { begin_group(false); }

  // Commands of one stream are ordered, and stream 0 is current. All streams follow everything
  // issued before.
  void create_streams(size_t count);
  void set_stream(size_t index) { current_stream_ = index; }
  // Returns to serial mode. The next command of each engine waits for all streams.
  void destroy_streams();
  size_t stream_count() const { return streams_.size(); }

  size_t size() const { return engines_.size(); }
  void reset() { *this = SyncTracker(); }

  // Returns the ids of all commands so far.
  std::vector<Ids> resolve() const;

 private:
  using Latest = std::array<std::optional<Node>, 3>;  // by Engine
  struct Edge {
    Node before, after;
    // Applies even if another command has waited for `before` already.
    bool always = false;
  };

  void begin_group(bool parallel);
  std::optional<Node> predecessor(Engine other) const;
  std::vector<size_t> number(std::vector<Ids>& ids) const;  // returns segment numbers

  std::vector<Engine> engines_;
  std::vector<Edge> edges_;
  Latest latest_, group_;
  bool parallel_ = false;
  std::vector<std::optional<Node>> streams_;  // last command of each stream
  size_t current_stream_ = 0;
  // By Engine: its next command is the first one since destroy_streams().
  std::array<bool, 3> after_streams_{};
};

}  // namespace tputwin::isa
