// Where a program under the debugger stops: breakpoints at commands, watchpoints on bytes.
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
  // name: of calls and operations, launch: of kernels, layer: of layers (*, ?, []); line: the file
  std::string text;
  uint64_t number = 0;  // of the line, the layer (if it has no text) or the command
};
std::string describe(const Breakpoint& breakpoint);
// "okk_bdc_add", "plus_one.c:21", "#12", "launch NAME", "layer 3", "layer NAME"; none if it is none
// of these.
std::optional<Breakpoint> parse_breakpoint(const std::string& text);

// What a breakpoint looks at; the first command of a launch or a layer begins it.
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
  std::string text;  // as it was asked for
  std::vector<ByteRange> ranges;
  bool any_write = false;  // also of the bytes that are there
  std::vector<uint8_t> value;
};

// The bytes that watchpoints look at, and what they were.
class Watchpoints {
 public:
  explicit Watchpoints(const Memory& memory) : memory_(memory) {}
  uint32_t add(uint32_t id, std::string text, std::vector<ByteRange> ranges, bool any_write);
  bool remove(uint32_t id);
  const std::vector<Watchpoint>& all() const { return all_; }
  // An entry wrote these ranges, or was taken back; which watchpoint noticed.
  const Watchpoint* notice(const std::vector<ByteRange>& written);
  // Memory is that of another moment.
  void refresh();

 private:
  std::vector<uint8_t> value_of(const Watchpoint& watch) const;
  Memory memory_;
  std::vector<Watchpoint> all_;
};

}  // namespace tputwin::debug
