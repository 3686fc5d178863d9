// Conversion of waits to parallel sections, and of sections to parts.
#include "tools/lift/program_parts.h"

#include <algorithm>
#include <optional>

#include "memory/global_range.h"
#include "ops/operation.h"

namespace tputwin::lift {

bool Section::is_parallel() const {
  auto engine_of = [](const Step* step) { return step->instruction.engine; };
  return std::ranges::any_of(
      steps, [&](const Step* step) { return engine_of(step) != engine_of(steps.front()); });
}

namespace {

// Commands that touch the same bytes, at least one of them writing, keep the order in which the
// group executes them. A wait states that order in most programs. Compilers also emit commands that
// only the timing of the chip keeps in order.
class Hazards {
 public:
  Hazards(const Group& group, const Chip& chip)
      : group_(group), chip_(chip), footprints_(group.steps.size()) {}

  bool conflict(size_t a, size_t b) {
    const Footprint &of_a = footprint_of(a), &of_b = footprint_of(b);
    return overlap(of_a.writes, of_b.writes) || overlap(of_a.writes, of_b.reads) ||
           overlap(of_a.reads, of_b.writes);
  }

 private:
  static bool overlap(const std::vector<ByteRange>& a, const std::vector<ByteRange>& b) {
    return std::ranges::any_of(a, [&](const ByteRange& x) {
      return std::ranges::any_of(b, [&](const ByteRange& y) {
        return x.space == y.space && x.lane == y.lane && x.begin < y.end && y.begin < x.end;
      });
    });
  }
  const Footprint& footprint_of(size_t step) {
    if (!footprints_[step]) footprints_[step] = footprint(group_.steps[step].instruction.op, chip_);
    return *footprints_[step];
  }

  const Group& group_;
  const Chip& chip_;
  std::vector<std::optional<Footprint>> footprints_;
};

// The steps of one engine, in their order.
struct Queue {
  std::vector<size_t> steps;  // numbers in the group
  size_t next = 0;

  // Returns the number of the first command that is not done.
  uint32_t first_open(const Group& group) const {
    return next < steps.size() ? group.steps[steps[next]].instruction.id : UINT32_MAX;
  }
  // Returns true if the next command may join the section. It must wait for no command from number
  // `open` of the other engine on. It must conflict with no earlier command of the other engine
  // that was not done when the section began.
  bool may_take(const Group& group, uint32_t open, const Queue& other, size_t other_begin,
                Hazards& hazards) const {
    if (next == steps.size() || group.steps[steps[next]].instruction.wait >= open) return false;
    for (size_t i = other_begin; i < other.steps.size() && other.steps[i] < steps[next]; ++i)
      if (hazards.conflict(steps[next], other.steps[i])) return false;
    return true;
  }
};

}  // namespace

std::vector<Section> sections_of(const Group& group, const Chip& chip) {
  Queue tiu, gdma;
  for (size_t i = 0; i < group.steps.size(); ++i)
    (group.steps[i].instruction.engine == Engine::dma ? gdma : tiu).steps.push_back(i);
  Hazards hazards(group, chip);
  std::vector<Section> sections;
  while (tiu.next < tiu.steps.size() || gdma.next < gdma.steps.size()) {
    const uint32_t open_tiu = tiu.first_open(group), open_gdma = gdma.first_open(group);
    const size_t begin_tiu = tiu.next, begin_gdma = gdma.next;
    std::vector<size_t> taken;
    while (tiu.may_take(group, open_gdma, gdma, begin_gdma, hazards))
      taken.push_back(tiu.steps[tiu.next++]);
    while (gdma.may_take(group, open_tiu, tiu, begin_tiu, hazards))
      taken.push_back(gdma.steps[gdma.next++]);
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

// Divides the sections of a group into parts.
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
    for (const Section& section : sections_of(group, chip)) cutter.add(section);
  }
  for (Part& part : parts) {
    std::erase_if(part.sections, [](const Section& section) { return section.steps.empty(); });
    name_ends(part, globals, chip);
  }
  std::erase_if(parts, [](const Part& part) { return part.sections.empty(); });
  return parts;
}

}  // namespace tputwin::lift
