// Devices of all chips, threads that give them work, and the memory of the process.
//
//   soak [--devices 100] [--threads 16] [--seconds N | --jobs N] MODEL...
#include "base/parallel.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "selftest/rng.h"
#include "soak/slots.h"

namespace tputwin::soak {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  size_t devices = 100, threads = 16;
  uint64_t jobs = 0;                 // 0: by time
  double seconds = 60, growth = 10;  // growth: limit in percent of the warm size
  std::vector<std::string> models;
};

// Returns the resident memory of the process in MB.
double resident() {
  unsigned long all = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

class Soak {
 public:
  Soak(const Options& options, std::vector<std::unique_ptr<Slot>> slots)
      : options_(options), slots_(std::move(slots)), busy_(slots_.size()) {}

  // Works until the fraction `part` of all work is done, from 0 to 1.
  bool run(double part) {
    until_ = part;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { serve(i); });
    for (std::thread& thread : threads) thread.join();
    return !failed_;
  }
  uint64_t jobs() const { return jobs_; }
  uint64_t renewed() const { return renewed_; }

 private:
  bool is_over() {
    if (failed_) return true;
    if (options_.jobs != 0)
      return static_cast<double>(jobs_) >= until_ * static_cast<double>(options_.jobs);
    return std::chrono::duration<double>(Clock::now() - start_).count() >=
           until_ * options_.seconds;
  }

  void serve(size_t thread) {
    testing::Rng rng(thread + 1, jobs_);
    while (!is_over()) {
      const size_t at = rng.below(slots_.size());
      const std::unique_lock lock(busy_[at], std::try_to_lock);
      if (!lock.owns_lock()) continue;
      const bool is_renewed = rng.below(kRenewOneOf) == 0;
      const Status renewed = is_renewed ? slots_[at]->renew() : Status();
      const Result<bool> equal = renewed.ok() ? slots_[at]->work() : renewed.error();
      renewed_ += is_renewed ? 1 : 0;
      ++jobs_;
      if (equal.ok() && *equal) continue;
      std::fprintf(
          stderr, "soak: %s: %s\n", slots_[at]->name().c_str(),
          equal.ok() ? "other bytes than the first time" : equal.error().message().c_str());
      failed_ = true;
    }
  }

  static constexpr uint64_t kRenewOneOf = 8;
  const Options& options_;
  const std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::mutex> busy_;
  std::atomic<uint64_t> jobs_ = 0, renewed_ = 0;
  std::atomic<bool> failed_ = false;
  double until_ = 1;
  const Clock::time_point start_ = Clock::now();
};

int soak(const Options& options) {
  // one thread serves one device, without workers
  set_thread_count(1);
  auto slots = make_slots(options.devices, options.models);
  if (!slots.ok()) {
    std::fprintf(stderr, "soak: %s\n", slots.error().message().c_str());
    return 1;
  }
  Soak soak(options, std::move(*slots));
  const double at_start = resident();
  // new devices have touched little of their memory, so the size varies by a few percent
  constexpr int kParts = 5, kWarmParts = 3;
  double warm = 0;
  for (int part = 1; part <= kParts; ++part) {
    if (!soak.run(static_cast<double>(part) / kParts)) return 1;
    if (part <= kWarmParts) warm = std::max(warm, resident());
    std::printf("%d/%d: %lu jobs, %lu devices recreated, %.1f MB\n", part, kParts,
                static_cast<unsigned long>(soak.jobs()), static_cast<unsigned long>(soak.renewed()),
                resident());
  }
  const double end = resident(), most = warm * (1 + options.growth / 100) + 16;
  std::printf(
      "%zu devices, %zu threads: %.1f MB at first, at most %.1f MB warm, %.1f MB at the end\n",
      options.devices, options.threads, at_start, warm, end);
  if (end <= most) return 0;
  std::fprintf(stderr, "soak: memory grew by more than %.0f %% and 16 MB\n", options.growth);
  return 1;
}

}  // namespace
}  // namespace tputwin::soak

int main(int argc, char** argv) {
  tputwin::soak::Options options;
  CLI::App app("Gives many devices work for a long time");
  app.add_option("MODEL", options.models, "models of the BM1684X")->required();
  app.add_option("--devices", options.devices);
  app.add_option("--threads", options.threads);
  app.add_option("--jobs", options.jobs, "so many, in place of a time");
  app.add_option("--seconds", options.seconds);
  app.add_option("--growth", options.growth, "percent that memory may grow by");
  CLI11_PARSE(app, argc, argv);
  return tputwin::soak::soak(options);
}
