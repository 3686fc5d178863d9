// How long the runs of a model took, as tools tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tputwin::tools {

// "12.3 us", "4.560 ms", "7.890 s".
std::string seconds_text(double seconds);

// "latency min ..., median ..., p99 ...; 12.0 images/s on 2 devices", a line, of the times of all
// runs, the fastest first, of `images` each, which together took so long.
std::string latency_text(std::span<const double> sorted, uint64_t images, double wall_seconds,
                         unsigned devices);

// The time that so many per cent of the runs do not exceed.
double percentile(std::span<const double> sorted, size_t percent);

// "memory 34.8 MB of its own, 1.36 x the model's 25.7 MB", a line; nothing if the process has none
// to tell.
std::string memory_text(std::optional<uint64_t> own, uint64_t model);

}  // namespace tputwin::tools
