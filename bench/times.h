// The times of one side of a comparison.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tputwin::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns processor seconds of all threads of the process: the cost of a call on a loaded host. The
// process's own clock is no use: of threads that run on another processor it knows what they used
// until the system's last tick, 4 ms ago at worst. The clock of each thread knows it exactly.
inline double cpu_seconds() {
  double all = 0;
  std::error_code gone;  // a thread that ends meanwhile
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    const auto id = static_cast<uint32_t>(std::stoul(task.path().filename()));
    const auto clock = static_cast<clockid_t>((~id << 3) | 6);  // as pthread_getcpuclockid makes it
    timespec time{};
    if (clock_gettime(clock, &time) != 0) continue;
    all += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return all;
}

// Times in milliseconds.
class Times {
 public:
  // Measures a few calls after a pause. In the pause, spinning workers of the libraries fall
  // asleep, so that they do not take processor time from the next measurement.
  template <class F>
  void measure(F&& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int i = 0; i < 3; ++i) {
      const double cpu = cpu_seconds();
      const auto start = Clock::now();
      call();
      times_.push_back(seconds_since(start) * 1e3);
      cpu_.push_back((cpu_seconds() - cpu) * 1e3);
    }
  }
  // Forgets the first call of a side, which prepares and takes longer.
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
