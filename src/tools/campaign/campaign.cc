// Campaign: units are assigned on request. The main thread of the leader also works on units;
// another thread communicates with the crew.
#include "tools/campaign/campaign.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "base/errors/tools.h"
#include "tools/campaign/checkpoint.h"
#include "tools/campaign/crew.h"

namespace tputwin::tools {
namespace {

using Results = std::vector<std::string>;

// mpirun sends this to the other ranks when a rank has died.
void on_end(int) {
  constexpr char kText[] =
      "tputwin: a process of the run has ended; what was done is in the file of --checkpoint, "
      "from which the same command goes on\n";
  static_cast<void>(!::write(STDERR_FILENO, kText, sizeof kText - 1));
  _exit(4);
}

class Leader {
 public:
  Leader(const Campaign& campaign, const CampaignOptions& options, Checkpoint checkpoint)
      : campaign_(campaign), options_(options), checkpoint_(std::move(checkpoint)) {
    open(0, campaign_.second_part);
    if (open_.empty()) begin_second_part();
    report();
  }

  // Communicates with the crew until all members know that no units are left.
  void lead(Crew& crew) {
    struct sigaction end = {};
    end.sa_handler = on_end;
    sigaction(SIGTERM, &end, nullptr);
    std::deque<int> idle;
    for (int working = crew.size() - 1; working > 0;) {
      const auto message = crew.receive();
      if (message) {
        take(*message);
        idle.push_back(message->from);
      }
      const size_t ended = answer(crew, idle);
      working -= static_cast<int>(ended);
      if (!message) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  // Works on units in this process.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::optional<uint64_t> unit;
      changed_.wait(lock, [&] { return (unit = take_unit()).has_value(); });
      if (*unit == kNoUnit) return;
      lock.unlock();
      auto result = campaign_.work(*unit);
      lock.lock();
      if (result.ok())
        keep(*unit, std::move(*result));
      else
        fail(result.error());
    }
  }

  Result<std::optional<Results>> finish() {
    // a unit that failed in another process runs again here, for its error
    if (!error_ && failed_unit_ != kNoUnit) {
      auto again = campaign_.work(failed_unit_);
      fail(again.ok() ? Error(errors::cli_campaign)
                            .argument("unit", std::to_string(failed_unit_))
                            .detail("it failed in another process only: " + failed_text_)
                      : again.error());
    }
    TW_RETURN_IF_ERROR(checkpoint_.write());
    if (error_) return *error_;
    Results results = lines(campaign_.units);
    if (campaign_.conclude) TW_RETURN_IF_ERROR(campaign_.conclude(results));
    checkpoint_.remove();
    return std::optional(std::move(results));
  }

 private:
  // ---- Under the lock, or before other threads exist ----

  // Makes the units that are not done available.
  void open(uint64_t begin, uint64_t end) {
    for (uint64_t unit = begin; unit < end; ++unit)
      if (!checkpoint_.results().contains(unit)) open_.push_back(unit);
    left_ = open_.size();
  }
  void begin_second_part() {
    is_second_ = true;
    if (const Status status = sum_up(); !status.ok()) fail(status.error());
    open(campaign_.second_part, campaign_.units);
    changed_.notify_all();
  }
  Status sum_up() {
    if (!campaign_.summary) return {};
    TW_ASSIGN_OR_RETURN(summary, campaign_.summary(lines(campaign_.second_part)));
    summary_ = std::move(summary);
    return campaign_.go_on(*summary_);
  }
  // Returns the lines of the first `units`, which are done.
  Results lines(uint64_t units) const {
    Results lines;
    for (const auto& [unit, line] : checkpoint_.results())
      if (unit < units) lines.push_back(line);
    return lines;
  }
  // Returns a unit. kNoUnit: none is left; nothing: some follow when the first part is done.
  std::optional<uint64_t> take_unit() {
    if (error_ || failed_unit_ != kNoUnit) return kNoUnit;
    if (open_.empty()) return is_second_ ? std::optional(kNoUnit) : std::nullopt;
    const uint64_t unit = open_.front();
    open_.pop_front();
    return unit;
  }
  void keep(uint64_t unit, std::string result) {
    if (Status status = checkpoint_.add(unit, std::move(result)); !status.ok())
      fail(status.error());
    report();
    if (--left_ == 0 && !is_second_) begin_second_part();
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
    changed_.notify_all();
  }
  void report() const {
    if (options_.progress) options_.progress(checkpoint_.results().size(), campaign_.units);
  }

