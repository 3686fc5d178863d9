// Where the commands of a group may run beside each other, and where a network's parts end.
#pragma once

#include "tools/lift/names.h"

namespace tputwin::lift {

// Commands of both engines that do not wait for each other; a parallel section, if there are any of
// both.
struct Section {
  std::vector<const Step*> steps;
  bool is_parallel() const;
};

// Sections one after the other, each waiting for everything before it, keep every wait of the
// group: a section ends before the first command that waits for one inside it, or that touches
// bytes of an earlier one of the other engine.
std::vector<Section> sections_of(const Group& group, const Chip& chip);

// What becomes a function. It ends with its group, before what it stored is loaded again, which is
// where a layer ends and a section, too, or when it has become long.
struct Part {
  const Group* group;
  std::vector<Section> sections;
  std::vector<std::string> reads, writes;  // names of global memory

  std::vector<const Step*> steps() const;
};
std::vector<Part> parts_of(const Stage& stage, const GlobalNames& globals, const Chip& chip);

}  // namespace tputwin::lift
