// Finding: one mistake that a check found, with all information that is needed to fix it.
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

// The command or the host that took part in a finding.
struct Actor {
  std::string does;       // "reads", "allocated"
  std::string call;       // of the API; empty for commands of a file
  std::string operation;  // with operands while they are known
  std::string kernel;     // of the launch; empty: the host
  std::string engine;
  // Number in the launch, from 1.
  uint32_t command = 0;
  std::string layer = {};  // of the command, as the file of the network names it
  std::vector<SourceLine> lines;
  UserCode launch = {};  // call that launched the kernel, if known
  // Operands in global memory that have a name: "src_addr is argument input + 0x40".
  std::vector<std::string> tensors = {};
};

// The bytes in question. In lanes, the range may include other bytes.
struct Place {
  Space space = Space::global;
  uint64_t begin = 0, end = 0;  // in a lane, or as an address of engines
  uint64_t bytes = 0;           // number of bytes in question
  uint32_t first_lane = 0, last_lane = 0;
  uint32_t first_bank = 0, last_bank = 0;
};
std::string describe(const Place& place);

struct Finding {
  FindingKind kind;
  Actor actor;
  std::optional<Actor> other;
  std::optional<Place> place;
  std::string missing;      // the missing part, and where to add it
  std::string note = {};    // values
  std::string tensor = {};  // of the bytes, as a model names it
  // The commands that passed an undefined value on, and the command or the host that uses it.
  std::vector<Actor> way = {};
  // True for what compilers do on purpose in the commands of files.
  bool is_meant = false;
};

// Returns true for what is suspicious and may be meant.
inline bool is_hint(const Finding& finding) {
  return finding.is_meant || info(finding.kind).check == Check::hints;
}

// Returns several lines of text, without a line break at the end.
std::string describe(const Finding& finding);

}  // namespace tputwin::insight
