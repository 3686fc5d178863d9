// Names, engines, footprints, bounds and costs.
#include <stdexcept>

#include "base/errors/memory.h"
#include "common/rng.h"
#include "ops/contract/range_set.h"
#include "ops/lanes.h"

namespace tputwin::testing {
namespace {

const Chip& chip = bm1880();

std::vector<ByteRange> ranges_of(const TensorView& view) {
  std::vector<ByteRange> ranges;
  add_ranges(view, chip, ranges);
  sort_and_merge(ranges);
  return ranges;
}

TEST(Ranges, MergeWhatIsAdjacent) {
  using R = std::vector<ByteRange>;
  EXPECT_EQ(ranges_of(global_tensor(7, {2, 3, 4, 5})), (R{{Space::global, 0, 7, 127}}));
  // aligned planes of 6 bytes in cells of 16
  TensorView view = local_tensor(chip, 32, {2, 1, 2, 3}, true, DType::i8);
  EXPECT_EQ(ranges_of(view), (R{{Space::local, 0, 32, 38}, {Space::local, 0, 48, 54}}));
  // the 33rd channel is in the first lane again; both planes
  view = local_tensor(chip, 0, {1, 33, 1, 16}, true, DType::i16);
  view.plane_stride = 100;
  std::vector<ByteRange> ranges = ranges_of(view);
  EXPECT_EQ(ranges[0], (ByteRange{Space::local, 0, 0, 32}));
  EXPECT_EQ(ranges[1], (ByteRange{Space::local, 0, 100, 132}));
  EXPECT_EQ(ranges[2], (ByteRange{Space::local, 1, 0, 16}));
  EXPECT_EQ(ranges.size(), 64u);
}

TensorView random_view(Rng& rng, const Chip& of) {
  const auto below = [&](uint32_t most) { return static_cast<uint32_t>(rng.below(most)); };
  const auto distance = [&] { return below(4) == 0 ? 0 : below(200); };
  TensorView view;
  view.space = below(4) == 0 ? Space::global : Space::local;
  view.dtype = rng.coin() ? DType::i8 : DType::i16;
  view.shape = {below(4), below(3 * of.lanes), below(4), 1 + below(8)};
  view.stride = {distance(), distance(), distance(), 1 + below(3)};
  view.plane_stride = rng.coin() ? below(100) : 0;
  view.address = below(2 * of.lanes) * of.lane_bytes + below(300);
  return view;
}

// The set copies ranges from lane to lane, and add_ranges() makes those of each.
TEST(Ranges, OfASetAreThoseOfItsViews) {
  const RandomCases cases(2000);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Chip& of = rng.coin() ? bm1684x() : bm1880();
    RangeSet set(of);
    std::vector<ByteRange> expected;
    for (uint64_t views = rng.below(4); views > 0; --views) {
      const TensorView view = random_view(rng, of);
      set.add(view);
      add_ranges(view, of, expected);
    }
    sort_and_merge(expected);
    std::vector<ByteRange> ranges = set.take();
    ASSERT_EQ(ranges, expected);
    recycle({std::move(ranges), {}});
  }
}

TEST(Ranges, AreCoarserWhereThereAreTooMany) {
  TensorView sparse{
      .space = Space::global, .shape = {1, 1, 65535, 65535}, .stride = {0, 0, 65535 * 2, 2}};
  std::vector<ByteRange> ranges = ranges_of(sparse);
  EXPECT_LE(ranges.size(), 65536u);
  EXPECT_EQ(ranges.front().begin, 0u);
  EXPECT_EQ(ranges.back().end, uint64_t{65534} * 65535 * 2 + 65534 * 2 + 1);
}

TEST(Operands, BeyondTheTenPositionsAreRefused) {
  OperandList list;
  for (int i = 0; i < 10; ++i) list.push_back({"x"});
  EXPECT_THROW(list.push_back({"x"}), std::out_of_range);
  EXPECT_EQ(list.size(), 10u);
}

TEST(Bounds, SurviveHostileViews) {
  const uint64_t bytes = uint64_t{4} << 30;
  auto inside = [&](const TensorView& view) { return check_bounds(view, "x", chip, bytes).ok(); };
  TensorView global = global_tensor(bytes - 1, {1, 1, 1, 1});
  EXPECT_TRUE(inside(global));
  global.address = UINT64_MAX;
  EXPECT_FALSE(inside(global));
  global.address = 0;
  global.shape = {65536, 65536, 65536, 65536};  // 2^64 elements, which is 0 in 64 bits
  Status volume = check_bounds(Operation(DmaTensor{.dst = global, .src = global}), chip, bytes);
  ASSERT_FALSE(volume.ok());
  EXPECT_EQ(volume.error().id(), errors::mem_result_volume);
  global.shape = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  global.stride = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  EXPECT_FALSE(inside(global));

  TensorView local = local_tensor(chip, 65535, {1, 32, 1, 1}, false, DType::i8);
  EXPECT_TRUE(inside(local));
  local.shape.c = 33;  // one round later
  EXPECT_FALSE(inside(local));
  local.address = 31 * 65536 + 65535;
  local.shape.c = 1;
  EXPECT_TRUE(inside(local));
  local.shape.c = 2;
  EXPECT_FALSE(inside(local));
  local.address = UINT64_MAX;
  EXPECT_FALSE(inside(local));
  local = local_tensor(chip, 0, {1, 1, 1, 1}, false, DType::i16);
  local.plane_stride = 65535;
  EXPECT_TRUE(inside(local));
  local.plane_stride = 65536;
  EXPECT_FALSE(inside(local));
}

TEST(Costs, FollowLanesAndUnits) {
  const Shape map{1, 64, 56, 56};
  Conv2dBm1880 op{.out = local_tensor(chip, 0, map, true, DType::i8),
                  .in = local_tensor(chip, 16384, map, true, DType::i8),
                  .weight = conv_weight(40960, {64, 64, 3, 3}, DType::i8)};
  Cost c = cost(op, chip);
  EXPECT_EQ(c.compute_cycles, 2u * 64 * 9 * 196);  // 2 rounds, 576 taps, 196 steps of 16
  EXPECT_EQ(c.macs, 64u * 64 * 9 * 56 * 56);
  EXPECT_EQ(c.conflict_cycles, 0u);
  op.in.address = 8192 - 16;  // operands share banks now
  EXPECT_GT(cost(op, chip).conflict_cycles, 0u);

  DmaTensor load{.dst = op.out, .src = global_tensor(0, map)};
  c = cost(load, chip);
  EXPECT_EQ(c.global_bytes, map.count());
  EXPECT_EQ(c.cycles(), chip.dma_setup_cycles + map.count() / 16);
}

TEST(Operations, KnowTheirEngine) {
  EXPECT_EQ(engine(Operation(DmaLrnShift{})), Engine::dma);
  EXPECT_EQ(engine(Operation(Lut{})), Engine::compute);
  EXPECT_EQ(engine(Operation(CpuCall{})), Engine::cpu);
  EXPECT_EQ(name(Operation(Pool2dBm1880{.kind = Pool2dBm1880::Kind::average})), "avg_pooling");
  EXPECT_EQ(name(Operation(Elementwise{.kind = Elementwise::Kind::bit_xor})), "xor");
  EXPECT_EQ(operands(Operation(CpuCall{})).size(), 0u);
  EXPECT_TRUE(check(Operation(CpuCall{}), chip).ok());
}

TEST(Operations, KnowTheirChips) {
  EXPECT_TRUE(is_of(ChipFamily::bm1880, Operation(Winograd2d{})));
  EXPECT_FALSE(is_of(ChipFamily::bm1684, Operation(Winograd2d{})));
  EXPECT_FALSE(is_of(ChipFamily::bm1880, Operation(Select{})));
  EXPECT_TRUE(is_of(ChipFamily::bm1684, Operation(Select{})));
  EXPECT_TRUE(is_of(ChipFamily::bm1684x, Operation(Select{})));
  EXPECT_FALSE(is_of(ChipFamily::bm1880, Operation(CpuCall{})));
}

// A name that has a chip has one of the column.
TEST(Operations, HaveNoChipInTheirNamesThatTheirRowLacks) {
  const auto chip_in = [](std::string_view name) -> std::string_view {
    for (const std::string_view chip : {"bm1684x", "bm1684", "bm1880"})
      if (name.find(chip) != name.npos) return chip;
    return {};
  };
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
#define TW_ROW(Type, name, header, chips, ...) {#name, #chips},
#include "ops/operations.def"
#undef TW_ROW
  };
  for (const auto& [name, chips] : kRows)
    EXPECT_TRUE(chip_in(name).empty() || chip_in(name) == chips) << name;
}

}  // namespace
}  // namespace tputwin::testing
