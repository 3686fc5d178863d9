// Forms of the BM1684's commands that no recording confirms: their effects, and that each is
// counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/errors/isa.h"
#include "isa/bm1684/codes.h"
#include "isa/bm1684/command.h"
#include "isa/streams/reader.h"
#include "machine/command_group.h"
#include "numerics/float32.h"

namespace tputwin::isa {
namespace {

using namespace bm1684_streams;
using ::testing::ElementsAre;

constexpr uint64_t kIn = 0, kOut = 0x1000;

class UnconfirmedBm1684 : public ::testing::Test {
 protected:
  template <class T>
  void put(uint64_t address, const std::vector<T>& values, uint32_t lane = 0) {
    std::memcpy(device_->memories().take_local().lane(lane) + address, values.data(),
                values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> get(uint64_t address, size_t count, uint32_t lane = 0) {
    std::vector<T> values(count);
    std::memcpy(values.data(), device_->memories().take_local().lane(lane) + address,
                count * sizeof(T));
    return values;
  }
  template <class Command>
  static std::vector<uint8_t> bytes_of(const CommandForm<Command>& form, const Command& command) {
    std::vector<uint8_t> bytes(form.bytes);
    pack(form, command, bytes);
    return bytes;
  }
  static Result<OneCommand> decoded(const TiuCommand& c) {
    return decode_tiu_command(bytes_of(tiu_form(), c), bm1684());
  }
  static Result<OneCommand> decoded(const GdmaCommand& c) {
    return decode_gdma_command(bytes_of(gdma_form(), c), bm1684());
  }
  // Runs the command; expects this form and no other.
  template <class Command>
  void run(const Command& command, std::string_view field, uint64_t value) {
    const auto one = decoded(command);
    ASSERT_TRUE(one.ok()) << one.error().message();
    const Status status = run_command_group(*device_, {&one->instruction, 1});
    EXPECT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(one->unconfirmed.size(), 1u);
    EXPECT_EQ(one->unconfirmed[0].field, field);
    EXPECT_EQ(one->unconfirmed[0].value, value);
    EXPECT_FALSE(one->unconfirmed[0].meaning.empty());
  }
  template <class Command>
  void expect_refused(const Command& command, std::string_view field) {
    const auto one = decoded(command);
    ASSERT_FALSE(one.ok());
    EXPECT_EQ(one.error().id(), errors::isa_stream_unsupported);
    EXPECT_EQ(one.error().argument(), field);
  }

  std::unique_ptr<Device> device_ = std::move(
      Device::create({.chip = &bm1684(), .global_bytes = 1 << 20, .poison = false}).value());
};

// Returns out = 7 everywhere, by a logical OR of constants (3.8), (1,3,1,2).
TiuCommand fill() {
  TiuCommand c;
  c.cmd_en = c.cmd_id_en = c.cmd_id_tpu = 1;
  c.tsk_lane_num = UINT64_MAX;
  c.tsk_typ = 3;
  c.tsk_eu_typ = 8;
  c.opt_res0_prec = c.opt_opd0_prec = c.opt_opd1_prec = kInt32;
  c.opt_opd0_const = c.opt_opd1_const = 1;
  c.opd0_addr = 7;
  c.res0_n = c.res0_h = 1;
  c.res0_c = 3;
  c.res0_w = 2;
  c.res0_addr = bm1684().local_base + kOut;
  return c;
}

TEST_F(UnconfirmedBm1684, UnusedFieldsAreNotRead) {
  TiuCommand c = fill();
  c.opd0_h_shift = 1;
  run(c, "opd0_h_shift", 1);
  EXPECT_THAT(get<uint32_t>(kOut, 2), ElementsAre(7, 7));
  c = fill();
  c.opt_left_tran = 1;  // of matrix products
  run(c, "opt_left_tran", 1);
}

TEST_F(UnconfirmedBm1684, TheProductOfConstantsIsAdded) {
  put<float>(kOut, {1, -2});
  TiuCommand c = fill();
  c.tsk_eu_typ = 1;  // mac
  c.opt_res0_prec = c.opt_opd0_prec = c.opt_opd1_prec = kFp32;
  c.res0_c = 1;
  c.opd0_addr = f32::bits(3.0f);
  c.opd1_addr = f32::bits(0.5f);
  run(c, "opt_opd1_const", 1);
  EXPECT_THAT(get<float>(kOut, 2), ElementsAre(2.5f, -0.5f));
}

GdmaCommand copy(uint64_t direction) {
  GdmaCommand c;
  c.pio_gdma_enable = c.barrier_enable = c.prefetch_disable = c.lrn_shift_num = 1;
  c.cmd_id = 1;
  c.direction = direction;
  c.src_data_format = k32Bits;
  c.src_nsize = c.dst_nsize = c.src_hsize = c.dst_hsize = 1;
  c.src_csize = c.dst_csize = 3;
  c.src_wsize = c.dst_wsize = 2;
  c.localmem_mask_l32 = c.localmem_mask_h32 = UINT32_MAX;
  c.src_start_addr_l32 = bm1684().local_base + kIn;
  c.dst_start_addr_l32 = bm1684().local_base + kOut;
  return c;
}

TEST_F(UnconfirmedBm1684, CopiesAddToTheDestination) {
  put<float>(kIn, {1, 2});
  put<float>(kOut, {10, 20});
  GdmaCommand c = copy(kLocalToLocal);
  c.acc_write_enable = 1;
  run(c, "acc_write_enable", 1);
  EXPECT_THAT(get<float>(kOut, 2), ElementsAre(11, 22));
  // A contiguous run of elements; no document describes sums for it.
  c.common_mode = 1;
  c.src_nstride = 2;
  expect_refused(c, "acc_write_enable");
  c.common_mode = 0;
  c.src_data_format = k16Bits;
  expect_refused(c, "src_data_format");
}

TEST_F(UnconfirmedBm1684, ShiftedCopiesFromSystemMemory) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(device_->memories().take_global().data(), values, sizeof values);
  GdmaCommand c = copy(kSystemToLocal);
  c.special_func = kShifted;
  c.src_start_addr_l32 = 0;
  c.src_start_addr_h8 = 1;
  run(c, "direction", kSystemToLocal);
  EXPECT_THAT(get<float>(kOut, 2, 1), ElementsAre(3, 4));
}

TEST_F(UnconfirmedBm1684, FlagsWithoutADescriptionAreRefused) {
  GdmaCommand c = copy(kLocalToLocal);
  c.des_type = 1;
  expect_refused(c, "des_type");
  c = copy(kLocalToLocal);
  c.localmem_mask_l32 = 5;
  expect_refused(c, "localmem_mask_l32");
}

}  // namespace
}  // namespace tputwin::isa
