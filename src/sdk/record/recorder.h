// Records the kernels of a process into a bmodel: TPUTWIN_RECORD=FILE, or a directory, or
// `tputwin record`. docs/bmodel168x.md says what of a launch becomes what of the file.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isa/streams/encode.h"
#include "sdk/record/launch.h"

namespace tputwin::record {

// A launch that the file has.
struct Recorded {
  std::string name;  // of its net
  std::vector<Instruction> program;
  std::vector<Block> blocks;
  isa::EncodedStreams streams;  // as the kernel addressed its memory
  const Chip* chip = nullptr;
};

class Recorder {
 public:
  // nullptr unless the environment asks for a recording.
  static Recorder* of_process();

  explicit Recorder(std::string path) : path_(std::move(path)) {}

  // Memory was allocated there: offsets from the base of global memory.
  void allocated(uint64_t begin);
  // A launch ended without an error. What cannot be a net is an error line, and no net.
  void take(Launch& launch);
  // The same, with the error.
  Status add(Launch& launch);
  // What was recorded so far.
  Status write() const;

 private:
  bool is_known(const Recorded& candidate) const;

  const std::string path_;
  mutable std::mutex mutex_;
  ByteSet starts_;
  std::vector<Recorded> launches_;
  std::map<std::string, size_t> names_;
};

}  // namespace tputwin::record
