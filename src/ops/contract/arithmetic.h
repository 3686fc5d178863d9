// Arithmetic: what an operation computes, as far as its predicted time depends on it.
#pragma once

#include <cstdint>

namespace tputwin {

// docs/timing.md derives what each costs.
enum class Arithmetic : uint8_t {
  convolution,  // sums of products over a window and over input channels
  window,       // sums or maxima over a window of one channel
  product,      // matrix products
  elements      // all other work
};

}  // namespace tputwin
