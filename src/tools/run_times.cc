// Times as text.
#include "tools/run_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace tputwin::tools {

double percentile(std::span<const double> sorted, size_t percent) {
  return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string latency_text(std::span<const double> sorted, uint64_t images, double wall_seconds,
                         unsigned devices) {
  return fmt::format("latency min {}, median {}, p99 {}; {:.1f} images/s on {}\n",
                     seconds_text(sorted.front()), seconds_text(percentile(sorted, 50)),
                     seconds_text(percentile(sorted, 99)),
                     static_cast<double>(images * sorted.size()) / wall_seconds,
                     devices == 1 ? std::string("1 device") : fmt::format("{} devices", devices));
}

std::string memory_text(std::optional<uint64_t> own, uint64_t model) {
  constexpr double kMega = 1e6;
  if (!own) return {};
  const auto bytes = static_cast<double>(*own), file = static_cast<double>(model);
  return fmt::format("memory  {:.1f} MB of its own, {:.2f} x the model's {:.1f} MB\n",
                     bytes / kMega, bytes / file, file / kMega);
}

}  // namespace tputwin::tools
