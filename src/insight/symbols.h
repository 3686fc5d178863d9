// Debug information of the programs and libraries that are loaded: by elfutils.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "insight/stacks.h"

namespace tputwin::insight {

struct Frame {
  SourceLine line;
  std::string module;  // file name, without folder
};
// What stands at return addresses.
std::vector<Frame> frames_of(std::span<const uintptr_t> return_addresses);
// How many addresses were looked up in debug information so far: each once, until a library is
// loaded or released.
uint64_t frame_look_ups();

struct Member {
  uint64_t offset = 0, bytes = 0;
  std::string name;
  bool operator==(const Member&) const = default;
};
// Of the structure of so many bytes that a function has a variable of, or one that points to it:
// what kernels make of the bytes they are launched with. Empty: there is none, or no debug
// information.
std::vector<Member> argument_members(const void* function, uint64_t bytes);

struct NamedAddress {
  uint64_t address = 0;
  std::string name;         // "argument input"
  bool is_certain = false;  // otherwise it is any 8 bytes, which may be no address
};
// Of the bytes that a kernel is launched with, those of 8 bytes, by the names of their members.
std::vector<NamedAddress> addresses_in(const void* function, std::span<const uint8_t> arguments);

}  // namespace tputwin::insight
