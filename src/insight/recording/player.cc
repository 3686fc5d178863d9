// Replays entries on a device.
#include "insight/recording/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/errors/machine.h"
#include "chip/chip.h"
#include "insight/layer_scope.h"

namespace tputwin::insight::recording {

using Kind = DeviceEvent::Kind;

Result<std::unique_ptr<Device>> make_device(const Recording& recording,
                                            const PlayOptions& options) {
  const Header& header = recording.header;
  return Device::create({.chip = find_chip(header.chip),
                         .global_bytes = header.global_bytes,
                         .kernel_choice = options.kernel_choice,
                         .schedule = options.schedule,
                         .seed = options.seed,
                         .strict = false,
                         .poison = header.poison});
}

Player::Player(const Recording& recording, Device& device, Schedule schedule)
    : recording_(recording),
      device_(device),
      schedule_(schedule),
      memory_(device.memories().take_all()) {
  for (const UserCode& code : recording.stacks) stacks_.push_back(Stacks::of_process().add(code));
}

Player::~Player() { Stacks::play(std::nullopt); }

Result<bool> Player::step() {
  if (next_ == recording_.entries.size()) {
    TW_RETURN_IF_ERROR(device_.drain());
    return false;
  }
  differs_ = false;
  TW_RETURN_IF_ERROR(
      std::visit([&](const auto& entry) { return play(entry); }, recording_.entries[next_]));
  ++next_;
  return true;
}

Status Player::play(const Poke& poke) {
  TW_RETURN_IF_ERROR(device_.drain());
  const uint64_t size = size_of(memory_, poke.space);
  if (poke.address > size || poke.bytes.size() > size - poke.address)
    return Error(errors::mch_recording_bytes)
        .argument("bytes", fmt::format("{} at {:#x} of {}", poke.bytes.size(), poke.address,
                                       to_string(poke.space)));
  if (poke.bytes.empty()) return {};
  write(memory_, poke.space, poke.address, poke.bytes);
  touched_.add(poke.space, poke.address, poke.bytes.size());
  return {};
}

Status Player::play(const Command& command) {
  Stacks::play(stack(command.stack));
  // Other schedules may execute earlier commands now.
  std::optional<LayerScope> layer;
  if (!command.layer.empty() && schedule_ == Schedule::program) layer.emplace(command.layer);
  TW_RETURN_IF_ERROR(
      device_.issue(command.instruction, {.call = command.call, .number = command.number}));
  const Footprint all = footprint(command.instruction.op, device_.chip());
  for (const ByteRange& range : all.reads) touched_.add(memory_, range);
  for (const ByteRange& range : all.writes) touched_.add(memory_, range);
  if (schedule_ == Schedule::program)
    differs_ = check_of(device_.memories().take_all(), all.writes) != command.check;
  return {};
}

Status Player::play(const Event& event) {
  if (event.kind != Kind::section_begin && event.kind != Kind::section_end)
    TW_RETURN_IF_ERROR(device_.drain());
  Stacks::play(stack(event.stack));
  const uint64_t size = size_of(memory_, event.space);
  // The host may free addresses that were never allocated.
  if (event.bytes != 0 && (event.address > size || event.bytes > size - event.address))
    return Error(errors::mch_recording_bytes)
        .argument("event", fmt::format("{} bytes at {:#x} of {}", event.bytes, event.address,
                                       to_string(event.space)));
  device_.observers().notify({.kind = event.kind,
                              .space = event.space,
                              .address = event.address,
                              .bytes = event.bytes,
                              .number = event.number,
                              .name = event.name});
  return {};
}

Result<Replayed> replay(const Recording& recording, Device& device, Schedule schedule) {
  Player player(recording, device, schedule);
  Replayed done;
  for (size_t entry = 0;; ++entry) {
    TW_ASSIGN_OR_RETURN(more, player.step());
    if (!more) break;
    if (player.differs() && !done.first_difference) done.first_difference = entry;
    done.commands += std::holds_alternative<Command>(recording.entries[entry]);
    const auto* event = std::get_if<Event>(&recording.entries[entry]);
    done.launches += event != nullptr && event->kind == Kind::launch_begin;
  }
  done.equals = player.check() == recording.check;
  return done;
}

std::string describe_command(const Recording& recording, size_t entry) {
  const auto& command = std::get<Command>(recording.entries[entry]);
  std::string_view launch = "the launch";
  size_t number = 0;
  for (size_t i = 0; i <= entry; ++i) {
    number += std::holds_alternative<Command>(recording.entries[i]);
    const auto* event = std::get_if<Event>(&recording.entries[i]);
    if (event == nullptr || event->kind != Kind::launch_begin) continue;
    number = 0;
    launch = event->name.empty() ? "the launch" : std::string_view(event->name);
  }
  std::string text =
      fmt::format("command {} of {} ({})", number, launch, to_string(command.instruction.engine));
  if (!command.call.empty()) text += fmt::format(": {}", command.call);
  if (!command.layer.empty()) text += fmt::format("\n    layer {}", command.layer);
  if (command.stack != 0)
    for (const SourceLine& line : recording.stacks[command.stack - 1].lines)
      text += fmt::format("\n    at {}", describe(line));
  return text + fmt::format("\n    {}", describe(command.instruction.op));
}

}  // namespace tputwin::insight::recording
