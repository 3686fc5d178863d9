// A BMKernel context: a command buffer under construction, the order of its commands, and the local
// memory of the tensors it returned. The runtime uses the growing kind.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "chip/chip.h"
#include "insight/origins.h"
#include "isa/bm1880_codec.h"
#include "isa/sync.h"
#include "sdk/bmkernel/local_tensors.h"

// A command of the current buffer; programs hold pointers to it.
struct ec_desc {
  size_t index;   // in order of issue
  size_t offset;  // of its record in the buffer
  tputwin::Engine engine;
};

namespace tputwin::bmkernel {

// Either the caller's memory, which can be full, or own memory that grows.
class CommandBuffer {
 public:
  CommandBuffer() : own_(64 * 1024) {}
  explicit CommandBuffer(std::span<uint8_t> memory) : fixed_(memory) {}

  // Returns space for `bytes` more; nullptr if there is none.
  uint8_t* append(size_t bytes);
  std::span<uint8_t> used();
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  std::span<uint8_t> fixed_;
  std::vector<uint8_t> own_;
  size_t size_ = 0;
};

// The issued commands, at stable addresses.
class CommandList {
 public:
  ec_desc* add(size_t offset, Engine engine);
  // Returns true if a pointer, possibly stale, is one of these.
  bool contains(const ec_desc* command) const;
  const ec_desc& operator[](size_t index) const {
    return (*chunks_[index / kChunk])[index % kChunk];
  }
  size_t size() const { return size_; }
  void clear();

 private:
  static constexpr size_t kChunk = 256;
  std::vector<std::unique_ptr<std::array<ec_desc, kChunk>>> chunks_;
  size_t size_ = 0;
};

class Context {
 public:
  Context(const Chip& chip, CommandBuffer buffer);

  const Chip& chip() const { return chip_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  LocalTensors& tensors() { return tensors_; }
  // Sets who learns of calls that break a rule, on the stack of the call: the buffer belongs to no
  // device yet.
  void on_refused(std::function<void(const Error&)> tell) { tell_ = std::move(tell); }
  void refuse(const Error& error) const {
    if (tell_) tell_(error);
  }

  // Appends one record. `call` must have static storage.
  Result<bmk1880_op_t*> append(const isa::Descriptor& descriptor, uint8_t flags,
                               std::string_view call);
  // Returns the number of commands since the last reset.
  size_t command_count() const { return commands_.size(); }
  // Writes the sequence ids into the records and returns the buffer. Returns an error if a call has
  // failed since the last reset, because the buffer then lacks a command.
  Result<std::span<uint8_t>> finish();
  // Serial mode, no commands, no errors; tensors stay.
  void reset();

  // Execution modes; all but the parallel ones may fail.
  Status parallel_enable();
  Status parallel_disable();
  Status create_streams(int count);
  Status destroy_streams();
  Status set_stream(int index);
  Status add_dependency(const bmk1880_op_t* before, const bmk1880_op_t* after);

 private:
  const Chip& chip_;
  CommandBuffer buffer_;
  CommandList commands_;
  std::vector<insight::Made> made_;  // sites of the commands, if checks need them
  isa::SyncTracker order_;
  LocalTensors tensors_;
  Diagnostics diagnostics_;
  std::function<void(const Error&)> tell_;
  int streams_ = 0;  // 0: none
  bool parallel_ = false;
};

// A context whose buffer grows with the commands; freed with bmk1880_cleanup.
bmk1880_context_t* create_context(const Chip& chip);

}  // namespace tputwin::bmkernel

struct bmk1880_context : tputwin::bmkernel::Context {
  using Context::Context;
};
