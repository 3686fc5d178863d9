// The times of each family.
#include "chip/timing.h"

namespace tputwin {

const ChipTiming& timing_of(const Chip& chip) {
  static constexpr ChipTiming kBm1880{
      .launch_seconds = 40e-6, .issue_seconds = 4e-6, .fetch_seconds = 0, .queue_depth = 16};
  static constexpr ChipTiming kBm1684{
      .launch_seconds = 40e-6, .issue_seconds = 4e-6, .fetch_seconds = 0, .queue_depth = 16};
  static constexpr ChipTiming kBm1684x{
      .launch_seconds = 40e-6, .issue_seconds = 4e-6, .fetch_seconds = 0, .queue_depth = 16};
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
