// More channels than the guide allows: functions that the reference model executes nevertheless,
// compared with plain loops, and functions at which it stops.
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
constexpr local_addr_t kIn = 0, kOut = 128 * 1024, kFarOut = 256 * 1024;

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

bool warned_of(const char* code) {
  for (size_t i = 0; i < tputwin_warning_count(); i++)
    if (std::string(tputwin_warning(i, nullptr)).find(code) != std::string::npos) return true;
  return false;
}
bool warned_of_channels() { return warned_of("TW-OKK-0017"); }

TEST(ManyChannels, ReluAndCopyAreExecuted) {
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

TEST(ManyChannels, PoolingIsExecuted) {
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

TEST(ManyChannels, FillsAndTheMaximumOfATensorWithItselfAreExecuted) {
  const dim4 shape{1, 5120, 3, 5};
  const int count = 5120 * kPlane;
  Result r = run(shape, [&] {
    const x32 value = {.u32 = 0x7fc12345};
    okk_bdc_32bit_set_C(kOut, value, &shape, nullptr);
  });
  ASSERT_EQ(r.status, BM_SUCCESS) << tputwin_last_error();
  EXPECT_TRUE(warned_of_channels());
  EXPECT_EQ(r.out, std::vector<Bits>(static_cast<size_t>(count), 0x7fc12345));
  r = run(kShape, [&] { okk_bdc_max(kOut, kIn, kIn, &kShape, nullptr, nullptr, nullptr); });
  ASSERT_EQ(r.status, BM_SUCCESS) << tputwin_last_error();
  EXPECT_TRUE(warned_of_channels());
  for (size_t i = 0; i < r.in.size(); i++) ASSERT_EQ(r.out[i], flushed(r.in[i])) << i;
}

// Loads channels of 14 elements by DMA in pieces of 2048 channels. Returns the result of a function
// that makes channels of `width` elements of them.
std::vector<Bits> run_in_pieces(int channels, int width, const std::vector<Bits>& in,
                                const std::function<void()>& function) {
  bm_handle_t handle = Machine::get().handle();
  constexpr int kPiece = 2048, kNpus = 64;
  std::vector<Bits> out(static_cast<size_t>(channels * width));
  bm_device_mem_t source{}, result{};
  bm_malloc_device_byte(handle, &source, static_cast<unsigned>(in.size()) * 4);
  bm_malloc_device_byte(handle, &result, static_cast<unsigned>(out.size()) * 4);
  bm_memcpy_s2d(handle, source, const_cast<Bits*>(in.data()));
  const bm_status_t status = Machine::get().run([&] {
    const auto move = [&](bool loads, local_addr_t local, const bm_device_mem_t& memory, int row) {
      const dim4 shape{1, kPiece, 1, row};
      for (int first = 0; first < channels; first += kPiece) {
        // a channel takes 128 bytes in an NPU, so 64 channels begin at one offset
        const local_addr_t at = local + static_cast<local_addr_t>(first / kNpus * 128);
        const system_addr_t place =
            bm_mem_get_device_addr(memory) +
            static_cast<system_addr_t>(first) * static_cast<unsigned>(row) * 4;
        if (loads)
          okk_gdma_32bit_cpy_S2L(at, place, &shape, nullptr, nullptr);
        else
          okk_gdma_32bit_cpy_L2S(place, at, &shape, nullptr, nullptr);
      }
    };
    move(true, kIn, source, 14);
    function();
    move(false, kFarOut, result, width);
    okk_poll();
  });
  EXPECT_EQ(status, BM_SUCCESS) << tputwin_last_error();
  bm_memcpy_d2s(handle, out.data(), result);
  bm_free_device(handle, source);
  bm_free_device(handle, result);
  return out;
}

TEST(ManyChannels, AsManyAsLanesHold) {
  for (const int channels : {65536, 131072}) {
    const dim4 shape{1, channels, 1, 14};
    std::vector<Bits> in(static_cast<size_t>(channels * 14));
    Rng rng(static_cast<uint64_t>(channels));
    for (Bits& bits : in) bits = as_bits(static_cast<float>(rng.below(2000)) - 1000.0f);
    const std::vector<Bits> copied = run_in_pieces(
        channels, 14, in, [&] { okk_bdc_32bit_cpy(kFarOut, kIn, &shape, nullptr, nullptr); });
    EXPECT_EQ(copied, in);
    const std::vector<Bits> clipped = run_in_pieces(
        channels, 14, in, [&] { okk_bdc_relu(kFarOut, kIn, &shape, nullptr, nullptr); });
    for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(clipped[i], relu(in[i])) << i;
    for (const bool average : {false, true}) {
      const std::vector<Bits> pooled = run_in_pieces(channels, 13, in, [&] {
        (average ? okk_bdc_avg_pool2d : okk_bdc_max_pool2d)(kFarOut, kIn, &shape, 1, 2, nullptr,
                                                            nullptr);
      });
      const FlushToZero mode;
      for (size_t i = 0; i < pooled.size(); ++i) {
        const size_t at = i / 13 * 14 + i % 13;
        const Bits half = as_bits(0.5f);
        const Bits expected = average ? add(mul(in[at], half), mul(in[at + 1], half))
                                      : (greater(in[at + 1], in[at]) ? in[at + 1] : in[at]);
        ASSERT_EQ(pooled[i], expected) << i << " of " << channels << " channels";
      }
    }
  }
}

TEST(ManyChannels, MoreThanLanesHoldIsAnError) {
  const dim4 shape{1, 1 << 20, 1, 14};
  EXPECT_NE(Machine::get().run([&] { okk_bdc_relu(0, 0, &shape, nullptr, nullptr); }), BM_SUCCESS);
  const dim4 most{1, 1 << 30, 1, 1};
  EXPECT_NE(Machine::get().run([&] { okk_bdc_relu(0, 0, &most, nullptr, nullptr); }), BM_SUCCESS);
  EXPECT_NE(std::string(tputwin_last_error()).find("TW-OKK-0003"), std::string::npos);
}

TEST(ManyChannels, ElsewhereTheyAreAnErrorAsTheModelStops) {
  const std::function<void()> calls[] = {
      [] { okk_bdc_max(kOut, kIn, kOut, &kShape, nullptr, nullptr, nullptr); },
      [] { okk_bdc_max_C(kOut, kIn, 1.0f, &kShape, nullptr, nullptr); },
      [] { okk_bdc_min(kOut, kIn, kIn, &kShape, nullptr, nullptr, nullptr); },
      [] { okk_bdc_neg(kOut, kIn, &kShape, nullptr, nullptr); },
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

// Pairs of weights at an odd int32 are an error. An output on its input, which a document forbids,
// is a warning, because all inputs are read first.
TEST(ConvolutionRules, WeightsAtAnOddWordFailAndAnOutputOnItsInputIsWarnedOf) {
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
    EXPECT_EQ(convolution(on_input, 0x20008), BM_SUCCESS) << tputwin_last_error();
    EXPECT_TRUE(warned_of("TW-OKK-0314"));
  }
}

}  // namespace
}  // namespace tputwin::okktest
