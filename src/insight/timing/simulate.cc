// Simulates launches, issue, two in-order engines, and waits for numbers.
#include "insight/timing/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tputwin::insight {
namespace {

// The first cycle at which something can start, and what delays it until then.
struct ReadyTime {
  uint64_t at = 0;
  Delay delay = Delay::none;
  uint32_t blocker = kNoCommand;
};
void raise(ReadyTime& ready, const ReadyTime& other) {
  if (other.at > ready.at) ready = other;
}

class Simulation {
 public:
  explicit Simulation(Timeline& timeline) : timeline_(timeline) {}

  void run(TimelineLaunch& launch, uint64_t begin) {
    launch.begin = begin;
    processor_ = begin + cycles(timeline_.timing.launch_seconds);
    base_ = {processor_, Delay::launch, kNoCommand};
    engines_ = {};
    for (uint32_t i = launch.first; i < launch.first + launch.count; ++i) place(i);
    launch.end = std::max({processor_, base_.at, engines_[0].free.at, engines_[1].free.at});
  }

 private:
  struct Numbered {
    uint32_t id, command;
  };
  struct Started {
    uint64_t at;
    uint32_t command;
  };
  struct EngineState {
    ReadyTime free;
    std::vector<Numbered> numbers;  // since numbering began
    std::vector<Started> starts;    // of its commands
  };
  static constexpr size_t index(Engine engine) { return engine == Engine::dma; }
  uint64_t cycles(double seconds) const {
    return static_cast<uint64_t>(std::llround(seconds * timeline_.chip.clock_hz));
  }

  // Makes later commands wait for the end of all commands so far.
  void join() {
    for (EngineState& engine : engines_) {
      const uint32_t last = engine.free.blocker;
      raise(base_, {engine.free.at, Delay::host, last});
      engine.numbers.clear();
    }
  }
  void place(uint32_t i) {
    TimelineCommand& command = timeline_.commands[i];
    if (command.engine == Engine::cpu) {
      join();
      command.issue = command.start = command.end = base_.at;
      command.delay = base_.delay;
      command.blocker = base_.blocker;
      return;
    }
    EngineState& own = engines_[index(command.engine)];
    if (command.id != 0 && !own.numbers.empty() && command.id <= own.numbers.back().id) join();
    ReadyTime ready = base_;
    if (command.is_issued) issue(command, ready);
    raise(ready, own.free);
    if (command.wait != 0) raise(ready, finish_of(engines_[1 - index(command.engine)], command));
    command.start = ready.at;
    command.delay = ready.delay;
    command.blocker = ready.blocker;
    command.price = price_of(command.work, timeline_.chip, timeline_.timing);
    command.end = command.start + command.price.cycles();
    own.starts.push_back({command.start, i});
    own.free = {command.end, Delay::engine, i};
    if (command.id != 0) own.numbers.push_back({command.id, i});
  }
  // Issues a command as soon as the queue of its engine has a free slot.
  void issue(TimelineCommand& command, ReadyTime& ready) {
    command.issue_blocker = kNoCommand;
    const auto wait_until = [&](uint64_t at, uint32_t blocker) {
      if (at <= processor_) return;
      processor_ = at;
      command.issue_blocker = blocker;
    };
    if (command.follows_poll)
      for (const EngineState& engine : engines_) wait_until(engine.free.at, engine.free.blocker);
    auto& starts = engines_[index(command.engine)].starts;
    if (starts.size() >= timeline_.timing.queue_depth) {
      const Started& oldest = starts[starts.size() - timeline_.timing.queue_depth];
      wait_until(oldest.at, oldest.command);
    }
    processor_ += cycles(timeline_.timing.issue_seconds);
    command.issue = processor_;
    raise(ready, {processor_, Delay::issue, kNoCommand});
  }
  ReadyTime finish_of(const EngineState& other, const TimelineCommand& command) const {
    const auto after = std::ranges::upper_bound(other.numbers, command.wait, {}, &Numbered::id);
    if (after == other.numbers.begin()) return {};
    const uint32_t blocker = std::prev(after)->command;
    return {timeline_.commands[blocker].end, Delay::command, blocker};
  }

  Timeline& timeline_;
  uint64_t processor_ = 0;  // time of the last issue
  ReadyTime base_;          // earliest start of any command
  std::array<EngineState, 2> engines_;
};

}  // namespace

void simulate(Timeline& timeline, uint32_t from_launch) {
  Simulation simulation(timeline);
  for (uint32_t i = from_launch; i < timeline.launches.size(); ++i)
    simulation.run(timeline.launches[i], i == 0 ? 0 : timeline.launches[i - 1].end);
}

}  // namespace tputwin::insight
