// Run times of a model, as the tools print them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tputwin::tools {

// Returns "12.3 us", "4.560 ms", "7.890 s".
std::string seconds_text(double seconds);

// Returns the line "latency min ..., median ..., p99 ...; 12.0 images/s on 2 devices". `sorted`
// holds the times of all runs, the fastest first, each of `images`. `wall_seconds` is the time of
// all together.
std::string latency_text(std::span<const double> sorted, uint64_t images, double wall_seconds,
                         unsigned devices);

// Returns the time that this percentage of the runs does not exceed.
double percentile(std::span<const double> sorted, size_t percent);

// Returns the line "memory 34.8 MB of its own, 1.36 x the model's 25.7 MB"; "" if the memory of the
// process is unknown.
std::string memory_text(std::optional<uint64_t> own, uint64_t model);

}  // namespace tputwin::tools
