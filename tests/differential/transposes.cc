// Transposes of every element size and instruction set compared with plain loops: sizes around
// those of tiles and cache lines, rows with gaps.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "common/rng.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::test {
namespace {

using testing::RandomCases;
using testing::Rng;

struct Sides {
  size_t bytes, rows, cols, src_stride, dst_stride;

  explicit Sides(Rng& rng)
      : bytes(rng.pick({1, 2, 4})),
        rows(rng.range(1, 150)),
        cols(rng.range(1, 150)),
        src_stride((cols + rng.below(40)) * bytes),
        dst_stride((rows + rng.below(40)) * bytes) {}
};

// Returns the expected transpose. Bytes that are not written keep their value.
std::vector<uint8_t> plain(const Sides& s, const std::vector<uint8_t>& src) {
  std::vector<uint8_t> dst(s.dst_stride * s.cols, 0x5a);
  for (size_t r = 0; r < s.rows; ++r)
    for (size_t c = 0; c < s.cols; ++c)
      std::memcpy(&dst[c * s.dst_stride + r * s.bytes], &src[r * s.src_stride + c * s.bytes],
                  s.bytes);
  return dst;
}

class Transposes : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fast::select_isa(GetParam()));
    if (!fast::vectors_enabled()) GTEST_SKIP() << "no vectors";
  }
  void TearDown() override { fast::select_isa(""); }
};

TEST_P(Transposes, MoveEveryElementToItsPlace) {
  const RandomCases cases(300);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Sides s(rng);
    std::vector<uint8_t> src(s.src_stride * s.rows);
    for (uint8_t& byte : src) byte = static_cast<uint8_t>(rng.next());
    const std::vector<uint8_t> expected = plain(s, src);

    std::vector<uint8_t> dst(expected.size(), 0x5a);
    fast::transpose(s.bytes, dst.data(), s.dst_stride, src.data(), s.src_stride, s.rows, s.cols);
    ASSERT_EQ(dst, expected);

    std::vector<uint8_t*> from, to;
    for (size_t r = 0; r < s.rows; ++r) from.push_back(&src[r * s.src_stride]);
    for (size_t c = 0; c < s.cols; ++c) to.push_back(&dst[c * s.dst_stride]);
    std::fill(dst.begin(), dst.end(), 0x5a);
    const size_t middle = rng.below(s.cols + 1);
    fast::transpose_rows(s.bytes, to, from, 0, middle);
    fast::transpose_rows(s.bytes, to, from, middle, s.cols);
    ASSERT_EQ(dst, expected);
  }
}

// Transposes lines of eight rows to arbitrary addresses; bytes between them must not change.
TEST_P(Transposes, TransposeLinesToAnyRows) {
  constexpr size_t kRows = 8, kBytes = kRows * sizeof(uint32_t), kLine = 64;
  const RandomCases cases(200);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const size_t count = rng.below(9), step = kLine + 4 * rng.below(30);
    const size_t stride = count * step + 4 * rng.below(20),
                 capacity = 9 * kBytes + 4 * rng.below(5);
    std::vector<uint8_t> src(kRows * stride + kLine);
    for (uint8_t& byte : src) byte = static_cast<uint8_t>(rng.next());
    std::vector<uint8_t> dst(fast::kInt32OfLine * capacity, 0x5a), expected = dst;
    std::array<uint8_t*, fast::kInt32OfLine> to;
    for (size_t c = 0; c < to.size(); ++c) {
      const size_t place = (c * 5 + 3) % to.size() * capacity;
      to[c] = &dst[place];
      for (size_t k = 0; k < count; ++k)
        for (size_t r = 0; r < kRows; ++r)
          std::memcpy(&expected[place + k * kBytes + r * sizeof(uint32_t)],
                      &src[r * stride + k * step + c * sizeof(uint32_t)], sizeof(uint32_t));
    }
    fast::transpose_lines(to, src.data(), stride, step, count);
    ASSERT_EQ(dst, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Transposes,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::test
