// A bar on stderr for work that takes longer than a second.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "machine/device.h"

namespace tputwin::tools {

class ProgressBar final : public Observer {
 public:
  explicit ProgressBar(uint64_t steps) : total_(steps) {}
  ~ProgressBar() override;
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override { advance(1); }
  void advance(uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  uint64_t total_, done_ = 0;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  bool drawn_ = false;
};

// The bar of a campaign, whose number of units is known when it begins.
class CampaignProgress {
 public:
  using Callback = std::function<void(uint64_t done, uint64_t total)>;

  explicit CampaignProgress(bool shown) : shown_(shown) {}
  // Returns nullptr if the bar is not shown. Used while this object exists. `more` steps follow the
  // counted ones.
  Callback callback(uint64_t more = 0);

 private:
  bool shown_;
  std::optional<ProgressBar> bar_;
  uint64_t drawn_ = 0;
};

}  // namespace tputwin::tools
