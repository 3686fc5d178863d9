// Names of the tensors that commands use, in global memory of the net and in local memory of a part
// of it.
#pragma once

#include <string>
#include <vector>

#include "tools/lift/lifted_stage.h"

namespace tputwin::lift {

std::string type_name(DType dtype);  // "fp16"
std::string type_name(bmodel::bm168x::ElementType type);

// A tensor in a region of the net: compiled addresses [begin, end).
struct GlobalName {
  std::string name, comment;
  uint64_t begin, end;
  const Region* region;  // nullptr: outside the memory of the net
};

class GlobalNames {
 public:
  // Inputs and outputs have the names in the file. w0, w1 ... are the ranges of weights that
  // commands touch, act0, act1 ... the other ranges; overlapping ranges are merged.
  GlobalNames(const Stage& stage, const Chip& chip);

  const std::vector<GlobalName>& all() const { return names_; }
  // Returns the name of the tensor at or around an address; nullptr if there is none.
  const GlobalName* find(uint64_t address) const;
  // Returns "w3", "act0 + 0x40".
  std::string text(uint64_t address) const;

 private:
  std::vector<GlobalName> names_;
};

// Names of bytes of the NPUs' local memory in a part. Bytes that are loaded from one tensor, or
// stored to one, have its name; others are t0, t1 ... in the order of their first use.
class LocalNames {
 public:
  struct Name {
    std::string name, comment;
    uint64_t byte;
  };
  LocalNames(const std::vector<const Step*>& steps, const GlobalNames& globals, const Chip& chip);

  const std::vector<Name>& all() const { return names_; }
  // Returns "t3", "t3 + NPU(9)".
  std::string text(uint64_t address) const;

 private:
  const Name* find(uint64_t byte) const;

  uint64_t lane_bytes_;
  std::vector<Name> names_;
};

}  // namespace tputwin::lift