  // ---- Called by the thread that communicates with the crew ----

  void take(const CrewMessage& message) {
    const std::lock_guard lock(mutex_);
    if (message.unit == kNoUnit) return greet(message);
    if (!message.failed) return keep(message.unit, message.result);
    failed_unit_ = message.unit;
    failed_text_ = message.result;
    changed_.notify_all();
  }
  // The first message of a process holds the identity of its campaign.
  void greet(const CrewMessage& message) {
    // the identity may include the means of all pixels
    constexpr size_t kShown = 300;
    if (message.result == campaign_.identity) return;
    fail(Error(errors::cli_campaign)
             .argument("process", std::to_string(message.from))
             .detail(fmt::format(
                 "its files, options or processor make another campaign: \"{}\", not \"{}\"",
                 message.result.substr(0, kShown), campaign_.identity.substr(0, kShown))));
  }
  // Answers idle members while there are units. Returns how many of them learned that none is left.
  size_t answer(Crew& crew, std::deque<int>& idle) {
    size_t ended = 0;
    for (; !idle.empty(); idle.pop_front()) {
      CrewAnswer answer;
      {
        const std::lock_guard lock(mutex_);
        const std::optional<uint64_t> unit = take_unit();
        if (!unit) break;
        answer.unit = *unit;
        if (*unit != kNoUnit && summary_ && informed_.insert(idle.front()).second)
          answer.summary = summary_;
      }
      if (answer.unit == kNoUnit) ++ended;
      crew.answer(idle.front(), answer);
    }
    return ended;
  }

  const Campaign& campaign_;
  const CampaignOptions& options_;
  Checkpoint checkpoint_;
  std::mutex mutex_;
  std::condition_variable changed_;  // the result of take_unit() may have changed
  std::deque<uint64_t> open_;
  size_t left_ = 0;  // units of the current part that are not done
  bool is_second_ = false;
  std::optional<std::string> summary_;  // summary of the first part
  std::set<int> informed_;              // members that know the summary
  std::optional<Error> error_;
  uint64_t failed_unit_ = kNoUnit;  // in another process
  std::string failed_text_;
};

Result<std::string> work_of(const Campaign& campaign, const CrewAnswer& answer) {
  if (answer.summary) TW_RETURN_IF_ERROR(campaign.go_on(*answer.summary));
  return campaign.work(answer.unit);
}

void follow(const Campaign& campaign, Crew& crew) {
  CrewMessage done{.result = campaign.identity};
  for (CrewAnswer next = crew.ask(done); next.unit != kNoUnit; next = crew.ask(done)) {
    auto result = work_of(campaign, next);
    done = {.unit = next.unit,
            .failed = !result.ok(),
            .result = result.ok() ? *result : result.error().message()};
  }
}

}  // namespace

Result<std::optional<Results>> run_campaign(const Campaign& campaign,
                                            const CampaignOptions& options) {
  TW_ASSIGN_OR_RETURN(crew, find_crew());
  if (crew != nullptr && crew->rank() != 0) {
    follow(campaign, *crew);
    return std::optional<Results>();
  }
  auto checkpoint = Checkpoint::open(options.checkpoint, campaign);
  if (!checkpoint.ok()) {
    // the other processes wait for units, and there are none
    const Campaign nothing;
    const CampaignOptions silent;
    if (crew != nullptr) Leader(nothing, silent, {}).lead(*crew);
    return checkpoint.error();
  }
  Leader leader(campaign, options, std::move(*checkpoint));
  std::optional<std::thread> speaker;
  if (crew != nullptr) speaker.emplace([&] { leader.lead(*crew); });
  leader.work();
  if (speaker) speaker->join();
  return leader.finish();
}

}  // namespace tputwin::tools
