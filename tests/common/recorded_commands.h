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

// The commands of a file of tpu/commands, and of single-commands.jsonl, each once.
struct RecordedCommand {
  Engine engine = Engine::compute;
  std::vector<uint8_t> bytes;
};
std::vector<RecordedCommand> commands_of_calls(const std::filesystem::path& file);
std::vector<RecordedCommand> single_commands(const std::filesystem::path& file);

// Those of calls (public and public2), single ones, and those of the recorded networks.
void for_each_recorded_command(const std::filesystem::path& conformance,
                               const std::function<void(Engine, std::span<const uint8_t>)>& use);

// Those of the BM1684: of calls (all sets), single ones, and those of layers.
void for_each_bm1684_command(const std::filesystem::path& conformance,
                             const std::function<void(Engine, std::span<const uint8_t>)>& use);

}  // namespace tputwin::testing
