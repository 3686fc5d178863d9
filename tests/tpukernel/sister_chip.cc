// TPUKernel on a derived chip of the BM1684X that the sources do not name: results and limits of
// functions depend on the session's chip.
#include <gtest/gtest.h>
#include <tpu_kernel.h>

#include <cstring>
#include <functional>
#include <string>

#include "common/sister_chip.h"
#include "machine/device.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::tputest {
namespace {

const Chip& sister() {
  static const Chip chip = [] {
    Chip made = testing::sister_of(bm1684x());
    made.types = {DType::u8, DType::i8, DType::i32, DType::f16, DType::f32};
    made.limits.window.padding = 7;
    return made;
  }();
  return chip;
}

std::string error_of(const Chip& chip, const std::function<void()>& code) {
  const auto device = std::move(Device::create({.chip = &chip, .global_bytes = 1 << 20}).value());
  const auto run = [](const void* function) {
    tpu_initialize();
    (*static_cast<const std::function<void()>*>(function))();
  };
  const okk::Outcome outcome = okk::run_kernel(*device, "kernel", run, &code);
  return outcome.error ? outcome.error->message() : "";
}

// A device of the BM1684 makes the launch fail, and says how to get the other chip.
TEST(OtherChip, IsNamedWithTheWayOut) {
  const std::string error = error_of(bm1684(), [] {});
  for (const char* part : {"TW-BML-0310 tpu_initialize", "device = BM1684:", "TPUTWIN_CHIP=BM1684X",
                           "-Wl,--no-as-needed -ltpukernel"})
    EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
}

// It ends a kernel that waits in a loop for the result of a call.
TEST(OtherChip, EndsLoops) {
  const std::string error = error_of(bm1684(), [] {
    while (true) tpu_poll();
  });
  EXPECT_NE(error.find("TW-BML-0310"), std::string::npos) << error;
}

TEST(SisterChip, ReportsWhatChipItIs) {
  EXPECT_EQ(error_of(sister(),
                     [] {
                       EXPECT_EQ(tpu_npu_num(), 16);
                       EXPECT_EQ(tpu_bank_num(), 8);
                       EXPECT_EQ(tpu_local_mem_size_per_npu(), 128 * 1024);
                       EXPECT_EQ(tpu_npu_index(3 * 128 * 1024 + 5), 3);
                       EXPECT_EQ(tpu_channle_num_per_npu(0, 33), 3);
                     }),
            "");
  EXPECT_EQ(tpu_npu_num(), 64) << "outside kernels: the BM1684X";
}

// 20 channels wrap round the 16 NPUs once.
TEST(SisterChip, AddsTensors) {
  EXPECT_EQ(error_of(sister(),
                     [] {
                       const dim4 shape = {1, 20, 1, 16};
                       auto number = [](local_addr_t at, int c, int w) {
                         const auto offset = static_cast<unsigned>(c / 16 * 64 + w * 4);
                         return static_cast<float*>(tpu_local_mem_addr(c % 16, at + offset));
                       };
                       for (int c = 0; c < 20; ++c)
                         for (int w = 0; w < 16; ++w) {
                           *number(0, c, w) = static_cast<float>(c);
                           *number(1024, c, w) = static_cast<float>(w) / 2;
                         }
                       tpu_bdc_fp_add(2048, 0, 1024, &shape, nullptr, nullptr, nullptr, DT_FP32);
                       tpu_poll();
                       for (int c = 0; c < 20; ++c)
                         for (int w = 0; w < 16; ++w)
                           EXPECT_EQ(*number(2048, c, w), static_cast<float>(c) + w / 2.0f);
                     }),
            "");
}

void pool(int padding) {
  const dim4 shape = {1, 1, 20, 20};
  const dim2 kernel = {9, 9}, one = {1, 1};
  const padding_t pad = {padding, padding, padding, padding};
  scalar_t lowest;
  lowest.f32 = -1.0f;
  tpu_bdc_fp_max_pool2d(16384, 0, &shape, &kernel, &pad, &one, &one, DT_FP32, lowest);
}

TEST(SisterChip, HasLimitsOfItsOwn) {
  EXPECT_EQ(error_of(bm1684x(), [] { pool(8); }), "");
  EXPECT_EQ(error_of(sister(), [] { pool(7); }), "");
  EXPECT_NE(error_of(sister(), [] { pool(8); }).find("padding = 8"), std::string::npos);
}

TEST(SisterChip, HasNumberTypesOfItsOwn) {
  const auto add = [](data_type_t type) {
    const dim4 shape = {1, 2, 1, 4};
    tpu_bdc_fp_add(2048, 0, 1024, &shape, nullptr, nullptr, nullptr, type);
  };
  EXPECT_EQ(error_of(sister(), [&] { add(DT_FP16); }), "");
  EXPECT_EQ(error_of(bm1684x(), [&] { add(DT_BFP16); }), "");
  EXPECT_NE(error_of(sister(), [&] { add(DT_BFP16); }).find("TW-TPU-"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::tputest
