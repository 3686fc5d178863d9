// The times of one side of a comparison.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace tputwin::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of all threads of the process: what a call costs where others keep the processors busy.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// In milliseconds.
class Times {
 public:
  // A few calls after a pause in which spinning workers of the libraries fall asleep: they would
  // share the processors with whoever comes next.
  template <class F>
  void measure(F&& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int i = 0; i < 3; ++i) {
      const auto start = Clock::now();
      const double cpu = cpu_seconds();
      call();
      times_.push_back(seconds_since(start) * 1e3);
      cpu_.push_back((cpu_seconds() - cpu) * 1e3);
    }
  }
  // The first call of a side prepares, and is not like the others.
  void forget() { times_.clear(), cpu_.clear(); }
  double median() const {
    auto sorted = times_;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
  double least() const { return times_.empty() ? 0 : *std::ranges::min_element(times_); }
  double least_cpu() const { return cpu_.empty() ? 0 : *std::ranges::min_element(cpu_); }
  nlohmann::json json() const {
    return {{"median_ms", median()}, {"min_ms", least()}, {"min_cpu_ms", least_cpu()}};
  }

 private:
  std::vector<double> times_, cpu_;
};

}  // namespace tputwin::bench
