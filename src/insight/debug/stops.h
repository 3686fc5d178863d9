// Stops of a program under the debugger: breakpoints at commands, watchpoints on bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "insight/debug/journal.h"
#include "insight/stacks.h"

namespace tputwin::debug {

using insight::UserCode;

struct Breakpoint {
  enum class Kind : uint8_t { name, line, launch, layer, command };
  uint32_t id = 0;
  Kind kind = Kind::name;
  // Kind::name: pattern (*, ?, []) of calls or operations. Kind::launch: pattern of kernels, if it
  // is not empty.
  // Kind::layer: pattern of layers. Kind::line: the file.
  std::string text;
  // Number of the line, the launch or layer (if `text` is empty) or the command.
  uint64_t number = 0;
};
std::string describe(const Breakpoint& breakpoint);
// Parses "okk_bdc_add", "plus_one.c:21", "#12", "launch 2", "launch NAME", "layer 3", "layer NAME".
// Returns nullopt for other texts.
std::optional<Breakpoint> parse_breakpoint(const std::string& text);

// A command to be compared with breakpoints. `begins_...` is true for the first command of a
// launch, layer or line.
struct Candidate {
  const Entry& entry;
  const UserCode& code;
  const std::string& launch;
  std::string_view layer;
  bool begins_launch, begins_layer, begins_line;
};
bool matches(const Breakpoint& breakpoint, const Candidate& candidate);

struct Watchpoint {
  uint32_t id = 0;
  std::string text;  // as the user wrote it
  std::vector<ByteRange> ranges;
  bool any_write = false;  // also stops at writes that change nothing
  std::vector<uint8_t> value;
};

// Watchpoints with the last known values of their bytes.
class Watchpoints {
 public:
  explicit Watchpoints(const Memory& memory) : memory_(memory) {}
  uint32_t add(uint32_t id, std::string text, std::vector<ByteRange> ranges, bool any_write);
  bool remove(uint32_t id);
  const std::vector<Watchpoint>& all() const { return all_; }
  // Must be called after an entry wrote `written`, or was undone. Returns the first watchpoint
  // that it triggers, or nullptr.
  const Watchpoint* notice(const std::vector<ByteRange>& written);
  // Reads all values again, after memory went to another moment.
  void refresh();

 private:
  std::vector<uint8_t> value_of(const Watchpoint& watch) const;
  Memory memory_;
  std::vector<Watchpoint> all_;
};

}  // namespace tputwin::debug
