// Commands of the BM1684 that compilers emit and no call makes: their decoded operations, and
// commands that are refused with the name of a field.
#include <gtest/gtest.h>

#include "isa/bm1684/codes.h"
#include "isa/bm1684/command.h"
#include "isa/streams/stream.h"
#include "ops/operation.h"

namespace tputwin::isa::bm1684_streams {
namespace {

template <class Command>
std::vector<uint8_t> bytes_of(const CommandForm<Command>& form, const Command& command) {
  std::vector<uint8_t> bytes(form.bytes);
  pack(form, command, bytes);
  return bytes;
}
Result<Operation> decoded(const TiuCommand& c) {
  auto one = decode_tiu_command(bytes_of(tiu_form(), c), bm1684());
  if (!one.ok()) return one.error();
  return std::move(one->instruction.op);
}
Result<Operation> decoded(const GdmaCommand& c) {
  auto one = decode_gdma_command(bytes_of(gdma_form(), c), bm1684());
  if (!one.ok()) return one.error();
  return std::move(one->instruction.op);
}

template <class Op, class Command>
Op decoded_as(const Command& command) {
  const auto op = decoded(command);
  EXPECT_TRUE(op.ok()) << op.status().message();
  const Op* held = op.ok() ? std::get_if<Op>(&*op) : nullptr;
  EXPECT_NE(held, nullptr);
  return held != nullptr ? *held : Op{};
}
template <class Command>
void expect_refused(const Command& command, std::string_view field) {
  const auto op = decoded(command);
  ASSERT_FALSE(op.ok()) << describe(*op);
  EXPECT_NE(op.error().message().find(field), std::string::npos) << op.error().message();
}

// Returns a window of 3 x 3 over 6 x 7 elements, with 4 x 5 results.
TiuCommand window(uint64_t type, uint64_t code, uint64_t precision) {
  TiuCommand c;
  c.cmd_en = c.cmd_id_en = c.cmd_id_tpu = 1;
  c.tsk_lane_num = UINT64_MAX;
  c.tsk_typ = type;
  c.tsk_eu_typ = code;
  c.tsk_opd_num = 2;
  c.opt_res0_prec = c.opt_opd0_prec = c.opt_opd1_prec = precision;
  c.res0_n = 1;
  c.res0_c = c.opd0_c = 4;
  c.res0_h = 4;
  c.res0_w = 5;
  c.opd0_h = 6;
  c.opd0_w = 7;
  c.opd1_h = c.opd1_w = 3;
  c.res_op_x_str = c.res_op_y_str = 1;
  c.opd1_n_str = 9, c.opd1_c_str = 18, c.opd1_h_str = 3, c.opd1_w_str = 1;
  c.short_opd1_str = 3;
  c.res0_addr = bm1684().local_base + 0x4000;
  c.opd0_addr = bm1684().local_base;
  c.opd1_addr = bm1684().local_base + 0x8000;
  return c;
}
constexpr uint64_t kBytePrecision = 0, kFloatPrecision = 2, kHalfPrecision = 3;

TEST(Bm1684Forms, ResultsMayBeFewerThanTheirWindowMakes) {
  for (const auto& [type, code, precision] : {std::tuple{0, 0, kFloatPrecision},
                                              {0, 0, kBytePrecision},
                                              {1, 1, kFloatPrecision},
                                              {1, 1, kBytePrecision},
                                              {1, 4, kFloatPrecision},
                                              {1, 4, kBytePrecision}}) {
    TiuCommand c = window(type, code, precision);
    EXPECT_TRUE(decoded(c).ok()) << decoded(c).status().message();
    c.res0_h = 2;
    c.res0_w = 3;
    EXPECT_TRUE(decoded(c).ok()) << decoded(c).status().message();
    c.res0_h = 5;
    expect_refused(c, "res0_h = 5");
    c.res0_h = 4;
    c.res0_w = 6;
    expect_refused(c, "res0_w = 6");
  }
}

TEST(Bm1684Forms, ConstantWeightsHaveNoLayoutAndNoDilation) {
  TiuCommand c = window(0, 0, kFloatPrecision);
  c.opt_opd1_const = 1;
  c.opd1_addr = 0x3f80'0000;
  c.opd1_x_ins0 = c.opd1_y_ins0 = 2;
  c.short_opd1_str = 1;
  const auto of_floats = decoded_as<Conv2dBm1684>(c);
  EXPECT_EQ(of_floats.constant_weight, 0x3f80'0000u);
  EXPECT_EQ(of_floats.window.h.dilation, 1u);
  EXPECT_EQ(operands(of_floats).size(), 2u);

  TiuCommand bytes = window(0, 0, kBytePrecision);
  bytes.opt_opd1_const = bytes.opt_opd1_sign = 1;
  bytes.opd1_addr = 0x1fe;  // only the low byte counts
  EXPECT_EQ(decoded_as<Conv2dBm1684Int8>(bytes).constant_weight, -2);
  bytes.opt_opd1_sign = 0;
  EXPECT_EQ(decoded_as<Conv2dBm1684Int8>(bytes).constant_weight, 254);
}

// A compiler copies channel 0 to all other channels, even if there are none.
TEST(Bm1684Forms, ConvolutionsToNoChannelsDoNothing) {
  TiuCommand c = window(0, 0, kFloatPrecision);
  c.opt_opd1_const = 1;
  c.opd1_addr = 0x3f80'0000;
  c.res0_c = 0;
  const auto one = decode_tiu_command(bytes_of(tiu_form(), c), bm1684());
  ASSERT_TRUE(one.ok()) << one.error().message();
  EXPECT_TRUE(one->is_idle);
  const auto program = decode_streams({bytes_of(tiu_form(), c), {}}, bm1684());
  ASSERT_TRUE(program.ok()) << program.error().message();
  EXPECT_TRUE(program->empty());
  c.res0_n = 0;
  c.res0_c = 1;
  expect_refused(c, "res0_n = 0");
}

TEST(Bm1684Forms, WeightsMayBeCompact) {
  TiuCommand c = window(0, 0, kFloatPrecision);
  c.short_opd1_str = 1;
  // pairs of channels; each has as many kernels as a lane has channels
  EXPECT_EQ(decoded_as<Conv2dBm1684>(c).weight.stride, (Stride{72, 0, 24, 8}));
}

TEST(Bm1684Forms, RefusesWhatIsIrregular) {
  TiuCommand maximum = window(1, 4, kFloatPrecision);
  maximum.opd0_x_ins0 = 1;
  maximum.res0_h = maximum.res0_w = 1;
  expect_refused(maximum, "opd0_x_ins0 = 1");
  TiuCommand winograd = window(0, 0, kFloatPrecision);
  winograd.opt_winograd = 1;
  expect_refused(winograd, "opt_winograd = 1");
}

// Returns operands of class 3, 2 x 2 x 2 x 2.
TiuCommand elements(uint64_t code, uint64_t precision) {
  TiuCommand c;
  c.cmd_en = c.cmd_id_en = c.cmd_id_tpu = 1;
  c.tsk_lane_num = UINT64_MAX;
  c.tsk_typ = 3;
  c.tsk_eu_typ = code;
  c.opt_res0_prec = c.opt_opd0_prec = c.opt_opd1_prec = precision;
  c.res0_n = c.res0_c = c.res0_h = c.res0_w = 2;
  c.res0_addr = bm1684().local_base;
  c.opd0_addr = bm1684().local_base + 0x1000;
  c.opd1_addr = bm1684().local_base + 0x2000;
  return c;
}

TEST(Bm1684Forms, LogicOfPackedElementsTakesTheLowBitsOfAConstant) {
  using Kind = FixedPoint::Kind;
  for (const auto& [code, kind] :
       {std::pair{7, Kind::bit_and}, {8, Kind::bit_or}, {9, Kind::bit_xor}}) {
    TiuCommand c = elements(code, kHalfPrecision);
    c.opt_opd1_const = c.opt_opd0_sign = 1;
    c.opd1_addr = 0x1'00ff;
    const auto op16 = decoded_as<FixedPoint>(c);
    EXPECT_EQ(op16.kind, kind);
    EXPECT_EQ(op16.out.dtype, DType::u16);
    EXPECT_EQ(op16.b.constant, 0xffu);
    EXPECT_EQ(decoded_as<FixedPoint>(elements(code, kBytePrecision)).out.pack, 4);
    c.opt_res0_prec = kBytePrecision;
    expect_refused(c, "opt_res0_prec");
  }
}

TEST(Bm1684Forms, ShiftsOf16BitsTakeAnyAmountAndIgnoreTheValuesSign) {
  TiuCommand c = elements(6, kHalfPrecision);
  c.opt_shift_typ = 1;
  EXPECT_EQ(decoded_as<FixedPoint>(c).a_type, DType::i16);
  c.opt_opd1_const = 1;
  c.opd1_addr = 255;
  EXPECT_EQ(decoded_as<FixedPoint>(c).b.constant, 255u);
}

TEST(Bm1684Forms, CopiesOfAConstantAreFills) {
  TiuCommand c = elements(19, kFloatPrecision);
  c.opt_opd0_const = 1;
  c.opd0_addr = 0xff7f'ffff;
  const auto op = decoded_as<Copy>(c);
  EXPECT_TRUE(op.src.is_constant);
  EXPECT_EQ(op.src.constant, 0xff7f'ffffu);
}

TEST(Bm1684Forms, AChoiceMayLeaveTheLargerOperand) {
  TiuCommand c = elements(24, kFloatPrecision);
  c.tsk_typ = 13;
  c.res1_addr = bm1684().local_base + 0x3000;
  c.opt_opd2_const = c.opt_opd3_const = 1;
  c.opd2_addr = 0x3f80'0000;
  const auto op = decoded_as<Select>(c);
  ASSERT_TRUE(op.extreme);
  EXPECT_TRUE(op.keeps_extreme_bits);
  EXPECT_EQ(op.extreme->address, 0u);
  EXPECT_EQ(op.out.address, 0x3000u);
}

GdmaCommand transfer(uint64_t function, uint64_t direction) {
  GdmaCommand c;
  c.pio_gdma_enable = c.cmd_id = c.stride_enable = 1;
  c.localmem_mask_l32 = c.localmem_mask_h32 = UINT32_MAX;
  c.special_func = function;
  c.direction = direction;
  const bool from_local = direction == kLocalToSystem || direction == kLocalToLocal;
  const bool to_local = direction == kSystemToLocal || direction == kLocalToLocal;
  const auto set = [](uint64_t address, uint64_t& low, uint64_t& high) {
    low = address & UINT32_MAX;
    high = address >> 32;
  };
  set(from_local ? bm1684().local_base : bm1684().global_base, c.src_start_addr_l32,
      c.src_start_addr_h8);
  set((to_local ? bm1684().local_base : bm1684().global_base) + 0x8000, c.dst_start_addr_l32,
      c.dst_start_addr_h8);
  c.src_nstride = c.src_cstride = c.src_hstride = 8;
  c.dst_nstride = c.dst_cstride = c.dst_hstride = 8;
  c.src_wstride = c.dst_wstride = 1;
  return c;
}
void set_sizes(GdmaCommand& c, const Shape& src, const Shape& dst) {
  c.src_nsize = src.n, c.src_csize = src.c, c.src_hsize = src.h, c.src_wsize = src.w;
  c.dst_nsize = dst.n, c.dst_csize = dst.c, c.dst_hsize = dst.h, c.dst_wsize = dst.w;
}

TEST(Bm1684Forms, CopiesBetweenDifferentSizesGoInIndexOrder) {
  GdmaCommand c = transfer(kTensor, kSystemToLocal);
  set_sizes(c, {3, 3, 1, 6}, {1, 9, 1, 6});
  const auto op = decoded_as<Rearrange>(c);
  EXPECT_EQ(op.kind, Rearrange::Kind::refold);
  EXPECT_EQ(op.in.shape, (Shape{3, 3, 1, 6}));
  EXPECT_EQ(op.out.shape, (Shape{1, 9, 1, 6}));
  c.chw_copy = 1;
  EXPECT_EQ(decoded_as<Copy>(c).dst.shape, (Shape{3, 3, 1, 6}));
  set_sizes(c, {3, 3, 1, 6}, {1, 9, 1, 5});
  c.chw_copy = 0;
  expect_refused(c, "dst_nsize");
}

TEST(Bm1684Forms, TransposesTakeDestinationsOfAsManyElements) {
  GdmaCommand c = transfer(kTranspose, kSystemToSystem);
  set_sizes(c, {1, 9, 7, 28}, {9, 1, 7, 28});
  const auto op = decoded_as<Rearrange>(c);
  EXPECT_EQ(op.kind, Rearrange::Kind::swap_nc);
  EXPECT_EQ(op.out.shape, (Shape{9, 1, 7, 28}));
  c.dst_nsize = 8;
  expect_refused(c, "dst_nsize = 8");
  set_sizes(c, {1, 9, 7, 28}, {9, 1, 28, 7});
  expect_refused(c, "dst_hsize = 28");
}

TEST(Bm1684Forms, CopiesConvertBetweenFp32AndBytes) {
  GdmaCommand c = transfer(kConvert, kLocalToSystem);
  set_sizes(c, {1, 2, 3, 4}, {1, 2, 3, 4});
  c.dst_data_format = kSecondBytes;
  const auto op = decoded_as<Convert>(c);
  EXPECT_EQ(op.engine, Engine::dma);
  EXPECT_EQ(op.in.dtype, DType::f32);
  EXPECT_EQ(op.out.dtype, DType::i8);
  EXPECT_EQ(op.in.stride.h, 32u);
  EXPECT_EQ(op.out.stride.h, 8u);
  c.dst_data_format = DataFormat::kBytes;
  EXPECT_EQ(decoded_as<Convert>(c).out.dtype, DType::u8);
  c.dst_data_format = k16Bits;
  expect_refused(c, "dst_data_format = 1");
}

TEST(Bm1684Forms, OneMatrixIsTransposedBetweenLanes) {
  GdmaCommand c = transfer(kTransposeMatrix, kLocalToLocal);
  set_sizes(c, {3, 2, 4, 5}, {1, 1, 1, 1});
  c.src_data_format = kSecondBytes;
  const auto op = decoded_as<Rearrange>(c);
  EXPECT_EQ(op.kind, Rearrange::Kind::swap_cw);
  EXPECT_EQ(op.in.shape, (Shape{1, 2, 1, 5}));
  EXPECT_EQ(op.out.shape, (Shape{1, 5, 1, 2}));
  GdmaCommand other = transfer(kTransposeMatrix, kSystemToLocal);
  set_sizes(other, {1, 2, 1, 5}, {1, 5, 1, 2});
  expect_refused(other, "direction = 0");
}

TEST(Bm1684Forms, RunsAreAsLongAsTheSourcesStride) {
  GdmaCommand c = transfer(kTensor, kSystemToSystem);
  c.common_mode = 1;
  c.stride_enable = 0;
  c.src_nstride = 70'000;
  const auto op = decoded_as<Copy>(c);
  EXPECT_EQ(op.dst.shape, (Shape{1, 1, 1, 70'000}));
  EXPECT_EQ(op.dst.stride.w, 4u);
}

TEST(Bm1684Forms, MatricesWithoutStridesAreAlignedInLanes) {
  GdmaCommand c = transfer(kTensor, kSystemToLocal);
  c.sys_mem_type = 1;
  c.stride_enable = 0;
  set_sizes(c, {1, 1, 2, 280}, {2, 7, 1, 40});
  const auto op = decoded_as<CopyMatrix>(c);
  EXPECT_EQ(op.src.tensor.stride.n, 280u * 4);
  EXPECT_EQ(op.dst.tensor.stride.n, 64u * 4);  // one row of lanes
  EXPECT_EQ(op.dst.tensor.shape, (Shape{2, 7, 1, 40}));
  c.special_func = kTranspose;
  set_sizes(c, {1, 1, 280, 2}, {2, 7, 1, 40});
  EXPECT_EQ(decoded_as<CopyMatrix>(c).src.tensor.stride.w, 2u * 4);
}

}  // namespace
}  // namespace tputwin::isa::bm1684_streams
