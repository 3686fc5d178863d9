// Finding: one thing that a check found, with all that a reader needs to mend it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "insight/checks.h"
#include "insight/stacks.h"
#include "ops/contract/contract.h"

namespace tputwin::insight {

enum class FindingKind : uint8_t {
#define TW_FINDING(name, id, check, text) name,
#include "insight/findings.def"
#undef TW_FINDING
};

struct FindingInfo {
  std::string_view id;
  Check check;
  std::string_view text;
};
std::span<const FindingInfo> finding_catalogue();
inline const FindingInfo& info(FindingKind kind) {
  return finding_catalogue()[static_cast<size_t>(kind)];
}

// One who did something: a command of an engine, or the host.
struct Actor {
  std::string does;       // "reads", "allocated"
  std::string call;       // of the API; empty for commands of a file
  std::string operation;  // with operands, as far as it is still known
  std::string kernel;     // of the launch; empty: the host
  std::string engine;
  uint32_t command = 0;  // in the launch, from 1
  std::vector<SourceLine> lines;
  UserCode launch = {};  // what launched the kernel, as far as it is known
  // Operands in global memory that have a name: "src_addr is argument input + 0x40".
  std::vector<std::string> tensors = {};
};

// The bytes that it is about: of lanes, all that lie between.
struct Place {
  Space space = Space::global;
  uint64_t begin = 0, end = 0;  // of a lane, or of an address of engines
  uint64_t bytes = 0;           // that are concerned
  uint32_t first_lane = 0, last_lane = 0;
  uint32_t first_bank = 0, last_bank = 0;
};
std::string describe(const Place& place);

struct Finding {
  FindingKind kind;
  Actor actor;
  std::optional<Actor> other;
  std::optional<Place> place;
  std::string missing;      // and where one would put it
  std::string note = {};    // values
  std::string tensor = {};  // of the bytes, as a model names it
};

// Several lines for people, without a line break at the end.
std::string describe(const Finding& finding);

}  // namespace tputwin::insight
