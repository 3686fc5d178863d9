// Journal: what happened to a device, and the way back. Memories are those of any moment that is
// kept: what a command or the host overwrote is put back, and commands are carried out again.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "insight/debug/patch.h"
#include "insight/stacks.h"
#include "ops/instruction.h"

namespace tputwin::debug {

using insight::StackId;

// How many entries are done: memories at moment m are those before entry m.
using Moment = uint64_t;

struct Entry {
  enum class Kind : uint8_t { command, host_write };
  Kind kind = Kind::command;
  uint32_t launch = 0;     // of the journal, from 1; 0: outside
  uint32_t in_launch = 0;  // number of a command there, from 1
  uint32_t layer = 0;      // of the journal, from 1
  uint64_t number = 0;     // of a command, from 1; of others that of the command before
  std::string_view call;   // of static storage
  StackId stack = 0;
  std::unique_ptr<const Instruction> instruction;  // of commands
  Patch before;  // what it overwrites; of entries long ago nothing
  Patch after;   // what the host wrote

  bool is_command() const { return kind == Kind::command; }
  uint64_t cost() const {
    return sizeof(Entry) + (instruction ? sizeof(Instruction) : 0) + before.cost() + after.cost();
  }
};

class Journal {
 public:
  // Everything that is kept takes at most `most_bytes`.
  Journal(const Memory& memory, const Chip& chip, uint64_t most_bytes);

  Moment first() const { return segments_.empty() ? end_ : segments_.front().first; }
  Moment now() const { return now_; }
  Moment end() const { return end_; }
  const Entry& at(Moment moment) const;
  // The moment before a command; end() if it is not there.
  Moment of_command(uint64_t number) const;
  // What an entry writes.
  std::vector<ByteRange> writes(Moment moment) const;

  // Something is about to happen, at the end: `before` holds what it overwrites.
  void append(Entry entry);
  // It has happened.
  void advance() { now_ = end_; }
  // What the host wrote is in memory by now.
  void settle();

  void go_to(Moment moment);
  uint64_t bytes() const { return bytes_; }

 private:
  // Entries side by side. Of those that are long ago, `checkpoint` leads from the end of all of
  // them, or any moment between, to their begin.
  struct Segment {
    Moment first = 0;
    std::vector<Entry> entries;
    bool is_merged = false;
    Patch checkpoint;
    uint64_t cost() const;
  };
  Segment& segment(Moment moment);
  Entry& entry(Moment moment);
  void step_back(Moment target);
  void redo(const Entry& entry);
  void keep_bound();
  void merge(Segment& segment);
  void join_smallest(size_t merged);

  Memory memory_;
  const Chip& chip_;
  const uint64_t most_bytes_;
  std::deque<Segment> segments_;
  std::vector<Moment> unsettled_;
  Moment now_ = 0, end_ = 0;
  uint64_t bytes_ = 0, newest_bytes_ = 0;
};

}  // namespace tputwin::debug
