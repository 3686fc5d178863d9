// Forms of the BM1684X's commands that no recording confirms: their effects, and that each is
// counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors/isa.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x_rules.h"
#include "isa/streams/reader.h"
#include "numerics/float32.h"

namespace tputwin::isa {
namespace {

using namespace bm1684x_streams;
using ::testing::ElementsAre;

constexpr uint64_t kIn = 0, kOut = 0x1000, kWeight = 0x2000;

class Unconfirmed : public Rules {
 protected:
  // Expects that the last command had this form and no other.
  void expect_form(std::string_view field, uint64_t value) {
    ASSERT_EQ(unconfirmed_.size(), 1u);
    EXPECT_EQ(unconfirmed_[0].field, field);
    EXPECT_EQ(unconfirmed_[0].value, value);
    EXPECT_FALSE(unconfirmed_[0].meaning.empty());
    EXPECT_FALSE(unconfirmed_[0].command.empty());
  }
  void expect_refused(TiuCommand command, TiuForm form, std::string_view field) {
    command.cmd_id = command.cmd_short = 1;
    std::vector<uint8_t> bytes;
    testing::append(bytes, form, command);
    const auto one = decode_tiu_command(bytes, bm1684x());
    ASSERT_FALSE(one.ok());
    EXPECT_EQ(one.error().id(), errors::isa_stream_unsupported);
    EXPECT_EQ(one.error().argument(), field);
  }
  uint8_t* global() { return device_->memories().take_global().data(); }
};

// ---- windows ----

// Returns maxima over windows of one element: the result is the padded input.
TiuCommand padded(uint64_t mode) {
  TiuCommand c;
  c.tsk_typ = kPord;
  c.tsk_eu_typ = 4;
  c.res0_prec = c.opd0_prec = kInt8;
  c.res0_n = c.res0_c = c.opd3_const = 1;
  c.opd0_h = c.opd1_h = c.opd1_w = c.res_op_x_str = c.res_op_y_str = 1;
  c.opd0_w = 4;
  c.res0_h = 1;
  c.opd0_addr = kIn;
  c.res0_addr = kOut;
  c.pad_mode = mode;
  return c;
}

TEST_F(Unconfirmed, TheEdgeIsAnInputNextToInsertedElements) {
  put<uint8_t>(kIn, {1, 2, 3, 4});
  TiuCommand c = padded(2);
  c.opd0_x_ins0 = 1;
  c.opd0_lf_pad = c.opd0_rt_pad = 2;
  c.res0_w = 11;
  c.res1_addr = 9;  // of the inserted elements
  run(c, TiuForm::pord);
  EXPECT_THAT(get<uint8_t>(kOut, 11), ElementsAre(1, 1, 1, 9, 2, 9, 3, 9, 4, 4, 4));
  expect_form("pad_mode", 2);
}

TEST_F(Unconfirmed, ReflectionsAlongAnotherAxisThanInsertion) {
  put<uint8_t>(kIn, {1, 2, 3, 4});
  TiuCommand c = padded(1);
  c.opd0_h = 2;
  c.opd0_w = 2;
  c.opd0_x_ins0 = c.opd0_up_pad = 1;
  c.res0_h = 3;
  c.res0_w = 3;
  run(c, TiuForm::pord);
  EXPECT_THAT(get<uint8_t>(kOut, 9), ElementsAre(3, 0, 4, 1, 0, 2, 3, 0, 4));
  expect_form("pad_mode", 1);
}

TEST_F(Unconfirmed, ReflectionsOfInsertedElementsHaveNoKnownMeaning) {
  TiuCommand c = padded(1);
  c.opd0_x_ins0 = c.opd0_lf_pad = 1;
  c.res0_w = 8;
  expect_refused(c, TiuForm::pord, "pad_mode");
  c.pad_mode = 3;
  expect_refused(c, TiuForm::pord, "pad_mode");
}

// ---- constants ----

TiuCommand of_constant(uint64_t code, uint64_t out, uint64_t in, uint64_t bits) {
  TiuCommand c;
  c.tsk_typ = kAr;
  c.tsk_eu_typ = code;
  c.res0_prec = out;
  c.opd0_prec = in;
  c.opd0_sign = c.opd2_sign = c.opd0_const = 1;
  c.opd0_addr = bits;
  c.res0_n = c.res0_c = c.res0_h = 1;
  c.res0_w = 2;
  c.res0_addr = kOut;
  return c;
}

TEST_F(Unconfirmed, CastsOfConstants) {
  TiuCommand c = of_constant(14, kInt32, kFp32, f32::bits(-2.5f));
  c.opd2_n_str = 3;  // rounds down
  run(c, TiuForm::ar);
  EXPECT_THAT(get<int32_t>(kOut, 2), ElementsAre(-3, -3));
  expect_form("opd0_const", 1);
  run(of_constant(14, kFp32, kInt16, 0xdeadfff8), TiuForm::ar);  // bits above the type
  EXPECT_THAT(get<float>(kOut, 2), ElementsAre(-8, -8));
}

TEST_F(Unconfirmed, FunctionsOfConstants) {
  run(of_constant(26, kInt8, kInt8, 0xfb), TiuForm::ar);
  EXPECT_THAT(get<int8_t>(kOut, 2), ElementsAre(5, 5));
  expect_form("opd0_const", 1);
  run(of_constant(29, kInt16, kInt16, 0x0100), TiuForm::ar);
  EXPECT_THAT(get<uint16_t>(kOut, 2), ElementsAre(7, 7));
  run(of_constant(30, kInt32, kInt32, 0xe0000000), TiuForm::ar);
  EXPECT_THAT(get<uint32_t>(kOut, 2), ElementsAre(3, 3));
}

// ---- products ----

// Returns one row of two columns times two rows of one column.
TiuCommand product(uint64_t code, uint64_t out, uint64_t type) {
  TiuCommand c;
  c.tsk_typ = kMm;
  c.tsk_eu_typ = code;
  c.res0_prec = out;
  c.opd0_prec = type;
  c.opd0_sign = c.opd1_sign = c.opd2_sign = c.opd2_const = 1;
  c.opd0_n = c.opd0_c = c.res0_c = c.res0_w = 1;
  c.opd0_w = c.opd1_w = 2;
  c.opd0_addr = kIn;
  c.opd1_addr = kWeight;
  c.res0_addr = kOut;
  return c;
}

TEST_F(Unconfirmed, ProductsOfIntegersAddTheOldResult) {
  put<int8_t>(kIn, {3, -4});
  put<int8_t>(kWeight, {10});
  put<int8_t>(kWeight + 64, {20});
  put<int32_t>(kOut, {1000});
  TiuCommand c = product(1, kInt32, kInt8);
  c.res_add = 1;
  run(c, TiuForm::mm);
  EXPECT_THAT(get<int32_t>(kOut, 1), ElementsAre(950));
  expect_form("res_add", 1);
  c = product(1, kInt32, kInt32);  // with a shift, before or after it
  c.res_add = 1;
  expect_refused(c, TiuForm::mm, "res_add");
}

TEST_F(Unconfirmed, SumsAreShiftedByMoreThanTheyAreWide) {
  put<int8_t>(kIn, {127, 127});
  put<int8_t>(kWeight, {127});
  put<int8_t>(kWeight + 64, {127});
  put<int16_t>(kOut, {7});
  TiuCommand c = product(2, kInt16, kInt8);
  c.res_add = 1;
  c.opd3_addr = 34 | 33 << 8;  // (7 * 2^34 + 32258) / 2^33, rounded
  run(c, TiuForm::mm);
  EXPECT_THAT(get<int16_t>(kOut, 1), ElementsAre(14));
  expect_form("opd3_addr", 34 | 33 << 8);
  c.opd3_addr = 48;
  expect_refused(c, TiuForm::mm, "opd3_addr");
}

// ---- gather from banks ----

TEST_F(Unconfirmed, GathersFromBanksAreGathers) {
  put<uint8_t>(kIn, {10, 11, 12, 13});
  put<uint8_t>(kWeight, {3, 0, 3});
  TiuCommand c;
  c.tsk_typ = kSg;
  c.tsk_eu_typ = 7;
  c.res0_n = c.res0_c = c.res0_h = c.opd0_h = c.opd1_c = 1;
  c.res0_w = c.opd1_w = 3;
  c.opd0_w = 4;
  c.opd0_addr = kIn;
  c.opd1_addr = kWeight;
  c.res0_addr = kOut;
  run(c, TiuForm::sg);
  EXPECT_THAT(get<uint8_t>(kOut, 3), ElementsAre(13, 10, 13));
  expect_form("tsk_eu_typ", 7);
}

// ---- GDMA ----

GdmaCommand transfer(uint64_t type, uint64_t variant) {
  GdmaCommand c;
  c.cmd_type = type;
  c.cmd_special_function = variant;
  c.src_data_format = kInt8;
  c.src_start_addr_h8 = 1;  // global memory
  c.dst_start_addr_l32 = bm1684x().local_base + kOut;
  c.localmem_mask_l32 = c.localmem_mask_h32 = UINT32_MAX;
  return c;
}

void sizes(GdmaCommand& c, uint64_t n, uint64_t channels, uint64_t h, uint64_t w) {
  c.src_nsize = c.dst_nsize = n;
  c.src_csize = c.dst_csize = channels;
  c.src_hsize = c.dst_hsize = h;
  c.src_wsize = c.dst_wsize = w;
}

TEST_F(Unconfirmed, TranspositionsFillWithConstants) {
  GdmaCommand c = transfer(kTensor, 1);  // (1,2,1,3) to (2,1,1,3)
  sizes(c, 1, 2, 1, 3);
  c.fill_constant_en = 1;
  c.constant_value = 7;
  // No source is read, so its address may be any.
  c.src_start_addr_h8 = 0;
  run(c);
  EXPECT_THAT(get<uint8_t>(kOut, 4), ElementsAre(7, 7, 7, 0));
  EXPECT_THAT(get<uint8_t>(kOut + 64, 4), ElementsAre(7, 7, 7, 0));
  EXPECT_THAT(get<uint8_t>(kOut, 1, 1), ElementsAre(0));
  expect_form("fill_constant_en", 1);
}

// Returns 2 rows of 5 columns, 3 in a channel.
GdmaCommand matrix(uint64_t variant) {
  GdmaCommand c = transfer(kMatrix, variant);
  c.src_hsize = variant == 0 ? 2 : 5;
  c.src_wsize = variant == 0 ? 5 : 2;
  c.dst_nsize = 2;
  c.dst_csize = 2;
  c.dst_wsize = 3;
  return c;
}

TEST_F(Unconfirmed, MatricesWithoutStrides) {
  for (uint8_t i = 0; i < 10; ++i) global()[i] = i + 1;
  run(matrix(0));
  EXPECT_THAT(get<uint8_t>(kOut, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(get<uint8_t>(kOut, 2, 1), ElementsAre(4, 5));
  EXPECT_THAT(get<uint8_t>(kOut + 64, 3), ElementsAre(6, 7, 8));
  expect_form("stride_enable", 0);
  run(matrix(1));  // row i is column i of 5 rows of 2
  EXPECT_THAT(get<uint8_t>(kOut, 3), ElementsAre(1, 3, 5));
  EXPECT_THAT(get<uint8_t>(kOut, 2, 1), ElementsAre(7, 9));
  EXPECT_THAT(get<uint8_t>(kOut + 64, 3), ElementsAre(2, 4, 6));
}

TEST_F(Unconfirmed, MasksOfLanesInOtherVariants) {
  global()[0] = 5;
  GdmaCommand c = transfer(kTensor, 3);  // channel 0 to all
  sizes(c, 1, 3, 1, 1);
  c.src_csize = 1;
  c.localmem_mask_l32 = 5;  // lanes 0 and 2
  c.localmem_mask_h32 = 0;
  run(c);
  for (const auto& [lane, value] : {std::pair{0u, 5}, {1u, 0}, {2u, 5}})
    EXPECT_EQ(get<uint8_t>(kOut, 1, lane)[0], value) << lane;
  expect_form("localmem_mask", 5);
}

TEST_F(Unconfirmed, OneIndexForAllChannels) {
  constexpr uint64_t kIndex = 0x100;
  for (uint8_t i = 0; i < 12; ++i) global()[i] = i + 1;  // 2 channels, 3 rows of 2
  const uint32_t index[] = {2, 0};
  std::memcpy(global() + kIndex, index, sizeof index);
  GdmaCommand c = transfer(kGather, 0);
  c.src_csize = 2;
  c.src_hsize = 3;
  c.src_wsize = 2;
  c.dst_hsize = 2;
  c.index_csize = 1;
  c.index_hsize = 2;
  c.index_start_addr_l32 = kIndex;
  c.index_start_addr_h8 = 1;
  run(c, GdmaForm::gather_scatter);
  EXPECT_THAT(get<uint8_t>(kOut, 4), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(get<uint8_t>(kOut, 4, 1), ElementsAre(11, 12, 7, 8));
  expect_form("index_csize", 1);
}

// ---- streams ----

TEST(UnconfirmedForms, AreCountedOnceEach) {
  UnconfirmedForms forms;
  const UnconfirmedForm fill{.command = "GDMA command tensor 1", .field = "f", .meaning = "m"};
  UnconfirmedForm mask = fill;
  mask.field = "g";
  forms.add({}, 1);
  forms.add({fill}, 2);
  forms.add({fill, mask}, 3);
  EXPECT_EQ(forms.commands(), 2u);
  ASSERT_EQ(forms.list().size(), 2u);
  EXPECT_EQ(forms.list()[0].commands, 2u);
  EXPECT_EQ(forms.list()[0].first, 2u);
  EXPECT_EQ(forms.list()[1].first, 3u);
  EXPECT_EQ(summary(forms), "2 commands use forms that no recording confirms");
  EXPECT_EQ(refuse(forms, "net n stage 0").error().id(), errors::isa_stream_unconfirmed);
  EXPECT_TRUE(refuse({}, "").ok());
}

}  // namespace
}  // namespace tputwin::isa
