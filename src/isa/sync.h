// Sequence numbers and waits: how the order that a program asks for (serial, parallel groups,
// streams, single dependencies) becomes the two ids every BD and GDMA command carries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin::isa {

// Numbers count per engine from 1 and start again after a CPU command and after the last number
// that fits 16 bits; all engines are idle at such a border, so nothing waits across it.
constexpr uint32_t kLastSequenceId = 0xffff;

// Whose commands one of an engine may have to wait for.
constexpr Engine other(Engine engine) {
  return engine == Engine::compute ? Engine::dma : Engine::compute;
}

class SyncTracker {
 public:
  using Node = size_t;  // commands in the order issued
  struct Ids {
    uint32_t id = 0;    // own number; 0 for CPU commands
    uint32_t wait = 0;  // number on the other engine; 0: none
    bool operator==(const Ids&) const = default;
  };

  Node add(Engine engine);
  // `after` must not start before `before` has finished. The direction is not checked.
  void add_dependency(Node before, Node after) { edges_.push_back({before, after}); }

  // Both start a new group: commands of a group wait for what was issued before it, not for each
  // other. Outside parallel mode each command is a group. Without effect while streams exist.
  void parallel_enable() { begin_group(true); }
  void parallel_disable() { begin_group(false); }

  // Commands of one stream are ordered; stream 0 is current. Everything issued before is before
  // all streams.
  void create_streams(size_t count);
  void set_stream(size_t index) { current_stream_ = index; }
  // Back to serial. The next command of each engine waits for all streams.
  void destroy_streams();
  size_t stream_count() const { return streams_.size(); }

  size_t size() const { return engines_.size(); }
  void reset() { *this = SyncTracker(); }

  // Ids of all commands so far.
  std::vector<Ids> resolve() const;

 private:
  using Latest = std::array<std::optional<Node>, 3>;  // by Engine
  struct Edge {
    Node before, after;
    bool always = false;  // counts even if another command has waited for `before` already
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
  std::array<bool, 3> after_streams_{};  // by Engine: its next command is the first since destroy
};

}  // namespace tputwin::isa
