// Journal: the events of a device, and how to undo them. It restores the memories of any moment
// that is kept: overwritten bytes are put back, and commands are executed again.
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

// The number of entries done. Memories at moment m are those before entry m.
using Moment = uint64_t;

struct Entry {
  enum class Kind : uint8_t { command, host_write };
  Kind kind = Kind::command;
  // Number of the launch in the journal, from 1; 0: outside of launches.
  uint32_t launch = 0;
  // Number of a command in its launch, from 1.
  uint32_t in_launch = 0;
  uint32_t layer = 0;  // in the journal, from 1
  // Number of the command, from 1. A write of the host has the number of the command before it.
  uint64_t number = 0;
  std::string_view call;  // in static storage
  StackId stack = 0;
  std::unique_ptr<const Instruction> instruction;  // set for commands
  // The bytes that it overwrites; empty for old entries.
  Patch before;
  Patch after;  // the bytes that the host wrote

  bool is_command() const { return kind == Kind::command; }
  uint64_t cost() const {
    return sizeof(Entry) + (instruction ? sizeof(Instruction) : 0) + before.cost() + after.cost();
  }
};

class Journal {
 public:
  // All kept data takes at most `most_bytes`.
  Journal(const Memory& memory, const Chip& chip, uint64_t most_bytes);

  Moment first() const { return segments_.empty() ? end_ : segments_.front().first; }
  Moment now() const { return now_; }
  Moment end() const { return end_; }
  const Entry& at(Moment moment) const;
  // Returns the moment before a command; end() if it is not in the journal.
  Moment of_command(uint64_t number) const;
  // Returns the ranges that an entry writes.
  std::vector<ByteRange> writes(Moment moment) const;

  // Appends an event that is about to happen. `before` holds the bytes that it overwrites.
  void append(Entry entry);
  // Records that the appended event has happened.
  void advance() { now_ = end_; }
  // Completes entries of the host with the bytes written, which are in memory now.
  void settle();

  void go_to(Moment moment);
  uint64_t bytes() const { return bytes_; }

 private:
  // Consecutive entries. In a merged segment they have no `before`. Instead `checkpoint` leads from
  // any moment of the segment back to its begin.
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
