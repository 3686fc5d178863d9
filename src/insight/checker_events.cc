// Checks accesses of the host against launches that it has not waited for, and how kernels end.
#include "insight/checker.h"

namespace tputwin::insight {

using Kind = DeviceEvent::Kind;

void Checker::on_event(const DeviceEvent& event) {
  const auto stack = [] { return Stacks::of_process().capture(); };
  switch (event.kind) {
    case Kind::launch_begin:
      return launch_begun(event);
    case Kind::kernel_end:
      return kernel_ended();
    case Kind::launch_end:
      return launch_ended();
    case Kind::synced:
      synced_ = std::max(synced_, event.number);
      return;
    case Kind::poll:
      history_.barrier();
      unpolled_ = 0;
      return;
    case Kind::section_begin:
      section_ = stack();
      return;
    case Kind::section_end:
      section_ = 0;
      return;
    case Kind::allocated:
      return allocated(event);
    case Kind::freed:
      return freed(event);
    case Kind::host_write:
      return host_touches(event, true);
    case Kind::host_read:
      return host_touches(event, false);
    case Kind::pointer:
      return pointer_taken(event);
    case Kind::commands:
      origin_ = Origins::of_process().find(event.commands);
      return;
    case Kind::tensor:
      tensors_[event.address] = {event.address + event.bytes, std::string(event.name)};
      return;
    case Kind::closed:
      return closed();
  }
}

void Checker::allocated(const DeviceEvent& event) {
  const uint64_t end = event.address + event.bytes;
  allocations_.add(event.address, event.bytes, Stacks::of_process().capture());
  read_blocks_.erase(event.address);
  forget_tensors(event.address, end);
  shadow_.update(ByteRange{Space::global, 0, event.address, end},
                 [](Touched& t, const LaneBytes&) { t = {}; });
}

void Checker::launch_begun(const DeviceEvent& event) {
  history_.begin_launch(event.name, event.number, Stacks::of_process().capture());
  begin_hints();
  origin_.clear();
  in_launch_ = true;
  unpolled_ = section_ = 0;
}

void Checker::launch_ended() {
  history_.barrier();
  in_launch_ = false;
  report_exposed();
  report_harmless(/*is_closing=*/false);
  report_unused();
}

void Checker::pointer_taken(const DeviceEvent& event) {
  const CommandId id = history_.add_host(Stacks::of_process().capture(), /*is_pointer=*/true);
  if (event.bytes == 0) {
    shadow_.fill_chip(id);
    is_exposed_ = true;
  } else if (!in_launch_) {
    exposed_.push_back({Space::global, 0, event.address, event.address + event.bytes});
  }
  const uint64_t end =
      event.bytes == 0 ? device_.memories().global_bytes() : event.address + event.bytes;
  shadow_.fill({Space::global, 0, event.address, end}, id);
}

// Returns true for a command of a launch that the host has not waited for.
bool Checker::is_unsynced(CommandId id) const {
  if (id == 0 || history_.at(id).number == 0) return false;
  return history_.launch(history_.at(id).launch).number > synced_;
}

void Checker::find_unsynced(const ByteRange& range, CommandId host, bool writes, FindingKind kind) {
  std::map<CommandId, std::vector<ByteRange>> met;
  shadow_.look(range, [&](const Touched& t, const LaneBytes& bytes) {
    const auto meet = [&](CommandId other) {
      if (is_unsynced(other)) bytes.append_to(met[other]);
    };
    meet(t.writer);
    if (writes)
      for (const CommandId reader : t.readers) meet(reader);
  });
  for (const auto& [other, bytes] : met)
    add({.kind = kind,
         .actor = actor(host, kind == FindingKind::freed_in_use ? "freed by"
                              : writes                          ? "written by"
                                                                : "read by"),
         .other = actor(other, "used by:"),
         .place = place(bytes),
         .missing = "a wait for the launch (bm_thread_sync) before it"});
}

void Checker::host_touches(const DeviceEvent& event, bool writes) {
  const CommandId id = history_.add_host(in_launch_ ? 0 : Stacks::of_process().capture());
  const ByteRange range{event.space, 0, event.address, event.address + event.bytes};
  if (!in_launch_) {
    find_unsynced(range, id, writes, FindingKind::host_race);
    const Allocation* past =
        allocations_.find(event.address) == nullptr ? allocations_.past(event.address) : nullptr;
    if (past != nullptr)
      add({.kind = FindingKind::use_after_free,
           .actor = actor(id, writes ? "written by" : "read by"),
           .other = host_actor(past->freed, "freed by"),
           .place = place({range}),
           .missing = "the memory must stay allocated until its last use"});
  }
  if (!writes) {
    note_read(range);
    report_traces_in(range, [&](CommandId) { return actor(id, "read by"); });
  }
  std::vector<ByteRange> unwritten;
  shadow_.update(range, [&](Touched& t, const LaneBytes& bytes) {
    if (!writes && t.writer != 0) history_.mark_used(t.writer);
    if (writes)
      t = {.writer = id};
    else if (t.writer == 0 && allocations_.find(bytes.begin) != nullptr)
      bytes.append_to(unwritten);
  });
  // Hosts also copy padding after their tensors, so only a range without any written byte counts.
  if (unwritten.size() == 1 && unwritten.front() == range)
    add({.kind = FindingKind::host_uninitialized,
         .actor = actor(id, "read by"),
         .other = {},
         .place = place(unwritten),
         .missing = "a store or a copy that fills these bytes before"});
}

void Checker::freed(const DeviceEvent& event) {
  const StackId stack = Stacks::of_process().capture();
  if (const Allocation* block = allocations_.find(event.address);
      block != nullptr && block->begin == event.address) {
    find_unsynced({Space::global, 0, block->begin, block->end}, history_.add_host(stack),
                  /*writes=*/true, FindingKind::freed_in_use);
    report_unread_block(*block);
    std::erase_if(exposed_, [&](const ByteRange& range) {
      return block->begin <= range.begin && range.begin < block->end;
    });
    allocations_.free(event.address, stack);
    return;
  }
  Finding finding{.kind = FindingKind::wrong_free,
                  .actor = host_actor(stack, "freed by"),
                  .other = {},
                  .place = {},
                  .missing = "the address at which an allocation begins"};
  if (const Allocation* past = allocations_.past(event.address);
      past != nullptr && past->begin == event.address) {
    finding.kind = FindingKind::double_free;
    finding.other = host_actor(past->freed, "freed before by");
    finding.missing = "an allocation in between, or one release less";
  }
  add(std::move(finding));
}

void Checker::closed() {
  for (const Allocation& block : allocations_.live()) {
    report_unread_block(block);
    add({.kind = FindingKind::leak,
         .actor = host_actor(block.allocated, "allocated by"),
         .other = {},
         .place = place({{Space::global, 0, block.begin, block.end}}),
         .missing = "its release before the device is closed"});
  }
  report_harmless(/*is_closing=*/true);
}

void Checker::kernel_ended() {
  if (section_ != 0) {
    Actor begin = host_actor(section_, "begun by");
    begin.kernel = history_.launch(history_.current_launch()).name;
    add({.kind = FindingKind::section_open,
         .actor = std::move(begin),
         .other = {},
         .place = {},
         .missing = "the end of the parallel section before the kernel returns"});
  }
  // After an error no command is executed, and no poll either.
  if (unpolled_ != 0 && device_.error().ok())
    add({.kind = FindingKind::unpolled,
         .actor = actor(unpolled_, "last:"),
         .other = {},
         .place = {},
         .missing = "a poll after the last command, before the kernel returns"});
}

}  // namespace tputwin::insight
