// Compares the checks of all results first, then the operand values of one command.
#include "insight/recording/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "base/parallel.h"
#include "insight/recording/operand_values.h"
#include "ops/fast/fast.h"

namespace tputwin::insight::recording {
namespace {

// Sets the instruction set and threads of the process for its lifetime.
class Settings {
 public:
  explicit Settings(const Side& side) : isa_(fast::selected_isa()) {
    if (!side.isa.empty()) fast::select_isa(side.isa);
    set_thread_count(side.threads);
  }
  ~Settings() {
    fast::select_isa(isa_);
    set_thread_count(0);
  }
  Settings(const Settings&) = delete;

 private:
  const std::string isa_;
};

// Returns the indices of the entries that are commands.
std::vector<size_t> commands_of(const Recording& recording) {
  std::vector<size_t> entries;
  for (size_t i = 0; i < recording.entries.size(); ++i)
    if (std::holds_alternative<Command>(recording.entries[i])) entries.push_back(i);
  return entries;
}

const Command& command_at(const Recording& recording, size_t entry) {
  return std::get<Command>(recording.entries[entry]);
}

// Finds out which command runs, under any schedule: each engine keeps the order of its commands.
class Watcher : public Observer {
 public:
  Watcher(Device& device, const Recording& recording, std::optional<size_t> wanted)
      : memory_(device.memories().take_all()), wanted_(wanted) {
    for (const size_t entry : commands_of(recording)) {
      const Engine engine = command_at(recording, entry).instruction.engine;
      coming_[static_cast<size_t>(engine)].push_back(checks.size());
      checks.push_back(0);
    }
  }

  void before_instruction(const Instruction& instruction, const Footprint&) override {
    std::deque<size_t>& engine = coming_[static_cast<size_t>(instruction.engine)];
    now_ = engine.front();
    engine.pop_front();
    if (wanted_ == now_) before = values_of(memory_, instruction.op);
  }
  void on_instruction(const Instruction& instruction, const Footprint& touched,
                      const Cost&) override {
    checks[now_] = check_of(memory_, touched.writes);
    if (wanted_ == now_) after = values_of(memory_, instruction.op);
  }

  std::vector<uint32_t> checks;              // of the results of each command
  std::vector<OperandValues> before, after;  // of the wanted command

 private:
  const Memory memory_;
  const std::optional<size_t> wanted_;
  std::array<std::deque<size_t>, 3> coming_;  // by enum Engine
  size_t now_ = 0;
};

Result<std::unique_ptr<Watcher>> run(const Side& side, std::optional<size_t> wanted) {
  const Settings settings(side);
  TW_ASSIGN_OR_RETURN(device, make_device(*side.recording, side.play));
  auto watcher = std::make_unique<Watcher>(*device, *side.recording, wanted);
  device->observers().add(watcher.get());
  Player player(*side.recording, *device, side.play.schedule);
  const std::vector<size_t> commands = commands_of(*side.recording);
  // Under other schedules the wanted command may run later.
  const bool stops = wanted && side.play.schedule == Schedule::program;
  while (!stops || player.next() <= commands[*wanted]) {
    TW_ASSIGN_OR_RETURN(more, player.step());
    if (!more) break;
  }
  return watcher;
}

Result<std::vector<uint32_t>> checks_of(const Side& side) {
  if (!side.as_recorded()) {
    TW_ASSIGN_OR_RETURN(watcher, run(side, std::nullopt));
    return std::move(watcher->checks);
  }
  std::vector<uint32_t> checks;
  for (const size_t entry : commands_of(*side.recording))
    checks.push_back(command_at(*side.recording, entry).check);
  return checks;
}

std::string describe_both(const Side& a, const Side& b, size_t command) {
  const std::string of_a = describe_command(*a.recording, commands_of(*a.recording)[command]);
  const std::string of_b = describe_command(*b.recording, commands_of(*b.recording)[command]);
  return of_a == of_b ? of_a : fmt::format("A: {}\nB: {}", of_a, of_b);
}

Result<std::string> explain(const Side& a, const Side& b, size_t command) {
  TW_ASSIGN_OR_RETURN(run_a, run(a, command));
  TW_ASSIGN_OR_RETURN(run_b, run(b, command));
  std::string text = describe_both(a, b, command);
  const std::optional<Element> element = first_difference(run_a->after, run_b->after);
  if (!element) return text + "\n  " + describe_mismatch(run_a->after, run_b->after);
  text += "\n  " + describe_difference(run_a->after[0], run_b->after[0], *element);
  for (size_t i = 0; i < std::min(run_a->before.size(), run_b->before.size()); ++i)
    if (run_a->before[i].is_read)
      text += "\n  " + describe_operand(run_a->before[i], run_b->before[i], *element);
  return text;
}

}  // namespace

Result<Comparison> compare(const Side& a, const Side& b) {
  TW_ASSIGN_OR_RETURN(of_a, checks_of(a));
  TW_ASSIGN_OR_RETURN(of_b, checks_of(b));
  const auto [at_a, at_b] = std::ranges::mismatch(of_a, of_b);
  Comparison result{.commands = static_cast<size_t>(at_a - of_a.begin()), .difference = {}};
  if (at_a != of_a.end() && at_b != of_b.end()) {
    TW_ASSIGN_OR_RETURN(text, explain(a, b, result.commands));
    result.difference = std::move(text);
  } else if (of_a.size() != of_b.size()) {
    const bool more_in_a = of_a.size() > of_b.size();
    const Recording& longer = *(more_in_a ? a : b).recording;
    result.difference =
        fmt::format("{} has {} commands more, the first is\n{}", more_in_a ? "A" : "B",
                    std::max(of_a.size(), of_b.size()) - result.commands,
                    describe_command(longer, commands_of(longer)[result.commands]));
  }
  return result;
}

}  // namespace tputwin::insight::recording
