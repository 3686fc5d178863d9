// Times of each family. The BM1684's are fitted to a board, the others are inferred from them.
#include "chip/timing.h"

namespace tputwin {
namespace {

constexpr ChipTiming kBm1684{
    .launch_seconds = 40e-6,
    .issue_seconds = 3.5e-6,
    .queue_depth = 32,
    .load_bytes_per_second = 28e9,
    .store_bytes_per_second = 24e9,
    .transfer_seconds = 1.5e-6,
    .run_seconds = 10e-9,
    .split_beats = 3,
    .tap_cycles = 17,
    .empties_after_taps = true,
    .factor_cycles = 1,
};

// Returns the BM1684's times with other rates. They are the same shares of the chip's own bus
// width.
constexpr ChipTiming with_rates(double load, double store) {
  ChipTiming timing = kBm1684;
  timing.load_bytes_per_second = load;
  timing.store_bytes_per_second = store;
  return timing;
}
constexpr ChipTiming kBm1880 = with_rates(12.7e9, 10.9e9);
// With 17 cycles after each tap, no network in 8 bits could be as fast as boards are: a tap of 64
// channels takes four cycles.
constexpr ChipTiming kBm1684x = [] {
  ChipTiming timing = with_rates(51e9, 44e9);
  timing.empties_after_taps = false;
  return timing;
}();

}  // namespace

const ChipTiming& timing_of(const Chip& chip) {
  switch (chip.family) {
    case ChipFamily::bm1880:
      return kBm1880;
    case ChipFamily::bm1684:
      return kBm1684;
    case ChipFamily::bm1684x:
      break;
  }
  return kBm1684x;
}

}  // namespace tputwin
