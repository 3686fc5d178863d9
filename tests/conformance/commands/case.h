// A recorded case: commands, and memory before and after them.
#pragma once

#include <cstdint>
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
  std::vector<Bytes> before, after;  // what neither names keeps its 0xee
};

// A line of a file: those of the BM1684X hold a "command", those of the BM1684 "commands". Why it
// is none, in words.
struct ParsedCase {
  Case recorded;
  std::string why_not;  // empty: it is one
};
ParsedCase parse_case(const std::string& line);

// Runs the commands on a device of their own chip. What differs, in words; empty: nothing.
std::string run_case(const Case& recorded);

}  // namespace tputwin::conformance
