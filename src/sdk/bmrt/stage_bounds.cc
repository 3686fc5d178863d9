// Comparisons of ranges of device addresses with the memories of a stage.
#include "sdk/bmrt/stage_bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmrt.h"
#include "base/last_error.h"
#include "isa/streams/unconfirmed.h"

namespace tputwin::bmrt {
namespace {

// Returns true if the bytes are in a region or in the unused memory after it.
bool is_nothing(const StageMemory& memory, uint64_t address, uint64_t bytes) {
  return std::ranges::any_of(memory.regions(), [&](const Region& region) {
    const uint64_t all = region.bytes + region.tail;
    return region.tail != 0 && address >= region.address && bytes <= all &&
           address - region.address <= all - bytes;
  });
}

}  // namespace

uint64_t extent_of(const TensorView& view) {
  const auto last = [](uint32_t extent, uint32_t stride) { return uint64_t{extent - 1} * stride; };
  return last(cells(view), view.stride.n) + last(view.shape.c, view.stride.c) +
         last(view.shape.h, view.stride.h) + last(view.shape.w, view.stride.w) + run_bytes(view);
}

bool holds(const StageMemory& memory, uint64_t address, uint64_t bytes, bool to_write) {
  return std::ranges::any_of(memory.regions(), [&](const Region& region) {
    return (region.writable || !to_write) && address >= region.address && bytes <= region.bytes &&
           address - region.address <= region.bytes - bytes;
  });
}

Status check_tensors(const StageMemory& memory, const std::vector<StageTensor>& tensors,
                     bool are_written, const std::string& place) {
  for (const StageTensor& tensor : tensors)
    if (!holds(memory, tensor.address, tensor.device_bytes(), are_written))
      return Error(errors::brt_tensor_place)
          .in(place)
          .argument(tensor.file->name, fmt::format("{:#x}", tensor.file->device_addr));
  return {};
}

Status WriteBounds::check(const Instruction& instruction) {
  const uint64_t base = memory_.chip().global_base;
  for (const Operand& operand : operands(instruction.op)) {
    if (operand.access == Access::read || operand.view->space != Space::global) continue;
    const uint64_t from = base + operand.view->address, bytes = extent_of(*operand.view);
    if (holds(memory_, from, bytes, /*to_write=*/true)) continue;
    const auto error = [&](ErrorId id) {
      return Error(id).in(place_).argument(fmt::format("GDMA command {}", instruction.id),
                                           fmt::format("[{:#x}, +{:#x})", from, bytes));
    };
    if (!is_nothing(memory_, from, bytes)) return error(errors::brt_written);
    if (++writes_ == 1) first_ = error(errors::brt_written_unread);
  }
  return {};
}

Status WriteBounds::report() const {
  if (!first_) return {};
  TW_RETURN_IF_ERROR(isa::report_form(*first_));
  if (writes_ > 1) thread_diagnostics().add({{*first_, writes_ - 1}});
  return {};
}

}  // namespace tputwin::bmrt
