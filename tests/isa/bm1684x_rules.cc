// Measured effects of BM1684X commands that no compiler writes: modes of padding, masks of lanes,
// constants other than 0, four banks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/errors/isa.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x_rules.h"
#include "isa/streams/reader.h"
#include "numerics/float32.h"

namespace tputwin::isa {
namespace {

using namespace bm1684x_streams;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr uint64_t kIn = 0, kOut = 0x1000, kWeight = 0x2000;
constexpr uint32_t kHundred = 0x42c80000;  // 100.0f

// Returns a window of one element over 4 x 4: the result is the padded input.
TiuCommand pool_of_one(uint64_t code, uint64_t type) {
  TiuCommand c;
  c.tsk_typ = kPord;
  c.tsk_eu_typ = code;
  c.res0_prec = c.opd0_prec = type;
  c.res0_n = c.res0_c = 1;
  c.opd0_h = c.opd0_w = 4;
  c.opd1_h = c.opd1_w = 1;
  c.res_op_x_str = c.res_op_y_str = 1;
  c.opd0_addr = kIn;
  c.res0_addr = kOut;
  c.opd3_const = 1;
  return c;
}

TiuCommand padded_by_two(uint64_t mode) {
  TiuCommand c = pool_of_one(4, kInt8);
  c.res0_h = c.res0_w = 8;
  c.opd0_up_pad = c.opd0_dn_pad = c.opd0_lf_pad = c.opd0_rt_pad = 2;
  c.pad_mode = mode;
  return c;
}

class PadModes : public Rules {
 protected:
  // Checks the result's row with the first row of the input, and its column with the first column.
  void expect(uint64_t mode, std::vector<uint8_t> row) {
    put<uint8_t>(kIn, {1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34});
    run(padded_by_two(mode), TiuForm::pord);
    EXPECT_THAT(get<uint8_t>(kOut + 2 * 8, 8), ElementsAreArray(row));
    std::vector<uint8_t> column;
    for (uint64_t y = 0; y < 8; ++y) column.push_back(get<uint8_t>(kOut + y * 8 + 2, 1)[0]);
    for (uint8_t& value : row) value = static_cast<uint8_t>((value - 1) * 10 + 1);
    EXPECT_THAT(column, ElementsAreArray(row));
  }
};
TEST_F(PadModes, Reflected) { expect(1, {3, 2, 1, 2, 3, 4, 3, 2}); }
TEST_F(PadModes, EdgeRepeated) { expect(2, {1, 1, 1, 2, 3, 4, 4, 4}); }
TEST_F(PadModes, Circular) { expect(3, {3, 4, 1, 2, 3, 4, 1, 2}); }

TEST_F(PadModes, WithInsertionAreRefused) {
  TiuCommand c = padded_by_two(1);
  c.cmd_short = c.cmd_id = c.opd0_x_ins0 = 1;
  c.res0_w = 11;
  std::vector<uint8_t> bytes;
  testing::append(bytes, TiuForm::pord, c);
  EXPECT_EQ(decode_tiu_command(bytes, bm1684x()).error().id(), errors::isa_stream_unsupported);
}

TEST_F(Rules, MaximaCountInsertedElements) {
  put<float>(kIn, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  TiuCommand c = pool_of_one(4, kFp32);
  c.opd0_x_ins0 = 1;
  c.res0_h = 4;
  c.res0_w = 7;
  c.res1_addr = kHundred;
  run(c, TiuForm::pord);
  EXPECT_THAT(get<float>(kOut, 7), ElementsAre(1, 100, 2, 100, 3, 100, 4));
}

TEST_F(Rules, AveragesCountPaddingAndInsertion) {
  put<uint8_t>(kIn, {1, 2, 3, 4});
  TiuCommand c = pool_of_one(1, kInt8);
  c.opd0_h = 1;
  c.opd0_x_ins0 = c.opd0_lf_pad = c.opd0_rt_pad = 1;
  c.res0_h = 1;
  c.res0_w = 9;
  c.opd1_addr = 2;           // factor
  c.opd3_addr = 0xffffff07;  // bits above the type are ignored
  c.res1_addr = 50;
  run(c, TiuForm::pord);
  EXPECT_THAT(get<uint8_t>(kOut, 9), ElementsAre(14, 2, 100, 4, 100, 6, 100, 8, 14));
}

// Computes two inputs times 3, plus 0.5; inserted elements are 100, padding is 10.
class WindowConstants : public Rules {
 protected:
  static TiuCommand command() {
    TiuCommand c = pool_of_one(0, kFp32);
    c.opd0_h = 1;
    c.opd0_w = 2;
    c.opd0_x_ins0 = 1;
    c.res0_h = 1;
    c.res0_w = 4;
    c.opd1_addr = kWeight;
    c.opd2_const = 1;
    c.opd2_addr = f32::bits(0.5f);
    c.opd3_addr = f32::bits(10.0f);
    c.res1_addr = kHundred;
    return c;
  }
  std::vector<float> result(const TiuCommand& c, TiuForm form) {
    put<float>(kIn, {1, 2});
    put<float>(kWeight, {3});
    run(c, form);
    return get<float>(kOut, 4);
  }
};
TEST_F(WindowConstants, OfDepthwise) {
  TiuCommand c = command();
  c.opd0_lf_pad = 1;
  EXPECT_THAT(result(c, TiuForm::pord), ElementsAre(30.5f, 3.5f, 300.5f, 6.5f));
}
TEST_F(WindowConstants, OfConvolutions) {
  TiuCommand c = command();
  c.tsk_typ = kConv;
  c.opd0_c = 1;
  c.opd0_rt_pad = 1;
  EXPECT_THAT(result(c, TiuForm::conv), ElementsAre(3.5f, 300.5f, 6.5f, 30.5f));
}

TEST_F(Rules, ProductsAddAConstant) {
  put<float>(kIn, {2, 3});    // one row of two columns
  put<float>(kWeight, {10});  // two rows of one column, a batch each
  put<float>(kWeight + 64, {100});
  TiuCommand c;
  c.tsk_typ = kMm;
  c.tsk_eu_typ = 1;
  c.res0_prec = c.opd0_prec = kFp32;
  c.opd0_n = c.opd0_c = c.res0_c = c.res0_w = 1;
  c.opd0_w = c.opd1_w = 2;
  c.opd0_addr = kIn;
  c.opd1_addr = kWeight;
  c.res0_addr = kOut;
  c.opd2_const = 1;
  c.opd2_addr = f32::bits(0.25f);
  run(c, TiuForm::mm);
  EXPECT_THAT(get<float>(kOut, 1), ElementsAre(320.25f));
}

// The mask refers to physical lanes, for every start lane.
TEST_F(Rules, MaskedLanesKeepTheirBytes) {
  TiuCommand c = testing::tiu_fill(1);
  c.res0_prec = c.opd0_prec = kInt8;
  c.res0_n = c.res0_h = c.res0_w = 1;
  c.res0_c = 4;
  c.res0_str = kAligned;
  c.res0_addr = 2 * bm1684x().lane_bytes + kOut;
  c.opd0_addr = 7;
  c.tsk_lane_num = ~(uint64_t{1} << 3);
  run(c, TiuForm::long_form);
  const std::map<uint32_t, uint8_t> expected{{1, 0}, {2, 7}, {3, 0}, {4, 7}, {5, 7}, {6, 0}};
  for (const auto& [lane, value] : expected)
    EXPECT_EQ(get<uint8_t>(kOut, 1, lane)[0], value) << lane;
}

GdmaCommand copy_to_lanes(uint64_t variant, uint64_t address) {
  GdmaCommand c;
  c.cmd_type = kTensor;
  c.cmd_special_function = variant;
  c.src_data_format = kInt8;
  c.nchw_copy = 1;
  c.src_nsize = c.dst_nsize = 2;
  c.src_csize = c.dst_csize = 2;
  c.src_hsize = c.dst_hsize = 1;
  c.src_wsize = c.dst_wsize = 3;
  c.src_start_addr_h8 = 1;  // global memory
  c.dst_start_addr_l32 = bm1684x().local_base + address;
  c.localmem_mask_l32 = c.localmem_mask_h32 = UINT32_MAX;
  return c;
}

TEST_F(Rules, MasksOfTransfersAreOfWritesIntoLanes) {
  for (uint8_t i = 0; i < 12; ++i) device_->memories().take_global().data()[i] = i + 1;
  GdmaCommand c = copy_to_lanes(0, kOut);
  c.localmem_mask_l32 = 2;  // lane 1
  run(c);
  EXPECT_THAT(get<uint8_t>(kOut, 3, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(get<uint8_t>(kOut, 3, 1), ElementsAre(4, 5, 6));
  std::swap(c.src_start_addr_h8, c.dst_start_addr_h8);  // reads are not masked
  c.src_start_addr_l32 = c.dst_start_addr_l32;
  c.dst_start_addr_l32 = 0x100;
  put<uint8_t>(kOut, {9, 9, 9});
  run(c);
  EXPECT_THAT(std::vector<uint8_t>(device_->memories().take_global().data() + 0x100,
                                   device_->memories().take_global().data() + 0x106),
              ElementsAre(9, 9, 9, 4, 5, 6));
}

TEST_F(Rules, BatchesGoToFourBanks) {
  constexpr uint64_t kBanks = 0x20000, kStep = 0x8000;
  for (uint8_t i = 0; i < 12; ++i) device_->memories().take_global().data()[i] = i + 1;
  run(copy_to_lanes(5, kBanks));
  for (uint64_t bank = 0; bank < 4; ++bank) {
    EXPECT_THAT(get<uint8_t>(kBanks + bank * kStep, 3, 1), ElementsAre(4, 5, 6));
    EXPECT_THAT(get<uint8_t>(kBanks + bank * kStep + 64, 3, 1), ElementsAre(10, 11, 12));
  }
  GdmaCommand c = copy_to_lanes(6, kBanks);  // channel 0 to all
  c.src_csize = 1;
  c.nchw_copy = 0;
  run(c);
  for (uint32_t lane : {0u, 1u}) {
    EXPECT_THAT(get<uint8_t>(kBanks, 3, lane), ElementsAre(1, 2, 3));
    EXPECT_THAT(get<uint8_t>(kBanks + kStep + 64, 3, lane), ElementsAre(4, 5, 6));
  }
}

// Only the first row of the first batch is written.
TEST_F(Rules, IndicesAreOfOneRow) {
  TiuCommand c;
  c.tsk_typ = kAr;
  c.tsk_eu_typ = 24;
  c.tsk_lane_num = UINT64_MAX;
  c.res0_prec = kInt16;
  c.res0_n = c.res0_h = 2;
  c.res0_c = 1;
  c.res0_w = 3;
  c.res0_addr = kOut;
  run(c, TiuForm::long_form);
  EXPECT_THAT(get<uint16_t>(kOut, 6), ElementsAre(0, 1, 2, 0, 0, 0));
}

}  // namespace
}  // namespace tputwin::isa
