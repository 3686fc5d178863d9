// Checker: observes one device and reports mistakes of the program that uses it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "insight/allocations.h"
#include "insight/number_values.h"
#include "insight/origins.h"
#include "insight/report.h"
#include "insight/shadow.h"
#include "machine/device.h"

namespace tputwin::insight {

class Checker : public Observer {
 public:
  // `device` and `report` must outlive the checker.
  Checker(const Device& device, Checks checks, Report& report);

  void on_issue(const CallSite& site) override;
  void before_instruction(const Instruction&, const Footprint&) override;
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override;
  void on_event(const DeviceEvent& event) override;

 private:
  // A conflict of a command with an earlier command, mapped to the bytes in conflict.
  struct Meeting {
    FindingKind kind;
    CommandId other;
    auto operator<=>(const Meeting&) const = default;
  };
  using Meetings = std::map<Meeting, std::vector<ByteRange>>;

  void read(CommandId id, const ByteRange& range, bool may_skip, Meetings& meetings);
  void read_picked(CommandId id, const Operation& op, Meetings& meetings);
  void write(CommandId id, const ByteRange& range, Meetings& meetings);
  void check_operands(CommandId id, const Operation& op);
  void check_block(CommandId id, const Operand& operand, uint64_t begin, uint64_t end);
  // Checks tensors that share bytes (checker_tensors.cc).
  void check_overlap(CommandId id, const Operation& op);
  void check_neighbours(CommandId id, const Operation& op);
  void find_padding(Meetings& meetings);
  CommandId padded_tensor(const ByteRange& range);
  bool is_of_launch(CommandId id) const;
  // Finds unnecessary work (checker_hints.cc).
  void begin_hints();
  void check_repeated(CommandId id, const Operation& op, const Footprint& touched);
  void report_unused();
  // Checks values (checker_numbers.cc).
  void begin_numbers() { numbers_found_ = false; }
  void check_numbers(CommandId id, const Operation& op);
  void report(CommandId id, const Meetings& meetings);
  void report_race(CommandId id, CommandId other, const std::vector<ByteRange>& bytes);

  void host_touches(const DeviceEvent& event, bool writes);
  void launch_begun(const DeviceEvent& event);
  void pointer_taken(const DeviceEvent& event);
  void freed(const DeviceEvent& event);
  void closed();
  void kernel_ended();
  void find_unsynced(const ByteRange& range, CommandId host, bool writes, FindingKind kind);

  bool is_known(FindingKind kind, CommandId id, CommandId other);
  bool is_on(Check check) const { return checks_.on(check); }
  // Returns true if a suspicious command is to be reported. Commands of a file come from compilers
  // that may intend the pattern, so they are reported as hints only.
  bool may_be_mistake(CommandId id, Check check) const {
    return is_on(check) && (history_.at(id).stack != 0 || is_on(Check::hints));
  }
  bool is_unsynced(CommandId id) const;
  Actor actor(CommandId id, std::string does) const;
  Actor host_actor(StackId stack, std::string does) const;
  Place place(std::vector<ByteRange> bytes) const;
  // Returns for example "input x + 0x40"; empty: no tensor is known there.
  std::string tensor_at(uint64_t address) const;
  std::vector<std::string> named_operands(CommandId id) const;
  void forget_tensors(uint64_t begin, uint64_t end);
  void add(Finding finding);

  const Device& device_;
  const Chip& chip_;
  const Checks checks_;
  Report& report_;
  History history_;
  Shadow shadow_;
  Allocations allocations_;
  std::set<std::tuple<FindingKind, uint64_t, uint64_t, std::string>> known_;
  CallSite site_;  // of the next instruction
  StackId stack_ = 0;
  Origin origin_;  // of the current launch
  bool in_launch_ = false;
  CommandId unpolled_ = 0;  // newest command since the last poll
  StackId section_ = 0;     // call that began the parallel section
  uint64_t synced_ = 0;     // newest launch that the host waited for
  // The host may read the memories of the chip at any time.
  bool is_exposed_ = false;
  struct NamedTensor {
    uint64_t end = 0;
    std::string name;
  };
  std::map<uint64_t, NamedTensor> tensors_;  // of global memory, by first byte
  std::set<CommandId> writers_;              // of the bytes that the command reads
  std::map<std::string, CommandId> done_;    // commands of the launch, by description
  CommandId launch_first_ = 1;
  OperandCopy before_;          // of the current command
  bool numbers_found_ = false;  // in this launch
};

}  // namespace tputwin::insight
