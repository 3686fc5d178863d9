// Debug information of the loaded programs and libraries, read with elfutils.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "insight/stacks.h"

namespace tputwin::insight {

struct Frame {
  SourceLine line;
  std::string module;  // file name without directory
};
// Returns the source lines of return addresses.
std::vector<Frame> frames_of(std::span<const uintptr_t> return_addresses);
// Returns the number of addresses that were looked up in debug information so far. Each is looked
// up once, until a library is loaded or released.
uint64_t frame_look_ups();

struct Member {
  uint64_t offset = 0, bytes = 0;
  std::string name;
  bool operator==(const Member&) const = default;
};
// Returns the members of the structure that a kernel interprets its arguments as. That is a
// structure of `bytes` bytes that the function has a variable of, or a pointer to. Empty: there is
// none, or no debug information.
std::vector<Member> argument_members(const void* function, uint64_t bytes);

struct NamedAddress {
  uint64_t address = 0;
  std::string name;  // "argument input"
  // If false, it may be any 8 bytes, and not an address.
  bool is_certain = false;
};
// Returns the 8-byte members of a kernel's launch arguments, with the names of the members.
std::vector<NamedAddress> addresses_in(const void* function, std::span<const uint8_t> arguments);

}  // namespace tputwin::insight
