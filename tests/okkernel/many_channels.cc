// More channels than the guide allows: the functions that the reference model carries out all the
// same, compared with plain loops, and those where it stops.
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <string>
#include <vector>

#include "common/rng.h"
#include "okkernel/float_model.h"
#include "okkernel/machine.h"

namespace tputwin::okktest {
namespace {

using testing::Rng;

constexpr dim4 kShape{2, 5000, 3, 5};
constexpr int kPlane = 15, kCount = 2 * 5000 * kPlane;
constexpr local_addr_t kIn = 0, kOut = 128 * 1024;

// A function's result on a tensor of many channels, loaded and stored by DMA.
struct Result {
  std::vector<Bits> in, out;
  bm_status_t status;
};

Result run(const dim4& out_shape, const std::function<void()>& function) {
  bm_handle_t handle = Machine::get().handle();
  const int out_count = out_shape.n * out_shape.c * out_shape.h * out_shape.w;
  Result r{.in = std::vector<Bits>(kCount), .out = std::vector<Bits>(out_count), .status = {}};
  Rng rng(7);
  for (Bits& bits : r.in)
    bits = rng.below(8) == 0 ? static_cast<Bits>(rng.next())
                             : as_bits(static_cast<float>(rng.below(2000)) * 0.37f - 300.0f);
  bm_device_mem_t source{}, result{};
  bm_malloc_device_byte(handle, &source, kCount * 4);
  bm_malloc_device_byte(handle, &result, static_cast<unsigned>(out_count) * 4);
  bm_memcpy_s2d(handle, source, r.in.data());
  r.status = Machine::get().run([&] {
    okk_gdma_32bit_cpy_S2L(kIn, bm_mem_get_device_addr(source), &kShape, nullptr, nullptr);
    function();
    okk_gdma_32bit_cpy_L2S(bm_mem_get_device_addr(result), kOut, &out_shape, nullptr, nullptr);
    okk_poll();
  });
  bm_memcpy_d2s(handle, r.out.data(), result);
  bm_free_device(handle, source);
  bm_free_device(handle, result);
  return r;
}

bool warned_of_channels() {
  for (size_t i = 0; i < tputwin_warning_count(); i++)
    if (std::string(tputwin_warning(i, nullptr)).find("TW-OKK-0017") != std::string::npos)
      return true;
  return false;
}

TEST(ManyChannels, ReluAndCopyAreCarriedOut) {
  for (const bool copies : {false, true}) {
    const Result r = run(kShape, [&] {
      (copies ? okk_bdc_32bit_cpy : okk_bdc_relu)(kOut, kIn, &kShape, nullptr, nullptr);
    });
    ASSERT_EQ(r.status, BM_SUCCESS) << tputwin_last_error();
    EXPECT_TRUE(warned_of_channels());
    for (size_t i = 0; i < r.in.size(); i++)
      ASSERT_EQ(r.out[i], copies ? r.in[i] : relu(r.in[i])) << i;
  }
}

TEST(ManyChannels, PoolingIsCarriedOut) {
  const dim4 pooled{2, 5000, 2, 4};
  const Bits share = as_bits(0.25f);
  for (const bool average : {false, true}) {
    const Result r = run(pooled, [&] {
      (average ? okk_bdc_avg_pool2d : okk_bdc_max_pool2d)(kOut, kIn, &kShape, 2, 2, nullptr,
                                                          nullptr);
    });
    ASSERT_EQ(r.status, BM_SUCCESS) << tputwin_last_error();
    EXPECT_TRUE(warned_of_channels());
    const FlushToZero mode;
    for (int i = 0; i < 2 * 5000 * 8; i++) {
      const Bits* window = &r.in[i / 8 * kPlane + i % 8 / 4 * 5 + i % 4];
      Bits sums[2] = {0, 0}, largest = 0xff7fffff;
      for (int tap = 0; tap < 4; tap++) {
        const Bits v = window[tap / 2 * 5 + tap % 2];
        sums[tap % 2] = add(sums[tap % 2], mul(v, share));
        if (greater(v, largest)) largest = flushed(v);
      }
      ASSERT_EQ(r.out[i], average ? add(sums[0], sums[1]) : largest) << i;
    }
  }
}

TEST(ManyChannels, ElsewhereTheyAreAnErrorAsTheModelStops) {
  const std::function<void()> calls[] = {
      [] { okk_bdc_add_C(kOut, kIn, 1.0f, &kShape, nullptr, nullptr); },
      [] { okk_bdc_mul(kOut, kIn, kIn, &kShape, nullptr, nullptr, nullptr); },
      [] { okk_bdc_div(kOut, kIn, kIn, &kShape, nullptr, nullptr, nullptr); },
      [] { okk_bdc_taylor_exp(kOut, kIn, &kShape, 8); },
      [] {
        okk_bdc_depthwise2d(kOut, kIn, 256 * 1024, 0, &kShape, 1, 1, false, nullptr, nullptr,
                            nullptr);
      },
  };
  for (const auto& call : calls) {
    EXPECT_NE(Machine::get().run(call), BM_SUCCESS);
    EXPECT_NE(std::string(tputwin_last_error()).find("TW-OKK-0003"), std::string::npos)
        << tputwin_last_error();
  }
}

// What is no convolution: pairs of weights at an odd word, an output on its input.
TEST(ConvolutionRules, WeightsAtAnOddWordAndAnOutputOnItsInputFail) {
  const dim4 shape{1, 4, 8, 8};
  auto convolution = [&](local_addr_t out, local_addr_t weight) {
    return Machine::get().run([&] {
      okk_bdc_conv2d(out, 0, weight, 0, &shape, 4, 1, 1, nullptr, nullptr, false, false, nullptr,
                     nullptr, nullptr);
    });
  };
  EXPECT_EQ(convolution(0x10000, 0x20008), BM_SUCCESS) << tputwin_last_error();
  EXPECT_NE(convolution(0x10000, 0x20004), BM_SUCCESS);
  EXPECT_NE(std::string(tputwin_last_error()).find("TW-OKK-0018"), std::string::npos);
  for (const local_addr_t on_input : {0u, 128u}) {
    EXPECT_NE(convolution(on_input, 0x20008), BM_SUCCESS);
    EXPECT_NE(std::string(tputwin_last_error()).find("TW-OKK-0314"), std::string::npos);
  }
}

}  // namespace
}  // namespace tputwin::okktest
