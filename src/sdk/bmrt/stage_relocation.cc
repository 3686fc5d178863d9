// Relocation: the device addresses of compiled addresses, of tensors, and in commands.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmrt.h"
#include "sdk/bmrt/stage_memory.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

bm_shape_t dims_of(const TensorT& tensor) {
  bm_shape_t result{};
  for (uint64_t extent : bmodel::bm168x::shape(tensor))
    result.dims[result.num_dims++] = static_cast<int>(extent);
  return result;
}

}  // namespace

uint64_t StageMemory::relocated(uint64_t compiled) const {
  for (const Region& region : regions_)
    if (compiled >= region.compiled && compiled - region.compiled < region.bytes + region.tail)
      return region.address + (compiled - region.compiled);
  return compiled;
}

uint64_t StageMemory::first_compiled() const {
  uint64_t first = compiled_base(chip());
  for (const Region& region : regions_) first = std::min(first, region.compiled);
  return first;
}

// In address mode 4 the address of a net's input or output follows from its number, in every subnet
// that has a tensor of its name.
uint64_t StageMemory::compiled_address(const TensorT& tensor) const {
  if (relocated_io_.empty()) return tensor.device_addr;
  size_t number = 0;
  for (const auto* list : {&stage_.input_tensor, &stage_.output_tensor})
    for (const auto& one : *list) {
      if (one->name == tensor.name) return relocated_io_[number];
      ++number;
    }
  return tensor.device_addr;
}

StageTensor StageMemory::tensor(const TensorT& tensor) const {
  return {&tensor, relocated(compiled_address(tensor)), dims_of(tensor)};
}

// `first` is the number of the first tensor of the list among inputs and outputs.
std::vector<StageTensor> StageMemory::tensors(const std::vector<std::unique_ptr<TensorT>>& list,
                                              size_t first) const {
  std::vector<StageTensor> all;
  for (const auto& one : list) {
    all.push_back(tensor(*one));
    if (!relocated_io_.empty()) all.back().address = relocated(relocated_io_[first++]);
  }
  return all;
}

std::vector<StageTensor> StageMemory::inputs() const { return tensors(stage_.input_tensor, 0); }

std::vector<StageTensor> StageMemory::outputs() const {
  return tensors(stage_.output_tensor, stage_.input_tensor.size());
}

bool StageMemory::needs_patch(const CmdGroupT& group) const {
  return !relocated_io_.empty() && !group.reloc_entries.empty();
}

Status StageMemory::patch(const CmdGroupT& group, std::vector<uint8_t>& gdma,
                          const std::string& place) const {
  constexpr size_t kAddressBytes = 5;
  for (size_t i = 0; i < group.reloc_entries.size(); ++i) {
    const RelEntry& entry = group.reloc_entries[i];
    const uint64_t at = entry.cmd_offset();
    if (entry.base_addr_id() >= relocated_io_.size() || gdma.size() < kAddressBytes ||
        at > gdma.size() - kAddressBytes)
      return Error(errors::brt_relocation)
          .in(place)
          .argument(fmt::format("reloc_entries[{}]", i),
                    fmt::format("base {}, offset {:#x}", entry.base_addr_id(), at));
    const uint64_t address = relocated_io_[entry.base_addr_id()] + entry.addr_offset();
    for (size_t byte = 0; byte < kAddressBytes; ++byte)
      gdma[at + byte] = static_cast<uint8_t>(address >> (8 * byte));
  }
  return {};
}

}  // namespace tputwin::bmrt
