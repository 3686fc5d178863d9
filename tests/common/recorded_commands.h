// The recorded commands of the BM1684X and BM1684 in tests/conformance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin::testing {

std::vector<uint8_t> from_hex(const std::string& hex);

// A recorded command. A file of tpu/commands, or single-commands.jsonl, has each command once.
struct RecordedCommand {
  Engine engine = Engine::compute;
  std::vector<uint8_t> bytes;
};
std::vector<RecordedCommand> commands_of_calls(const std::filesystem::path& file);
std::vector<RecordedCommand> single_commands(const std::filesystem::path& file);

// Calls `use` for the BM1684X's commands: calls (public and public2), single ones, recorded
// networks.
void for_each_recorded_command(const std::filesystem::path& conformance,
                               const std::function<void(Engine, std::span<const uint8_t>)>& use);

// Calls `use` for the BM1684's commands: calls (all sets), single ones, layers.
void for_each_bm1684_command(const std::filesystem::path& conformance,
                             const std::function<void(Engine, std::span<const uint8_t>)>& use);

}  // namespace tputwin::testing
