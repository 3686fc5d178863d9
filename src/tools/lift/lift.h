// tputwin lift: converts a network of a bmodel to a kernel that people can read, change and run.
#pragma once

#include <string>

#include "bmodel/bm168x/model.h"
#include "tools/lift/kernel_text.h"

namespace tputwin::lift {

struct Options {
  std::string net;  // "": the only one
  size_t stage = 0;
  std::string kernel;      // "": from the net's name
  std::string model;       // name of the file in the texts
  uint64_t binary_at = 0;  // offset of the binary part in it
};

struct Program {
  std::string kernel, host;
  Tally tally;
};

Result<Program> lift(const bmodel::bm168x::File& file, const Options& options);
// As lift(), with a recorder that several lifts share.
Result<Program> lift(const bmodel::bm168x::File& file, const Options& options, Recorder& recorder);

}  // namespace tputwin::lift
