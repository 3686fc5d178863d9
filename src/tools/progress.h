// A bar on stderr for work that takes longer than a second.
#pragma once

#include <chrono>

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

}  // namespace tputwin::tools
