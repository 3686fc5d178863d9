// Footprints of windows: the rows and columns that some tap touches.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "chip/chip.h"
#include "ops/operation.h"

namespace tputwin::dependence::testing {
namespace {

// A maximum over (1,1,H,W) of bytes in one lane, so that an element's offset is h * W + w.
Pool2dBm1684xInt8 pool(Shape in, Shape out, Window window) {
  Pool2dBm1684xInt8 op;
  op.in = {.dtype = DType::i8, .shape = in, .stride = {0, 0, in.w, 1}};
  op.out = {.dtype = DType::i8, .address = 1024, .shape = out, .stride = {0, 0, out.w, 1}};
  op.window = window;
  return op;
}

// Returns the offsets that an operation reads in lane 0.
std::set<uint64_t> reads_of(const Pool2dBm1684xInt8& op) {
  std::set<uint64_t> offsets;
  for (const ByteRange& range : footprint(Operation(op), bm1684x()).reads)
    for (uint64_t at = range.begin; at < range.end; ++at) offsets.insert(at);
  return offsets;
}

// Returns the offsets of the elements of these rows and columns.
std::set<uint64_t> elements(uint32_t width, const std::set<uint32_t>& rows,
                            const std::set<uint32_t>& columns) {
  std::set<uint64_t> offsets;
  for (const uint32_t row : rows)
    for (const uint32_t column : columns) offsets.insert(row * width + column);
  return offsets;
}

TEST(WindowFootprint, HasNoRowAfterTheLastWindow) {
  const Window window{{.kernel = 2, .stride = 2}, {.kernel = 2, .stride = 2}};
  EXPECT_EQ(reads_of(pool({1, 1, 5, 6}, {1, 1, 2, 3}, window)),
            elements(6, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}));
}

TEST(WindowFootprint, HasNoRowsAndColumnsBetweenWindows) {
  const Window window{{.kernel = 1, .stride = 3}, {.kernel = 2, .stride = 3}};
  EXPECT_EQ(reads_of(pool({1, 1, 8, 8}, {1, 1, 3, 3}, window)),
            elements(8, {0, 3, 6}, {0, 1, 3, 4, 6, 7}));
}

TEST(WindowFootprint, HasNoRowsThatResultsLeaveOut) {
  const Window window{{.kernel = 2}, {.kernel = 2}};
  EXPECT_EQ(reads_of(pool({1, 1, 9, 4}, {1, 1, 2, 2}, window)), elements(4, {0, 1, 2}, {0, 1, 2}));
}

TEST(WindowFootprint, HasDilatedRows) {
  const Window window{{.kernel = 2, .dilation = 3}, {.kernel = 1}};
  EXPECT_EQ(reads_of(pool({1, 1, 4, 2}, {1, 1, 1, 2}, window)), elements(2, {0, 3}, {0, 1}));
}

TEST(WindowFootprint, HasElementsThatPaddingRepeats) {
  Window window{{.kernel = 3, .pad_before = 2}, {.kernel = 1}};
  EXPECT_EQ(reads_of(pool({1, 1, 6, 1}, {1, 1, 1, 1}, window)), elements(1, {0}, {0}));
  window.pads = PadMode::reflected;
  EXPECT_EQ(reads_of(pool({1, 1, 6, 1}, {1, 1, 1, 1}, window)), elements(1, {0, 1, 2}, {0}));
}

}  // namespace
}  // namespace tputwin::dependence::testing
