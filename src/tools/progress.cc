// Draws the bar, and clears it at the end of the work.
#include "tools/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace tputwin::tools {

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r{:60}\r", "");
}

void ProgressBar::advance(uint64_t steps) {
  done_ += steps;
  if (Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  draw();
}

void ProgressBar::draw() {
  constexpr uint64_t kWidth = 40;
  uint64_t filled = total_ == 0 ? kWidth : std::min(kWidth, done_ * kWidth / total_);
  fmt::print(stderr, "\r[{:#<{}}{:{}}] {:3}%", "", filled, "", kWidth - filled,
             filled * 100 / kWidth);
  std::fflush(stderr);
  drawn_ = true;
}

CampaignProgress::Callback CampaignProgress::callback(uint64_t more) {
  if (!shown_) return nullptr;
  return [this, more](uint64_t done, uint64_t total) {
    if (!bar_) bar_.emplace(total + more);
    bar_->advance(done - drawn_);
    drawn_ = done;
  };
}

}  // namespace tputwin::tools
