// Waits to parallel sections, sections to parts.
#include "tools/lift/parts.h"

#include <algorithm>

#include "machine/plan.h"

namespace tputwin::lift {

bool Section::is_parallel() const {
  auto engine_of = [](const Step* step) { return step->instruction.engine; };
  return std::ranges::any_of(
      steps, [&](const Step* step) { return engine_of(step) != engine_of(steps.front()); });
}

namespace {

// The steps of one engine, in their order.
struct Queue {
  std::vector<size_t> steps;  // numbers in the group
  size_t next = 0;

  // The number of the first command that is not done.
  uint32_t first_open(const Group& group) const {
    return next < steps.size() ? group.steps[steps[next]].instruction.id : UINT32_MAX;
  }
  // Takes those that wait for nothing from `open` on.
  void take(const Group& group, uint32_t open, std::vector<size_t>& taken) {
    while (next < steps.size() && group.steps[steps[next]].instruction.wait < open)
      taken.push_back(steps[next++]);
  }
};

}  // namespace

std::vector<Section> sections_of(const Group& group) {
  Queue tiu, gdma;
  for (size_t i = 0; i < group.steps.size(); ++i)
    (group.steps[i].instruction.engine == Engine::dma ? gdma : tiu).steps.push_back(i);
  std::vector<Section> sections;
  while (tiu.next < tiu.steps.size() || gdma.next < gdma.steps.size()) {
    const uint32_t open_tiu = tiu.first_open(group), open_gdma = gdma.first_open(group);
    std::vector<size_t> taken;
    tiu.take(group, open_gdma, taken);
    gdma.take(group, open_tiu, taken);
    std::ranges::sort(taken);
    Section& section = sections.emplace_back();
    for (const size_t i : taken) section.steps.push_back(&group.steps[i]);
  }
  return sections;
}

std::vector<const Step*> Part::steps() const {
  std::vector<const Step*> all;
  for (const Section& section : sections)
    all.insert(all.end(), section.steps.begin(), section.steps.end());
  return all;
}

namespace {

constexpr size_t kLongPart = 40;  // commands

void visit(const Step& step, const auto& each) {
  for (const Operand& operand : operands(step.instruction.op))
    if (operand.view->space == Space::global) each(operand, extent_in_global(*operand.view));
}

// Ranges of global memory that a part has written.
class Written {
 public:
  void add(const Step& step) {
    visit(step, [&](const Operand& operand, const GlobalRange& range) {
      if (operand.access != Access::read) ranges_.push_back(range);
    });
  }
  bool read_by(const Step& step) const {
    bool reads = false;
    visit(step, [&](const Operand& operand, const GlobalRange& range) {
      if (operand.access == Access::write) return;
      for (const GlobalRange& mine : ranges_)
        reads |= range.begin < mine.begin + mine.bytes && mine.begin < range.begin + range.bytes;
    });
    return reads;
  }

 private:
  std::vector<GlobalRange> ranges_;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

void name_ends(Part& part, const GlobalNames& globals, const Chip& chip) {
  for (const Step* step : part.steps())
    visit(*step, [&](const Operand& operand, const GlobalRange& range) {
      const GlobalName* name = globals.find(chip.global_base + range.begin);
      if (name != nullptr)
        add_once(operand.access == Access::read ? part.reads : part.writes, name->name);
    });
}

// Cuts the sections of a group into parts.
class Cutter {
 public:
  Cutter(const Group& group, std::vector<Part>& parts) : group_(group), parts_(parts) { begin(); }

  void add(const Section& section) {
    if (length_ >= kLongPart) begin();
    parts_.back().sections.emplace_back();
    for (const Step* step : section.steps) {
      if (written_.read_by(*step)) {
        begin();
        parts_.back().sections.emplace_back();
      }
      written_.add(*step);
      ++length_;
      parts_.back().sections.back().steps.push_back(step);
    }
  }

 private:
  void begin() {
    parts_.push_back({.group = &group_});
    written_ = {};
    length_ = 0;
  }

  const Group& group_;
  std::vector<Part>& parts_;
  Written written_;
  size_t length_ = 0;
};

}  // namespace

std::vector<Part> parts_of(const Stage& stage, const GlobalNames& globals, const Chip& chip) {
  std::vector<Part> parts;
  for (const Group& group : stage.groups) {
    Cutter cutter(group, parts);
    for (const Section& section : sections_of(group)) cutter.add(section);
  }
  for (Part& part : parts) {
    std::erase_if(part.sections, [](const Section& section) { return section.steps.empty(); });
    name_ends(part, globals, chip);
  }
  std::erase_if(parts, [](const Part& part) { return part.sections.empty(); });
  return parts;
}

}  // namespace tputwin::lift
