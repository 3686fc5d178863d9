// tputwin lift: a network of a bmodel back as a kernel that people can read, change and run.
#pragma once

#include <string>

#include "bmodel/bm168x/model.h"
#include "tools/lift/kernel_text.h"

namespace tputwin::lift {

struct Options {
  std::string net;  // "": the only one
  size_t stage = 0;
  std::string kernel;      // "": made of the net's name
  std::string model;       // what the texts call the file
  uint64_t binary_at = 0;  // where the binary part begins in it
};

struct Program {
  std::string kernel, host;
  Tally tally;
};

Result<Program> lift(const bmodel::bm168x::File& file, const Options& options);
// The same with a recorder that serves many.
Result<Program> lift(const bmodel::bm168x::File& file, const Options& options, Recorder& recorder);

}  // namespace tputwin::lift
