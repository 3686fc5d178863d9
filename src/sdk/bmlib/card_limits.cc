// Time limits of launches: threads that wait for the card stop a launch that exceeds its limit, or
// continue without it.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmlib.h"
#include "sdk/bmlib/card.h"
#include "sdk/okkernel/kernel_lock.h"

namespace tputwin::bmlib {
namespace {

using std::chrono::milliseconds;

// Period in which the thread of a launch that is to end is checked.
constexpr auto kPeriod = std::chrono::microseconds(200);
// Longest time, and most checks, in which the thread may be in code that cannot be left, such as a
// wait in a system function. On a busy host checks are rare.
constexpr auto kGrace = milliseconds(1000);
constexpr int kMostMeetings = 200;
// A thread that receives no signal for this time has blocked it.
constexpr auto kSilence = milliseconds(10'000);

int limit_of(const Launch& launch) { return launch.limit != nullptr ? launch.limit->load() : 0; }

bool is_over(std::optional<Clock::time_point> end) { return end && *end <= Clock::now(); }

// Keeps lost cards forever: a thread that never ends uses them.
void keep_for_ever(std::shared_ptr<Card> card) {
  static auto& mutex = *new std::mutex;
  static auto& cards = *new std::vector<std::shared_ptr<Card>>;
  std::lock_guard lock(mutex);
  cards.push_back(std::move(card));
}

}  // namespace

Error Card::timeout_error(const Launch& launch, std::string_view what) const {
  return Error(errors::bml_timeout)
      .in(fmt::format("{} {}", launch.kind, launch.name))
      .argument("launch", fmt::format("{} of device {}", launch.number, id_))
      .detail(fmt::format("after {} ms {}", limit_of(launch), what));
}

Error Card::lost_error(const Launch& launch) const {
  return Error(errors::bml_device_lost)
      .in(fmt::format("{} {}", launch.kind, launch.name))
      .argument("launch", fmt::format("{} of device {}", launch.number, id_));
}

bool Card::is_lost() const {
  std::lock_guard lock(mutex_);
  return is_lost_;
}

void Card::reconsider_limits() {
  std::lock_guard lock(mutex_);
  has_limits_ = true;
  changed_.notify_all();
}

void Card::finish(Launch& launch, okk::Outcome outcome) {
  launch.outcome = std::move(outcome);
  launch.done = true;
  ++counters_.finished;
  changed_.notify_all();
}

std::optional<Clock::time_point> Card::end_of_running() const {
  if (running_ == nullptr || running_->is_stopping || limit_of(*running_) <= 0) return {};
  return running_->begun + milliseconds(limit_of(*running_));
}

// A launch that has not begun waits for others, which may have no limit. It waits for each as long
// as its own limit allows it to run.
std::optional<Clock::time_point> Card::end_of_patience(const Launch& launch,
                                                       Clock::time_point start) const {
  if (running_ == nullptr || running_.get() == &launch || launch.done || limit_of(launch) <= 0 ||
      limit_of(*running_) > 0)
    return {};
  return std::max(start, running_->begun) + milliseconds(limit_of(launch));
}

// Waits for a change. Returns false if patience ends first.
bool Card::wait_or_end_running(Lock& lock, std::optional<Clock::time_point> patience) {
  const auto end = end_of_running();
  const auto first = end && patience ? std::min(*end, *patience) : end ? end : patience;
  if (!first) {
    changed_.wait(lock);
    return true;
  }
  if (changed_.wait_until(lock, *first) == std::cv_status::no_timeout) return true;
  if (is_over(end_of_running())) stop(lock, running_);
  return !is_over(patience);
}

void Card::wait_until(Lock& lock, const std::function<bool()>& holds) {
  while (!holds()) wait_or_end_running(lock, {});
}

void Card::wait(const std::shared_ptr<Launch>& launch) {
  const auto start = Clock::now();
  {
    Lock lock(mutex_);
    while (!launch->done)
      if (!wait_or_end_running(lock, end_of_patience(*launch, start)) &&
          is_over(end_of_patience(*launch, start)))
        cancel(launch);
  }
  notify_synced(launch->ticket + 1);
}

// Removes a launch that has not begun from the queue.
void Card::cancel(const std::shared_ptr<Launch>& launch) {
  const auto queued = std::ranges::find(launches_, launch);
  if (queued == launches_.end()) return;
  launches_.erase(queued);
  dropped_.insert(launch->ticket);
  const std::string what = fmt::format("it has not begun, as {} runs; it does not run any more",
                                       label(*running_).text());
  finish(*launch, {.error = timeout_error(*launch, what), .warnings = {}});
}

void Card::stop(Lock& lock, const std::shared_ptr<Launch>& wanted) {
  const std::shared_ptr<Launch> launch = wanted;  // running_ changes
  launch->is_stopping = true;
  okk::request_stop(launch->control);
  auto last_in_reach = Clock::now(), last_met = last_in_reach;
  int outside = 0;
  while (running_ == launch) {
    const okk::Met met = okk::interrupt(launch->control);
    const auto now = Clock::now();
    if (met != okk::Met::nowhere) last_met = now;
    if (met == okk::Met::outside) ++outside;
    if (met == okk::Met::library) {
      last_in_reach = now;
      outside = 0;
    }
    const bool stays_outside = now - last_in_reach > kGrace && outside >= kMostMeetings;
    if (stays_outside || now - last_met > kSilence) return lose(launch);
    changed_.wait_for(lock, kPeriod);
  }
}

// The card's thread is lost with the launch. Copies and allocations are still served, launches
// fail.
void Card::lose(const std::shared_ptr<Launch>& launch) {
  launch->control.abandoned = true;
  if (launch->control.function != nullptr) okk::KernelLock::give_up();
  keep_for_ever(shared_from_this());
  is_lost_ = true;
  running_ = nullptr;
  const std::string what = fmt::format("it could not be stopped; device {} is lost", id_);
  finish(*launch, {.error = timeout_error(*launch, what), .warnings = {}});
  for (const auto& queued : launches_) {
    dropped_.insert(queued->ticket);
    finish(*queued, {.error = lost_error(*queued), .warnings = {}});
  }
  launches_.clear();
  serve_next();
}

}  // namespace tputwin::bmlib
