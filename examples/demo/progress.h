// Time, and how far along the work is.
#pragma once

#include <stdio.h>
#include <unistd.h>

#include <chrono>
#include <string>

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One line on a terminal, drawn over and over; silent otherwise.
class ProgressBar {
 public:
  explicit ProgressBar(size_t total) : total_(total), start_(seconds()) {}
  void operator()(size_t done) {
    const int percent = (int)(100 * done / total_);
    if (percent == shown_ || !isatty(STDERR_FILENO)) return;
    shown_ = percent;
    const size_t width = 40, filled = width * (size_t)percent / 100;
    fprintf(stderr, "\r  [%s%s] %3d %%  %.0f images/s ", std::string(filled, '#').c_str(),
            std::string(width - filled, '.').c_str(), percent, (double)done / (seconds() - start_));
    if (done == total_) fprintf(stderr, "\n");
  }

 private:
  size_t total_;
  double start_;
  int shown_ = -1;
};
