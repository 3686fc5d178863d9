// Finds the tensors of a network and names them.
#include "tools/lift/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "memory/global_range.h"

namespace tputwin::lift {

using namespace bmodel::bm168x;

std::string type_name(DType dtype) {
  switch (dtype) {
#define TW_TYPE(type, name, code) \
  case DType::type:               \
    return #name;
#include "tools/lift/types.def"
    default:
      return to_string(dtype);
  }
}

std::string type_name(ElementType type) { return std::string(to_string(type)); }

namespace {

const Region* region_of(const Stage& stage, uint64_t address) {
  for (const Region& region : stage.regions)
    if (address >= region.compiled && address - region.compiled < region.bytes) return &region;
  return nullptr;
}

std::string shape_text(const tputwin::Shape& s) {
  return fmt::format("({}, {}, {}, {})", s.n, s.c, s.h, s.w);
}

GlobalName named(const Stage& stage, const Tensor& tensor) {
  const TensorT& file = *tensor.file;
  return {.name = tensor.name,
          .comment = fmt::format("{} ({}) \"{}\"", type_name(element_type(file)),
                                 fmt::join(shape(file), ", "), file.name),
          .begin = tensor.compiled,
          .end = tensor.compiled + std::max<uint64_t>(tensor_bytes(file), 1),
          .region = region_of(stage, tensor.compiled)};
}

// A range that commands touch; overlapping ranges are merged.
struct Range {
  uint64_t begin, end;
  const TensorView* widest;  // of the views that start at `begin`
};

std::vector<Range> joined(std::vector<Range> ranges) {
  std::ranges::sort(ranges, [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<Range> all;
  for (const Range& range : ranges)
    if (!all.empty() && range.begin < all.back().end)
      all.back().end = std::max(all.back().end, range.end);
    else
      all.push_back(range);
  return all;
}

std::string comment_of(const Range& range) {
  const TensorView& view = *range.widest;
  const uint64_t bytes = range.end - range.begin;
  if (extent_in_global(view).bytes != bytes)
    return fmt::format("{}, {} bytes", type_name(view.dtype), bytes);
  return fmt::format("{} {}", type_name(view.dtype), shape_text(view.shape));
}

}  // namespace

GlobalNames::GlobalNames(const Stage& stage, const Chip& chip) {
  for (const auto* list : {&stage.inputs, &stage.outputs})
    for (const Tensor& tensor : *list) names_.push_back(named(stage, tensor));
  std::map<const Region*, std::vector<Range>> touched;
  for (const Group& group : stage.groups)
    for (const Step& step : group.steps)
      for (const Operand& operand : operands(step.instruction.op)) {
        if (operand.view->space != Space::global) continue;
        const auto [begin, bytes] = extent_in_global(*operand.view);
        const uint64_t at = chip.global_base + begin;
        if (find(at) != nullptr) continue;
        if (const Region* region = region_of(stage, at))
          touched[region].push_back({at, at + bytes, operand.view});
      }
  for (const Region& region : stage.regions) {
    const std::string prefix = region.field == "weights" ? "w" : "act";
    size_t number = 0;
    for (const Range& range : joined(touched[&region]))
      names_.push_back({.name = fmt::format("{}{}", prefix, number++),
                        .comment = comment_of(range),
                        .begin = range.begin,
                        .end = range.end,
                        .region = &region});
  }
}

const GlobalName* GlobalNames::find(uint64_t address) const {
  for (const GlobalName& name : names_)
    if (address >= name.begin && address < name.end) return &name;
  return nullptr;
}

std::string GlobalNames::text(uint64_t address) const {
  const GlobalName* name = find(address);
  if (name == nullptr) return fmt::format("{:#x}ull", address);
  if (address == name->begin) return name->name;
  return fmt::format("{} + {:#x}", name->name, address - name->begin);
}

namespace {

// For each byte of the NPUs, the tensors of global memory that it is loaded from or stored to.
using Partners = std::map<uint64_t, std::set<std::string>>;

Partners partners_of(const std::vector<const Step*>& steps, const GlobalNames& globals,
                     const Chip& chip) {
  Partners partners;
  for (const Step* step : steps) {
    const OperandList list = operands(step->instruction.op);
    if (step->instruction.engine != Engine::dma || list.size() != 2) continue;
    const TensorView &a = *list[0].view, &b = *list[1].view;
    if ((a.space == Space::local) == (b.space == Space::local)) continue;
    const TensorView &local = a.space == Space::local ? a : b, &other = &local == &a ? b : a;
    const GlobalName* name =
        other.space == Space::global ? globals.find(chip.global_base + other.address) : nullptr;
    partners[local.address % chip.lane_bytes].insert(name != nullptr ? name->name : "");
  }
  return partners;
}

// Assigns names, each once.
class Namer {
 public:
  explicit Namer(Partners partners) : partners_(std::move(partners)) {}

  std::string name_of(uint64_t byte) {
    const auto partner = partners_.find(byte);
    const bool is_one = partner != partners_.end() && partner->second.size() == 1 &&
                        !partner->second.begin()->empty();
    if (!is_one) return fmt::format("t{}", number_++);
    const std::string name = "l_" + *partner->second.begin();
    const size_t again = taken_[name]++;
    return again == 0 ? name : fmt::format("{}_{}", name, again);
  }

 private:
  Partners partners_;
  std::map<std::string, size_t> taken_;
  size_t number_ = 0;
};

}  // namespace

LocalNames::LocalNames(const std::vector<const Step*>& steps, const GlobalNames& globals,
                       const Chip& chip)
    : lane_bytes_(chip.lane_bytes) {
  Namer namer(partners_of(steps, globals, chip));
  for (const Step* step : steps)
    for (const Operand& operand : operands(step->instruction.op)) {
      const TensorView& view = *operand.view;
      const uint64_t byte = view.address % lane_bytes_;
      if (view.space == Space::local && find(byte) == nullptr)
        names_.push_back({namer.name_of(byte),
                          fmt::format("{} {}", type_name(view.dtype), shape_text(view.shape)),
                          byte});
    }
}

const LocalNames::Name* LocalNames::find(uint64_t byte) const {
  const auto found = std::ranges::find(names_, byte, &Name::byte);
  return found == names_.end() ? nullptr : &*found;
}

std::string LocalNames::text(uint64_t address) const {
  const uint64_t lane = address / lane_bytes_;
  const Name* name = find(address % lane_bytes_);
  const std::string byte =
      name != nullptr ? name->name : fmt::format("{:#x}", address % lane_bytes_);
  return lane == 0 ? byte : fmt::format("{} + NPU({})", byte, lane);
}

}  // namespace tputwin::lift
