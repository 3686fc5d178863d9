// A recorded case: commands, and memory before and after them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ops/contract/contract.h"

namespace tputwin::conformance {

// Bytes from an address on: in a lane of local memory, or at an address of the engines.
struct Bytes {
  bool is_local = false;
  uint32_t lane = 0;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};

struct RecordedCommand {
  Engine engine = Engine::compute;
  std::vector<uint8_t> bytes;
};

struct Case {
  std::string name;
  std::string chip;
  std::vector<RecordedCommand> commands;
  // Other bytes must keep 0xee; bytes of L2 must keep their initial values.
  std::vector<Bytes> before, after;
  // Compares global memory only: the lanes after a whole layer are unspecified.
  bool global_only = false;
  // Compares only lane regions in `before` or `after`: others were not recorded.
  bool named_only = false;
};

// A parsed line of a file. Lines of the BM1684X hold a "command", those of the BM1684 "commands".
struct ParsedCase {
  Case recorded;
  std::string why_not;  // empty, or why the line is no case
};
ParsedCase parse_case(const std::string& line);

// Returns bytes as a case of the BM1684 describes them: SHAKE-128 of the seed, as numbers of a
// kind.
std::vector<uint8_t> seeded_bytes(const std::string& seed, std::string_view kind, size_t count);

// Runs the commands on a device of their chip, on each of the instruction sets ("": the host's
// best). Returns a description of the difference; empty: none.
std::string run_case(const Case& recorded, std::span<const std::string> targets);

}  // namespace tputwin::conformance
