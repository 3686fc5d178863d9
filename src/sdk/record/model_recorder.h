// Records the kernels of a process into a bmodel: TPUTWIN_RECORD=FILE, or a directory, or `tputwin
// record`. docs/bmodel168x.md describes how a launch is stored in the file.
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

// A launch that the file contains.
struct Recorded {
  std::string name;  // of its net
  std::vector<Instruction> program;
  std::vector<Block> blocks;
  isa::EncodedStreams streams;  // with the addresses that the kernel used
  const Chip* chip = nullptr;
};

class Recorder {
 public:
  // Returns nullptr unless the environment enables recording.
  static Recorder* of_process();

  explicit Recorder(std::string path) : path_(std::move(path)) {}

  // Notes an allocation: offset from the base of global memory.
  void allocated(uint64_t begin);
  // Adds a launch that ended without an error. A launch that cannot become a net gives an error
  // line and no net.
  void take(Launch& launch);
  // As take(), but returns the error.
  Status add(Launch& launch);
  // Writes the launches recorded so far.
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
