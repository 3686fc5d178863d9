// Kernels with more than one call: parallel sections, messages, pointers.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "tpukernel/own_device.h"

namespace tputwin::tputest {
namespace {

constexpr int kTiles = 7, kTileFloats = 2 * 66 * 3 * 5;
constexpr dim4 kTile{2, 66, 3, 5};
constexpr local_addr_t kBuffer[] = {0, 1 << 14}, kResult[] = {2 << 14, 3 << 14};

// result = source + 1, in tiles: while one tile is computed, the next is loaded and the previous
// stored.
void plus_one(system_addr_t source, system_addr_t result) {
  const auto bytes = [](int tile) { return static_cast<system_addr_t>(tile) * kTileFloats * 4; };
  const scalar_t one{.f32 = 1.0f};
  for (int step = 0; step < kTiles + 2; step++) {
    const int loaded = step, computed = step - 1, stored = step - 2;
    tpu_parallel_start();
    if (loaded < kTiles)
      tpu_gdma_cpy_S2L(kBuffer[loaded % 2], source + bytes(loaded), &kTile, nullptr, nullptr,
                       DT_FP32);
    if (0 <= computed && computed < kTiles)
      tpu_bdc_fp_add_C(kResult[computed % 2], kBuffer[computed % 2], one, &kTile, nullptr, nullptr,
                       DT_FP32);
    if (0 <= stored)
      tpu_gdma_cpy_L2S(result + bytes(stored), kResult[stored % 2], &kTile, nullptr, nullptr,
                       DT_FP32);
    tpu_parallel_end();
  }
  tpu_poll();
}

struct Order {
  Schedule schedule;
  uint64_t seed;
};
class ParallelSections : public ::testing::TestWithParam<Order> {};

TEST_P(ParallelSections, PingPongBuffersLeaveTheSameBytesInEveryLegalOrder) {
  OwnDevice own(GetParam().schedule, GetParam().seed);
  constexpr int kFloats = kTiles * kTileFloats;
  for (int i = 0; i < kFloats; i++) own.floats()[i] = static_cast<float>(i);
  tpu_initialize();
  plus_one(tpu_global_mem_get_start_addr(), tpu_global_mem_get_start_addr() + kFloats * 4);
  ASSERT_TRUE(own.device().drain().ok());
  for (int i = 0; i < kFloats; i++)
    ASSERT_EQ(own.floats()[kFloats + i], static_cast<float>(i) + 1) << i;
}

// A message orders the two engines in one parallel section: the store waits for the sum.
TEST_P(ParallelSections, AMessageOrdersTwoEngines) {
  OwnDevice own(GetParam().schedule, GetParam().seed);
  const dim4 one{1, 1, 1, 1};
  const scalar_t five{.f32 = 5.0f};
  tpu_initialize();
  tpu_parallel_start();
  tpu_bdc_set_C(0, five, &one, nullptr, DT_FP32);
  tpu_bdc_send_msg(7, 1);
  tpu_gdma_wait_msg(7, 1);
  tpu_gdma_cpy_L2S(tpu_global_mem_get_start_addr(), 0, &one, nullptr, nullptr, DT_FP32);
  tpu_parallel_end();
  tpu_poll();
  EXPECT_EQ(own.floats()[0], 5.0f);
}

std::string name_of_parameter(const ::testing::TestParamInfo<Order>& info) {
  static constexpr const char* kNames[] = {"program",    "compute_first", "dma_first",
                                           "shuffled_1", "shuffled_2",    "shuffled_3"};
  return kNames[info.index];
}

INSTANTIATE_TEST_SUITE_P(
    Orders, ParallelSections,
    ::testing::Values(Order{Schedule::program, 1}, Order{Schedule::compute_first, 1},
                      Order{Schedule::dma_first, 1}, Order{Schedule::shuffled, 1},
                      Order{Schedule::shuffled, 2}, Order{Schedule::shuffled, 3}),
    name_of_parameter);

// Runs like a program without a host part, on its own thread: the thread stays in the kernel.
void own_program() {
  EXPECT_EQ(cmodel_init(1, 1 << 24), 0);
  set_cur_nodechip_idx(1);
  tpu_kernel_init(1);
  tpu_initialize();
  const dim4 shape{1, 64, 1, 4};
  const scalar_t value{.s32 = 42};
  tpu_bdc_set_C(0, value, &shape, nullptr, DT_INT32);
  tpu_poll();
  for (int npu = 0; npu < 64; npu++)
    EXPECT_EQ(static_cast<int*>(tpu_local_mem_addr(npu, 0))[3], 42) << npu;
  EXPECT_EQ(tpu_global_mem_addr(0), nullptr);
  EXPECT_EQ(cmodel_init(8, 0), -1);
}

TEST(Kernels, RunWithoutAHostProgram) { std::thread(own_program).join(); }

// Pointers across lanes: on the chip lanes are contiguous. Earlier writes of instructions keep
// their addresses.
TEST(Kernels, APointerWalksFromLaneToLane) {
  OwnDevice own(Schedule::program);
  const dim4 shape{1, kNpus, 1, 16};
  tpu_initialize();
  tpu_bdc_arithmetic_sequence_bcast(kNpuBytes - 64, kNpus, 0, 1, 16);
  tpu_poll();
  auto* numbers = static_cast<int*>(tpu_local_mem_addr_unified(0));
  for (int npu = 0; npu < kNpus; ++npu) {
    int* const last = numbers + (npu + 1) * (kNpuBytes / 4) - 1;
    EXPECT_EQ(*last, 15) << npu;
    *last = npu;
  }
  tpu_gdma_cpy_L2S(kGlobalStart, kNpuBytes - 64, &shape, nullptr, nullptr, DT_INT32);
  tpu_poll();
  const auto* stored = reinterpret_cast<const int*>(own.global());
  for (int npu = 0; npu < kNpus; ++npu) EXPECT_EQ(stored[16 * npu + 15], npu);
}

TEST(Kernels, AFunctionTheChipDoesNotHaveNamesItself) {
  OwnDevice own(Schedule::program);
  tpu_initialize();
  const dim4 shape{1, 1, 1, 4};
  tpu_gdma_reverse_L2L(0, 4096, &shape, nullptr, nullptr, 3, DT_FP32);
  const std::string text = own.device().error().message();
  EXPECT_NE(text.find("TW-TPU-0017 tpu_gdma_reverse_L2L"), std::string::npos) << text;
}

TEST(Header, EveryFunctionIsInTheLibrary) {
  std::ifstream file(std::filesystem::path(TPUTWIN_SOURCE_DIR) / "include/tpu_kernel.h");
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  static const std::regex declaration(R"(\b(tpu_\w+)\()");
  size_t count = 0;
  for (std::sregex_iterator match(header.begin(), header.end(), declaration), end; match != end;
       ++match) {
    const std::string name = (*match)[1];
    if (name == "tpu_kernel_register_") continue;  // internal function of a macro
    count++;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name.c_str()), nullptr) << name;
  }
  EXPECT_GT(count, 440u);
}

}  // namespace
}  // namespace tputwin::tputest
