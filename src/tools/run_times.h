// How long the runs of a model took, as tools tell it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tputwin::tools {

// "12.3 us", "4.560 ms", "7.890 s".
std::string seconds_text(double seconds);

// "latency min ..., median ..., p99 ...; 12.0 images/s on 2 devices", a line, of the times of all
// runs, the fastest first, of `images` each, which together took so long.
std::string latency_text(std::span<const double> sorted, uint64_t images, double wall_seconds,
                         unsigned devices);

}  // namespace tputwin::tools
