// Units handed out as they are asked for. The leader works too: its main thread does units, another
// speaks with the crew.
#include "tools/campaign/campaign.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "base/errors/tools.h"
#include "tools/campaign/checkpoint.h"
#include "tools/campaign/crew.h"

namespace tputwin::tools {
namespace {

using Results = std::vector<std::string>;

// What mpirun sends the others when a rank has died.
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
    for (uint64_t unit = 0; unit < campaign.units; ++unit)
      if (!checkpoint_.results().contains(unit)) open_.push_back(unit);
    report();
  }

  // With the crew until all of its members have been told that nothing is left.
  void lead(Crew& crew) {
    struct sigaction end = {};
    end.sa_handler = on_end;
    sigaction(SIGTERM, &end, nullptr);
    for (int working = crew.size() - 1; working > 0;) {
      const auto message = crew.receive();
      if (!message) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        continue;
      }
      if (message->unit != kNoUnit) take(*message);
      const uint64_t next = take_unit();
      if (next == kNoUnit) --working;
      crew.answer(message->from, next);
    }
  }

  // What this process does itself.
  void work() {
    for (uint64_t unit = take_unit(); unit != kNoUnit; unit = take_unit()) {
      auto result = campaign_.work(unit);
      const std::lock_guard lock(mutex_);
      if (result.ok())
        keep(unit, std::move(*result));
      else
        fail(result.error());
    }
  }

  Result<std::optional<Results>> finish() {
    // a unit that failed elsewhere says here what was wrong with it
    if (!error_ && failed_unit_ != kNoUnit) {
      auto again = campaign_.work(failed_unit_);
      fail(again.ok() ? Error(errors::cli_campaign)
                            .argument("unit", std::to_string(failed_unit_))
                            .detail("it failed in another process only: " + failed_text_)
                      : again.error());
    }
    TW_RETURN_IF_ERROR(checkpoint_.write());
    if (error_) return *error_;
    Results results;
    for (const auto& [unit, result] : checkpoint_.results()) results.push_back(result);
    checkpoint_.remove();
    return std::optional(std::move(results));
  }

 private:
  uint64_t take_unit() {
    const std::lock_guard lock(mutex_);
    if (open_.empty() || error_ || failed_unit_ != kNoUnit) return kNoUnit;
    const uint64_t unit = open_.front();
    open_.pop_front();
    return unit;
  }
  void take(const CrewMessage& message) {
    const std::lock_guard lock(mutex_);
    if (!message.failed) return keep(message.unit, message.result);
    failed_unit_ = message.unit;
    failed_text_ = message.result;
  }
  void keep(uint64_t unit, std::string result) {
    if (Status status = checkpoint_.add(unit, std::move(result)); !status.ok())
      fail(status.error());
    report();
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }
  void report() const {
    if (options_.progress) options_.progress(checkpoint_.results().size(), campaign_.units);
  }

  const Campaign& campaign_;
  const CampaignOptions& options_;
  Checkpoint checkpoint_;
  std::mutex mutex_;
  std::deque<uint64_t> open_;
  std::optional<Error> error_;
  uint64_t failed_unit_ = kNoUnit;  // of another process
  std::string failed_text_;
};

void follow(const Campaign& campaign, Crew& crew) {
  CrewMessage done;
  for (uint64_t unit = crew.ask(done); unit != kNoUnit; unit = crew.ask(done)) {
    auto result = campaign.work(unit);
    done = {.unit = unit,
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
    // the others wait for units, of which there are none
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
