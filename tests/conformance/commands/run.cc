// Runs recorded commands and compares all of local memory, and global memory around a case's
// regions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "case.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"
#include "ops/fast/fast.h"

namespace tputwin::conformance {
namespace {

constexpr uint8_t kUntouched = 0xee;
// Bytes of global memory before and after the regions of a case.
constexpr uint64_t kMargin = 64 * 1024;

bool in_l2(const Bytes& region, const Chip& chip) {
  return !region.is_local && region.address - chip.l2.base < chip.l2.bytes;
}

// The expected memory of a device. Global memory: only the part around the regions of a case.
struct Image {
  std::vector<uint8_t> local, l2, global;
  uint64_t global_base = 0;

  uint8_t* at(const Bytes& region, const Chip& chip) {
    if (region.is_local) return &local[uint64_t{region.lane} * chip.lane_bytes + region.address];
    return in_l2(region, chip) ? &l2[region.address - chip.l2.base]
                               : &global[region.address - global_base];
  }
  void put(const std::vector<Bytes>& regions, const Chip& chip) {
    for (const Bytes& region : regions)
      std::memcpy(at(region, chip), region.bytes.data(), region.bytes.size());
  }
};

// The range of a case's bytes in global memory.
struct Range {
  uint64_t begin = UINT64_MAX, end = 0;
};

bool inside(const Bytes& region, const Chip& chip) {
  if (in_l2(region, chip))
    return region.bytes.size() <= chip.l2.bytes - (region.address - chip.l2.base);
  const uint64_t from = region.is_local ? 0 : chip.global_base;
  const uint64_t size = region.is_local ? chip.lane_bytes : chip.global_bytes;
  return region.lane < chip.lanes && region.address - from <= size &&
         region.bytes.size() <= size - (region.address - from);
}

// Returns the range with a margin on both sides; nullopt if it exceeds 16 MiB.
std::optional<Range> global_range(const Case& recorded, const Chip& chip) {
  constexpr uint64_t kMost = 16 << 20;
  Range range;
  for (const auto* regions : {&recorded.before, &recorded.after})
    for (const Bytes& region : *regions) {
      if (region.is_local || in_l2(region, chip)) continue;
      range.begin = std::min(range.begin, region.address);
      range.end = std::max(range.end, region.address + region.bytes.size());
    }
  if (range.end == 0) range.begin = range.end = chip.global_base;
  range.begin = std::max(range.begin - std::min(range.begin, kMargin), chip.global_base);
  range.end += kMargin;
  if (range.end - range.begin > kMost) return std::nullopt;
  return range;
}

// Returns the first byte that differs from the recorded one; empty: none.
std::string difference(std::string_view memory, const uint8_t* is, std::span<const uint8_t> want) {
  if (std::memcmp(is, want.data(), want.size()) == 0) return "";
  const auto at =
      static_cast<size_t>(std::mismatch(want.begin(), want.end(), is).first - want.begin());
  return fmt::format("{}, byte {:#x}: {:#04x}, recorded {:#04x}", memory, at, is[at], want[at]);
}

Status run(Device& device, const Case& recorded) {
  std::vector<Instruction> group;
  for (const RecordedCommand& command : recorded.commands) {
    auto one = command.engine == Engine::dma
                   ? isa::decode_gdma_command(command.bytes, device.chip())
                   : isa::decode_tiu_command(command.bytes, device.chip());
    if (!one.ok()) return one.error();
    if (!one->is_idle) group.push_back(std::move(one->instruction));
  }
  return run_command_group(device, group);
}

// One device serves all cases of a chip.
Device& device_of(const Chip& chip) {
  static std::map<std::string_view, std::unique_ptr<Device>> devices;
  std::unique_ptr<Device>& device = devices[chip.name];
  if (device == nullptr) {
    auto made = Device::create({.chip = &chip});
    if (!made.ok()) throw std::runtime_error(made.error().message());
    device = std::move(made.value());
  }
  return *device;
}

// The commands to run and the expected memory.
struct Run {
  const Case& recorded;
  const Chip& chip;
  Device& device;
  const Image &before, &after;

  uint8_t* global() const {
    return device.memories().take_global().data() + (before.global_base - chip.global_base);
  }

  std::string on(std::string_view target) const {
    device.memories().take_local().load_image(before.local);
    std::memcpy(global(), before.global.data(), before.global.size());
    if (chip.l2.bytes != 0)
      std::memcpy(device.memories().on_chip(Space::l2).data(), before.l2.data(), before.l2.size());
    fast::select_isa(target);
    const Status status = run(device, recorded);
    device.errors().clear();
    if (!status.ok()) return status.message();
    std::string differs = recorded.global_only ? "" : difference_of_lanes();
    if (differs.empty()) differs = difference("global memory", global(), after.global);
    if (differs.empty() && chip.l2.bytes != 0)
      differs = difference("L2 memory", device.memories().on_chip(Space::l2).data(), after.l2);
    return differs;
  }

  // Compares in place: a copy of all lanes takes longer than most cases.
  std::string difference_of_lanes() const {
    LocalMemory& local = device.memories().take_local();
    const std::span<const uint8_t> want(after.local);
    if (recorded.named_only) return difference_of_regions();
    for (uint32_t lane = 0; lane < chip.lanes; ++lane) {
      const auto of_lane = want.subspan(uint64_t{lane} * chip.lane_bytes, chip.lane_bytes);
      std::string differs =
          difference(fmt::format("local memory, lane {}", lane), local.lane(lane), of_lane);
      if (!differs.empty()) return differs;
    }
    return "";
  }

  std::string difference_of_regions() const {
    for (const auto* regions : {&recorded.before, &recorded.after})
      for (const Bytes& region : *regions) {
        if (!region.is_local) continue;
        const std::span<const uint8_t> want(after.local);
        std::string differs = difference(
            fmt::format("local memory, lane {} from {:#x} on", region.lane, region.address),
            device.memories().take_local().lane(region.lane) + region.address,
            want.subspan(uint64_t{region.lane} * chip.lane_bytes + region.address,
                         region.bytes.size()));
        if (!differs.empty()) return differs;
      }
    return "";
  }
};

}  // namespace

std::string run_case(const Case& recorded, std::span<const std::string> targets) {
  const Chip& chip = *find_chip(recorded.chip);
  for (const auto* regions : {&recorded.before, &recorded.after})
    for (const Bytes& region : *regions)
      if (!inside(region, chip)) return "a region is outside of its memory";
  const auto range = global_range(recorded, chip);
  if (!range) return "its global bytes are too far apart";
  // Static, so that all cases use the same pages.
  static Image before, after;
  before.global_base = range->begin;
  before.local.assign(chip.local_bytes(), kUntouched);
  before.l2.assign(chip.l2.bytes, kUntouched);
  before.global.assign(range->end - range->begin, kUntouched);
  before.put(recorded.before, chip);
  after = before;
  after.put(recorded.after, chip);
  const Run run{recorded, chip, device_of(chip), before, after};
  for (const std::string& target : targets)
    if (std::string why = run.on(target); !why.empty())
      return target.empty() ? why : fmt::format("on {}: {}", target, why);
  return "";
}

}  // namespace tputwin::conformance
