// Recording: everything needed to replay the run of one device: commands, bytes from outside,
// events of the host, and their positions in its source.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "insight/recording/archive.h"
#include "insight/stacks.h"
#include "machine/observer.h"

namespace tputwin::insight::recording {

// Bytes of a memory that no command wrote. Local addresses are counted from lane to lane.
struct Poke {
  Space space = Space::global;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};

struct Command {
  Instruction instruction;
  std::string call;
  std::string layer;    // as the file of the network names it; empty: unknown
  uint32_t number = 0;  // in its launch; 0: unknown
  uint32_t stack = 0;   // in the recording, from 1; 0: none
  // CRC-32 of its footprint's written bytes, afterwards.
  uint32_t check = 0;
};

struct Event {
  DeviceEvent::Kind kind = DeviceEvent::Kind::poll;
  Space space = Space::global;
  uint64_t address = 0, bytes = 0, number = 0;
  std::string name;
  uint32_t stack = 0;
};

using Entry = std::variant<Poke, Command, Event>;

struct Header {
  std::string chip;
  uint64_t global_bytes = 0;
  bool poison = false;  // on-chip memory starts poisoned
  std::string program, quirks, isa;
};

struct Recording {
  Header header;
  std::vector<UserCode> stacks;
  std::vector<Entry> entries;
  // CRC-32 of all memory that commands touched, at the end.
  uint32_t check = 0;
};

Result<Recording> open(const std::string& path);
// Converts a file to a recording and back.
Result<Recording> parse(std::span<const uint8_t> file);
std::vector<uint8_t> to_file(const Recording& recording);

// Writes the parts of a recording. The caller must add them in order.
class Sink {
 public:
  void add(const Header& header);
  uint32_t add(const UserCode& stack);  // returns its number
  void add(const Entry& entry);
  void end(uint32_t check);
  Writer& writer() { return writer_; }

 private:
  Writer writer_;
  uint32_t stacks_ = 0;
  std::string layer_;  // of the commands that follow
};

}  // namespace tputwin::insight::recording
