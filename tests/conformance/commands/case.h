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

// Bytes from an address on: in a lane of local memory, or by the engines' addresses.
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
  // What neither names keeps its 0xee; L2 what it holds at the start.
  std::vector<Bytes> before, after;
  bool global_only = false;  // what is compared: a whole layer leaves its lanes to itself
  bool named_only = false;   // of lanes: what neither names was not recorded
};

// A line of a file: those of the BM1684X hold a "command", those of the BM1684 "commands". Why it
// is none, in words.
struct ParsedCase {
  Case recorded;
  std::string why_not;  // empty: it is one
};
ParsedCase parse_case(const std::string& line);

// Bytes as a case of the BM1684 describes them: SHAKE-128 of the seed, made numbers of a kind.
std::vector<uint8_t> seeded_bytes(const std::string& seed, std::string_view kind, size_t count);

// Runs the commands on a device of their own chip, on each of the instruction sets ("": the host's
// best). What differs, in words; empty: nothing.
std::string run_case(const Case& recorded, std::span<const std::string> targets);

}  // namespace tputwin::conformance
