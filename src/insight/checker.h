// Checker: observes one device and reports mistakes of the program that uses it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "insight/allocations.h"
#include "insight/launch_layers.h"
#include "insight/number_values.h"
#include "insight/origins.h"
#include "insight/report.h"
#include "insight/shadow/shadow.h"
#include "insight/shadow/traces.h"
#include "machine/device.h"
#include "ops/dependence/mark_flow.h"

namespace tputwin::insight {

// Bytes with an undefined value, NaN or infinity.
struct TracedBytes {
  ByteRange bytes;
  TraceId trace;
};

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
  using UndefinedReads = Meetings;  // with the writers of the bytes

  void read_sources(CommandId id, const Operation& op, const Footprint& touched);
  void read(CommandId id, const std::vector<ByteRange>& ranges, UndefinedReads& undefined);
  void note_read(const ByteRange& range);
  void add_stale(CommandId writer, const LaneBytes& bytes, UndefinedReads& undefined);
  void write(CommandId id, const std::vector<ByteRange>& ranges);
  void check_operands(CommandId id, const Operation& op);
  void check_block(CommandId id, const Operand& operand, uint64_t begin, uint64_t end);
  // Checks tensors that share bytes (checker_tensors.cc).
  void check_overlap(CommandId id, const Operation& op);
  void check_neighbours(CommandId id, const Operation& op);
  void find_padding(UndefinedReads& undefined);
  using WritesByCommand = std::map<CommandId, std::vector<ByteRange>>;
  const std::vector<ByteRange>* writes_of(CommandId id, WritesByCommand& known) const;
  CommandId padded_tensor(const ByteRange& range, WritesByCommand& known) const;
  bool is_of_launch(CommandId id) const;
  // Finds unnecessary work (checker_hints.cc).
  void begin_hints();
  void check_repeated(CommandId id, const Operation& op, const Footprint& touched);
  void report_unused();
  // Follows undefined values (checker_flow.cc).
  void add_roots(CommandId id, UndefinedReads& undefined);
  TraceId add_root(Root root);
  void add_source(const LaneBytes& bytes, TraceId trace);
  MarkScratch& scratch();
  void pass_on(CommandId id, const Operation& op);
  void store_traces(CommandId id);
  // Reports them where they leave (checker_sinks.cc).
  Finding finding_of(const Root& root) const;
  std::vector<Actor> way_of(TraceId trace) const;
  void report_trace(TraceId trace, Actor sink);
  void report_traces_in(const ByteRange& range, const std::function<Actor(CommandId)>& sink);
  void report_unread_block(const Allocation& block);
  void report_exposed();
  void report_harmless(bool is_closing);
  // Checks values (checker_numbers.cc).
  ElementMarks explained_elements(const TensorView& out) const;
  void check_numbers(CommandId id, const Operation& op);
  void report_races(CommandId id);
  void report_race(CommandId id, CommandId other, const std::vector<ByteRange>& bytes);

  void host_touches(const DeviceEvent& event, bool writes);
  void allocated(const DeviceEvent& event);
  void launch_begun(const DeviceEvent& event);
  void launch_ended();
  void pointer_taken(const DeviceEvent& event);
  void freed(const DeviceEvent& event);
  void closed();
  void kernel_ended();
  void find_unsynced(const ByteRange& range, CommandId host, bool writes, FindingKind kind);

  Traces::Key key_of(FindingKind kind, CommandId id, CommandId other) const;
  bool is_known(FindingKind kind, CommandId id, CommandId other) {
    return !known_.insert(key_of(kind, id, other)).second;
  }
  bool is_on(Check check) const { return checks_.on(check); }
  // Commands of a file come from compilers, which may mean what is suspicious in programs.
  bool is_of_file(CommandId id) const { return history_.at(id).stack == 0; }
  // Returns true if a suspicious command is to be reported: as a hint, if it is of a file.
  bool is_to_report(CommandId id, Check check) const {
    return is_on(check) && (!is_of_file(id) || is_on(Check::hints));
  }
  bool is_unsynced(CommandId id) const;
  std::string_view layer_of(const Instruction& instruction);
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
  std::set<Traces::Key> known_;
  CallSite site_;  // of the next instruction
  StackId stack_ = 0;
  Origin origin_;                                   // of the current launch
  LaunchLayers layers_;                             // of the current launch
  std::set<std::string, std::less<>> layer_names_;  // those that the history has
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
  size_t launch_first_root_ = 0;
  // The command that runs, what it read of undefined values, and its results of them.
  CommandId current_ = 0;
  Meetings meetings_;
  std::vector<TracedBytes> sources_, results_;
  // Results that depend on an unknown order of the command have a trace.
  bool is_order_followed_ = false;
  OperandCopy before_;
  Traces traces_;
  std::unique_ptr<MarkScratch> scratch_;      // made for the first undefined value
  std::set<uint64_t> read_blocks_;            // allocations that something read, by first byte
  std::vector<ByteRange> exposed_;            // global memory that the host has a pointer to
  std::set<uint32_t> launches_with_numbers_;  // of which NaN or infinity was reported
};

}  // namespace tputwin::insight
