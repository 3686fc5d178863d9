// Numbers of rules in the catalogue that differ between a chip and the documented one.
#include "chip/rule_numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/okkernel.h"
#include "base/errors/ops.h"
#include "base/errors/tpukernel.h"
#include "chip/family.h"

namespace tputwin {
namespace {

using Number = uint64_t (*)(const Chip&);
struct Row {
  ErrorId rule;
  std::string_view what;  // quantity that `number` limits or counts
  Number number;
};

constexpr Number kLanes = [](const Chip& c) -> uint64_t { return c.lanes; };
constexpr Number kLaneBytes = [](const Chip& c) -> uint64_t { return c.lane_bytes; };
constexpr Number kUnit = [](const Chip& c) -> uint64_t { return c.eu_bytes; };
constexpr Number kExtent = [](const Chip& c) -> uint64_t { return c.limits.extent; };
constexpr Number kChannels = [](const Chip& c) -> uint64_t { return c.limits.channels; };
constexpr Number kSide = [](const Chip& c) -> uint64_t { return c.limits.height_width; };
constexpr Number kDma = [](const Chip& c) -> uint64_t { return c.limits.dma_extent; };
constexpr Number kDmaStep = [](const Chip& c) -> uint64_t { return c.limits.dma_step; };
constexpr Number kPadding = [](const Chip& c) -> uint64_t { return c.limits.window.padding; };
constexpr Number kStride = [](const Chip& c) -> uint64_t { return c.limits.window.stride; };
constexpr Number kDilation = [](const Chip& c) -> uint64_t { return c.limits.window.dilation; };
constexpr Number kInsert = [](const Chip& c) -> uint64_t { return c.limits.window.insert; };
constexpr Number kWindow = [](const Chip& c) -> uint64_t { return c.limits.window.extent; };

constexpr Row kRows[] = {
    {errors::ops_extent, "extent", kExtent},
    {errors::ops_height_width, "h and w", kSide},
    {errors::ops_aligned_start, "unit in bytes", kUnit},
    {errors::ops_aligned_advised, "unit in bytes", kUnit},
    {errors::ops_pad, "padding", kPadding},
    {errors::ops_insert, "insertion", kInsert},
    {errors::ops_window_stride, "stride", kStride},
    {errors::ops_dilation, "dilation", kDilation},
    {errors::ops_lut_table, "lanes", kLanes},
    {errors::ops_dma_extent, "extent", kDma},
    {errors::ops_dma_stride, "stride", kDma},

    {errors::okk_shape, "extent", kExtent},
    {errors::okk_shape, "c", kChannels},
    {errors::okk_local_address, "NPUs", kLanes},
    {errors::okk_local_address, "bytes of an NPU", kLaneBytes},
    {errors::okk_channels, "c", kChannels},
    {errors::okk_window_padding, "padding", kPadding},
    {errors::okk_window_stride, "stride", kStride},
    {errors::okk_window_dilation, "dilation", kDilation},
    {errors::okk_window_output, "extent", kWindow},
    {errors::okk_window_input, "extent", kWindow},
    {errors::okk_window_padded, "extent", kWindow},
    {errors::okk_output_channels, "c", kChannels},

    {errors::tpu_shape, "extent", kExtent},
    {errors::tpu_local_address, "NPUs", kLanes},
    {errors::tpu_local_address, "bytes of an NPU", kLaneBytes},
    {errors::tpu_lanes, "NPUs", kLanes},
    {errors::tpu_w_stride, "stride in bytes", kDmaStep},
    {errors::tpu_lookup_plane, "extent", kExtent},
    {errors::tpu_sequence_npu_num, "NPUs", kLanes},
    {errors::tpu_window_kernel, "extent", kExtent},
    {errors::tpu_window_padding, "padding", kPadding},
    {errors::tpu_window_stride, "stride", kStride},
    {errors::tpu_window_dilation, "dilation", kDilation},
    {errors::tpu_window_insert, "insertion", kInsert},
    {errors::tpu_window_output, "extent", kExtent},
};

// Returns the family whose documents state the rules of the error's area.
ChipFamily family_of(ErrorId rule) {
  switch (static_cast<ErrorArea>(static_cast<unsigned>(rule) >> 8)) {
    case ErrorArea::okkernel:
      return ChipFamily::bm1684;
    case ErrorArea::tpukernel:
      return ChipFamily::bm1684x;
    default:
      return ChipFamily::bm1880;
  }
}

}  // namespace

std::string documented_numbers(ErrorId rule) {
  const Chip& chip = first_of(family_of(rule));
  std::string text;
  for (const Row& row : kRows)
    if (row.rule == rule)
      text += fmt::format("{}{} {}", text.empty() ? fmt::format("{}: ", chip.name) : ", ", row.what,
                          row.number(chip));
  return text;
}

std::string rule_numbers(ErrorId rule, const Chip& chip) {
  const Chip& documented = first_of(chip.family);
  std::string text;
  for (const Row& row : kRows)
    if (row.rule == rule && row.number(chip) != row.number(documented))
      text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ", row.what,
                          row.number(chip), row.number(documented));
  return text;
}

void add_rule_numbers(Error& error, const Chip& chip) {
  const std::string numbers = rule_numbers(error.id(), chip);
  if (numbers.empty()) return;
  const std::string before = error.detail().empty() ? "" : error.detail() + "; ";
  static_cast<void>(std::move(error).detail(fmt::format("{}{}: {}", before, chip.name, numbers)));
}

}  // namespace tputwin
