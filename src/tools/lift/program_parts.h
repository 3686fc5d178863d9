// Division of a group's commands into parallel sections, and of a network into parts.
#pragma once

#include "tools/lift/names.h"

namespace tputwin::lift {

// Commands of both engines that do not wait for each other. A section with commands of both is a
// parallel section.
struct Section {
  std::vector<const Step*> steps;
  bool is_parallel() const;
};

// Returns sections that run one after the other, each after all earlier ones. They keep every wait
// of the group: a section ends before the first command that waits for one inside it, or that
// touches bytes of an earlier one of the other engine.
std::vector<Section> sections_of(const Group& group, const Chip& chip);

// Commands that become a function. A part ends with its group, or when it is long, or before its
// stored results are loaded again, which is the end of a layer and of a section.
struct Part {
  const Group* group;
  std::vector<Section> sections;
  std::vector<std::string> reads, writes;  // names of global memory

  std::vector<const Step*> steps() const;
};
std::vector<Part> parts_of(const Stage& stage, const GlobalNames& globals, const Chip& chip);

}  // namespace tputwin::lift
