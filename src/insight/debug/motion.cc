// Motions of the debugger: forwards within the journal, and backwards.
#include <fmt/format.h>

#include <algorithm>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

const Entry* Debugger::next() const {
  for (Moment m = now(); m < journal_.end(); ++m)
    if (journal_.at(m).is_command()) return &journal_.at(m);
  return nullptr;
}

const Entry* Debugger::command_before(Moment moment) const {
  for (Moment m = moment; m > journal_.first(); --m)
    if (journal_.at(m - 1).is_command()) return &journal_.at(m - 1);
  return nullptr;
}

const Entry* Debugger::last() const { return command_before(now()); }

void Debugger::go_to(Moment moment) {
  journal_.go_to(std::clamp(moment, journal_.first(), newest_));
  watchpoints_.refresh();
}

const UserCode& Debugger::code(const Entry& entry) {
  const auto [known, is_new] = codes_.try_emplace({entry.stack, entry.call});
  if (is_new) known->second = insight::Stacks::of_process().user_code(entry.stack, entry.call);
  return known->second;
}

// Returns true if the command at a moment is the first of its line, layer or launch.
bool Debugger::begins(Motion::Unit unit, Moment moment) {
  const Entry& entry = journal_.at(moment);
  const Entry* before = command_before(moment);
  if (before == nullptr || unit == Motion::Unit::command) return true;
  if (before->launch != entry.launch) return true;
  switch (unit) {
    case Motion::Unit::layer:
      return before->layer != entry.layer && layers_[entry.layer - 1].first_command == entry.number;
    case Motion::Unit::line: {
      const UserCode& here = code(entry);
      // Without debug information every command counts as a line.
      return here.lines.empty() || here.lines.front().line == 0 ||
             here.lines != code(*before).lines;
    }
    default:
      return false;
  }
}

// Returns the stop at the command after a moment, if a breakpoint or the motion ends there.
std::optional<Stop> Debugger::stop_at(Moment moment) {
  if (moment >= journal_.end() || moment < journal_.first()) return {};
  const Entry& entry = journal_.at(moment);
  if (!entry.is_command()) return {};
  using Unit = Motion::Unit;
  if (!breakpoints_.empty()) {
    const Candidate candidate{entry,
                              code(entry),
                              launch_name(entry.launch),
                              layer_name(entry.layer),
                              begins(Unit::launch, moment),
                              begins(Unit::layer, moment),
                              begins(Unit::line, moment)};
    for (const Breakpoint& b : breakpoints_)
      if (matches(b, candidate))
        return Stop{Stop::Reason::breakpoint, fmt::format("breakpoint {}, {}", b.id, describe(b))};
  }
  if (motion_.unit == Unit::all || !begins(motion_.unit, moment) || --motion_.count != 0) return {};
  return Stop{Stop::Reason::step};
}

// Returns the stop at a moment if the entry before it, executed or undone, changed watched bytes.
std::optional<Stop> Debugger::watch_stop(Moment moment) {
  if (watchpoints_.all().empty() || moment <= journal_.first()) return {};
  const Watchpoint* noticed = watchpoints_.notice(journal_.writes(moment - 1));
  if (noticed == nullptr) return {};
  const Entry& writer = journal_.at(moment - 1);
  return Stop{Stop::Reason::watchpoint,
              fmt::format("watchpoint {}, {}: written by {}", noticed->id, noticed->text,
                          writer.is_command() ? fmt::format("#{}", writer.number) : "the host")};
}

std::optional<Stop> Debugger::resume(const Motion& motion) {
  motion_ = motion;
  if (motion.back) return go_back();
  const bool is_past = now() < newest_;
  const Entry* const here = next();  // may come after writes of the host
  while (now() < newest_) {
    journal_.go_to(now() + 1);
    if (auto stop = watch_stop(now())) return stop;
    if (now() < journal_.end() && &journal_.at(now()) == here) continue;
    if (auto stop = stop_at(now())) return stop;
  }
  if (is_past && is_finished_) return Stop{Stop::Reason::end, end_};
  return {};
}

std::optional<Stop> Debugger::go_back() {
  while (now() > journal_.first()) {
    const Moment from = now();
    Moment to = from - 1;
    std::optional<Stop> stop;
    // Without watchpoints, memory between is not needed.
    if (watchpoints_.all().empty()) {
      while (!(stop = stop_at(to)) && to > journal_.first()) --to;
      journal_.go_to(to);
    } else {
      journal_.go_to(to);
      stop = watch_stop(from);
      if (!stop) stop = stop_at(to);
    }
    if (stop) return stop;
  }
  return Stop{Stop::Reason::begin,
              journal_.first() == 0 ? "the program begins here" : "nothing before this is kept"};
}

uint32_t Debugger::add(Breakpoint breakpoint) {
  breakpoint.id = ++last_id_;
  breakpoints_.push_back(std::move(breakpoint));
  return last_id_;
}

uint32_t Debugger::watch(std::string text, std::vector<ByteRange> ranges, bool any_write) {
  return watchpoints_.add(++last_id_, std::move(text), std::move(ranges), any_write);
}

bool Debugger::remove(uint32_t id) {
  return std::erase_if(breakpoints_, [&](const Breakpoint& b) { return b.id == id; }) != 0 ||
         watchpoints_.remove(id);
}

void Debugger::remove_lines(const std::string& file) {
  std::erase_if(breakpoints_, [&](const Breakpoint& b) {
    return b.kind == Breakpoint::Kind::line && b.text == file;
  });
}

}  // namespace tputwin::debug
