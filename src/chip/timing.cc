// Times of each family. The BM1684's are fitted to a board, the others are inferred from them. One
// number of the BM1684X is fitted to published times of networks.
#include "chip/timing.h"

namespace tputwin {
namespace {

constexpr ChipTiming kBm1684{
    .launch_seconds = 38e-6,
    .issue_seconds = 3.5e-6,
    .queue_depth = 32,
    .load_bytes_per_second = 26.5e9,
    .store_bytes_per_second = 22.5e9,
    .transfer_seconds = 2e-6,
    .run_seconds = 12e-9,
    .page_bytes = 1024,
    .split_beats = 3,
    .joined_beats = 8,
    .tap_cycles = 14,
    .stride_cycles = 2,
    .stalled_percent = 0,
    .old_result_cycles = 13,
    .factor_cycles = 1,
    .left_lane_cycles = 8,
    .has_row_products = false,
};

// Returns the BM1684's times with other rates. They are the same shares of the chip's own bus
// width.
constexpr ChipTiming with_rates(double load, double store) {
  ChipTiming timing = kBm1684;
  timing.load_bytes_per_second = load;
  timing.store_bytes_per_second = store;
  return timing;
}
constexpr ChipTiming kBm1880 = with_rates(12e9, 10.2e9);
constexpr ChipTiming kBm1684x = [] {
  ChipTiming timing = with_rates(48.2e9, 40.9e9);
  timing.stalled_percent = 30;
  timing.has_row_products = true;
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
