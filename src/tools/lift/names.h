// Names of the tensors that commands touch, in global memory of the net and in local memory of a
// part of it.
#pragma once

#include <string>
#include <vector>

#include "tools/lift/stage.h"

namespace tputwin::lift {

std::string type_name(DType dtype);  // "fp16"
std::string type_name(bmodel::bm168x::ElementType type);

// A tensor in a region of the net: compiled addresses [begin, end).
struct GlobalName {
  std::string name, comment;
  uint64_t begin, end;
  const Region* region;  // nullptr: no memory of the net
};

class GlobalNames {
 public:
  // Inputs and outputs are what the file says; w0, w1 ... and act0, act1 ... what commands touch of
  // weights and of the rest, ranges that overlap as one.
  GlobalNames(const Stage& stage, const Chip& chip);

  const std::vector<GlobalName>& all() const { return names_; }
  // The name at or around an address; nullptr: none.
  const GlobalName* find(uint64_t address) const;
  // "w3", "act0 + 0x40".
  std::string text(uint64_t address) const;

 private:
  std::vector<GlobalName> names_;
};

// Bytes of the NPUs' local memory in a part: those that are loaded from one tensor, or stored to
// one, have its name, others are t0, t1 ... in the order of their first use.
class LocalNames {
 public:
  struct Name {
    std::string name, comment;
    uint64_t byte;
  };
  LocalNames(const std::vector<const Step*>& steps, const GlobalNames& globals, const Chip& chip);

  const std::vector<Name>& all() const { return names_; }
  // "t3", "t3 + NPU(9)".
  std::string text(uint64_t address) const;

 private:
  const Name* find(uint64_t byte) const;

  uint64_t lane_bytes_;
  std::vector<Name> names_;
};

}  // namespace tputwin::lift
