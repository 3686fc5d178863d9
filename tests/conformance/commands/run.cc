// Runs recorded commands and compares all of local memory and what lies around the global bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "case.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"

namespace tputwin::conformance {
namespace {

constexpr uint8_t kUntouched = 0xee;
constexpr uint64_t kMargin = 64 * 1024;  // of global memory, behind what a case names

// What memory shall hold, beside the device's.
struct Image {
  std::vector<uint8_t> local, global;

  uint8_t* at(const Bytes& region, const Chip& chip) {
    return region.is_local ? &local[uint64_t{region.lane} * chip.lane_bytes + region.address]
                           : &global[region.address - chip.global_base];
  }
  void put(const std::vector<Bytes>& regions, const Chip& chip) {
    for (const Bytes& region : regions)
      std::memcpy(at(region, chip), region.bytes.data(), region.bytes.size());
  }
};

bool inside(const Bytes& region, const Chip& chip) {
  constexpr uint64_t kMost = 16 << 20;
  const uint64_t from = region.is_local ? 0 : chip.global_base;
  const uint64_t size = region.is_local ? chip.lane_bytes : kMost;
  return region.lane < chip.lanes && region.address - from <= size &&
         region.bytes.size() <= size - (region.address - from);
}

uint64_t global_bytes(const Case& recorded, const Chip& chip) {
  uint64_t end = 0;
  for (const auto* regions : {&recorded.before, &recorded.after})
    for (const Bytes& region : *regions)
      if (!region.is_local)
        end = std::max(end, region.address - chip.global_base + region.bytes.size());
  return end + kMargin;
}

std::string difference(std::string_view memory, const uint8_t* is, const std::vector<uint8_t>& want,
                       uint64_t per_lane) {
  if (std::memcmp(is, want.data(), want.size()) == 0) return "";
  const auto at =
      static_cast<uint64_t>(std::mismatch(want.begin(), want.end(), is).first - want.begin());
  return fmt::format("{} memory, lane {}, byte {:#x}: {:#04x}, recorded {:#04x}", memory,
                     at / per_lane, at % per_lane, is[at], want[at]);
}

Status run(Device& device, const Case& recorded) {
  std::vector<Instruction> group;
  for (const RecordedCommand& command : recorded.commands) {
    auto one = command.engine == Engine::dma
                   ? isa::decode_gdma_command(command.bytes, device.chip())
                   : isa::decode_tiu_command(command.bytes, device.chip());
    if (!one.ok()) return one.error();
    group.push_back(std::move(one->instruction));
  }
  return run_command_group(device, group);
}

// One device serves all cases of a chip.
Device& device_of(const Chip& chip) {
  static const auto device = [&] {
    auto made = Device::create({.chip = &chip});
    if (!made.ok()) throw std::runtime_error(made.error().message());
    return std::move(made.value());
  }();
  return *device;
}

}  // namespace

std::string run_case(const Case& recorded) {
  const Chip& chip = *find_chip(recorded.chip);
  Device& device = device_of(chip);
  for (const auto* regions : {&recorded.before, &recorded.after})
    for (const Bytes& region : *regions)
      if (!inside(region, chip)) return "a region lies outside of its memory";
  static Image image;  // the same pages for all cases
  image.local.assign(chip.local_bytes(), kUntouched);
  image.global.assign(global_bytes(recorded, chip), kUntouched);
  image.put(recorded.before, chip);
  std::memcpy(device.local().data(), image.local.data(), image.local.size());
  std::memcpy(device.global().data(), image.global.data(), image.global.size());
  const Status status = run(device, recorded);
  device.clear_error();
  if (!status.ok()) return status.message();
  image.put(recorded.after, chip);
  std::string differs = difference("local", device.local().data(), image.local, chip.lane_bytes);
  if (differs.empty())
    differs = difference("global", device.global().data(), image.global, image.global.size());
  return differs;
}

}  // namespace tputwin::conformance
