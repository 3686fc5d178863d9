// Device code in modules: loaded, looked up, launched, unloaded.
#include <bmlib_runtime.h>
#include <gtest/gtest.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "common/temporary_directory.h"

namespace tputwin::tputest {
namespace {

struct Arguments {
  unsigned long long dst, src;
  int count;
};

constexpr int kCount = 1000;

class Modules : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS);
    ASSERT_EQ(bm_malloc_device_byte(handle_, &src_, kCount * 4), BM_SUCCESS);
    ASSERT_EQ(bm_malloc_device_byte(handle_, &dst_, kCount * 4), BM_SUCCESS);
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), -500.0f);
    ASSERT_EQ(bm_memcpy_s2d(handle_, src_, values.data()), BM_SUCCESS);
    arguments_ = {bm_mem_get_device_addr(dst_), bm_mem_get_device_addr(src_), kCount};
  }
  void TearDown() override {
    bm_free_device(handle_, src_);
    bm_free_device(handle_, dst_);
    bm_dev_free(handle_);
  }
  void expect_times(float factor) {
    std::vector<float> result(kCount);
    ASSERT_EQ(bm_memcpy_d2s(handle_, result.data(), dst_), BM_SUCCESS);
    for (int i = 0; i < kCount; ++i)
      ASSERT_EQ(result[static_cast<size_t>(i)], factor * static_cast<float>(i - 500)) << i;
  }
  bm_status_t launch(tpu_kernel_function_t function) {
    return tpu_kernel_launch(handle_, function, &arguments_, sizeof arguments_);
  }

  bm_handle_t handle_ = nullptr;
  bm_device_mem_t src_{}, dst_{};
  Arguments arguments_{};
};

TEST_F(Modules, AFileIsLoadedAndItsKernelRuns) {
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TPUTWIN_TEST_MODULE);
  ASSERT_NE(module, nullptr) << tputwin_last_error();
  EXPECT_STREQ(module->lib_name, "test_module.so");
  const tpu_kernel_function_t twice = tpu_kernel_get_function(handle_, module, "double_all");
  ASSERT_GE(twice, 0) << tputwin_last_error();
  EXPECT_EQ(launch(twice), BM_SUCCESS) << tputwin_last_error();
  expect_times(2);
  EXPECT_EQ(tpu_kernel_launch_sync(handle_, "double_all", &arguments_, sizeof arguments_),
            BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

TEST_F(Modules, BytesAreLoadedAndAnExportedFunctionRuns) {
  std::ifstream file(TPUTWIN_TEST_MODULE, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  tpu_kernel_module_t module = tpu_kernel_load_module(handle_, bytes.data(), bytes.size());
  ASSERT_NE(module, nullptr) << tputwin_last_error();
  const tpu_kernel_function_t triple = tpu_kernel_get_function(handle_, module, "triple_all");
  ASSERT_GE(triple, 0) << tputwin_last_error();
  EXPECT_EQ(tpu_kernel_launch_async(handle_, triple, &arguments_, sizeof arguments_), BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_sync(handle_), BM_SUCCESS) << tputwin_last_error();
  expect_times(3);
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

TEST_F(Modules, AListOfLaunchesRunsInOrder) {
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TPUTWIN_TEST_MODULE);
  const int twice = tpu_kernel_get_function(handle_, module, "double_all");
  const int triple = tpu_kernel_get_function_from_core(handle_, module, "triple_all", 0);
  Arguments again = arguments_;
  again.src = arguments_.dst;
  tpu_launch_param_t list[] = {{0, twice, &arguments_, sizeof arguments_},
                               {0, triple, &again, sizeof again}};
  EXPECT_EQ(tpu_kernel_launch_async_multicores(handle_, list, 2), BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_sync(handle_), BM_SUCCESS) << tputwin_last_error();
  expect_times(6);
  list[0].core_id = 1;
  EXPECT_NE(tpu_kernel_launch_async_multicores(handle_, list, 2), BM_SUCCESS);
  EXPECT_NE(std::string(tputwin_last_error()).find("TW-BML-0309"), std::string::npos);
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

TEST_F(Modules, WhatIsUnloadedRunsNoMore) {
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TPUTWIN_TEST_MODULE);
  const int twice = tpu_kernel_get_function(handle_, module, "double_all");
  EXPECT_EQ(tpu_kernel_unload_module(handle_, module), BM_SUCCESS);
  EXPECT_NE(launch(twice), BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_get_function(handle_, module, "double_all"), -1);
  EXPECT_NE(tpu_kernel_launch_sync(handle_, "double_all", &arguments_, sizeof arguments_),
            BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
  EXPECT_NE(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

void registered_here(const void*) { tpu_initialize(); }
TPUKERNEL_FUNC_REGISTER(registered_here)

TEST_F(Modules, AModuleOfTheChipStandsForTheKernelsOfTheProgram) {
  const testing::TemporaryDirectory folder;
  const std::filesystem::path chip_module = folder.path() / "libbm1684x_kernel_module.so";
  std::ofstream(chip_module) << "code of another machine";
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, chip_module.c_str());
  ASSERT_NE(module, nullptr) << tputwin_last_error();
  const int function = tpu_kernel_get_function(handle_, module, "registered_here");
  ASSERT_GE(function, 0);
  EXPECT_EQ(tpu_kernel_launch(handle_, function, nullptr, 0), BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_get_function(handle_, module, "nobody"), -1);
  EXPECT_NE(std::string(tputwin_last_error()).find("registered_here"), std::string::npos);
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

TEST_F(Modules, AFunctionDefinedNowhereFailsTheLaunchThatReachesIt) {
  tputwin_clear_errors();
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TPUTWIN_LACKING_MODULE);
  ASSERT_NE(module, nullptr) << tputwin_last_error();
  ASSERT_EQ(tputwin_warning_count(), 1u);
  EXPECT_NE(std::string(tputwin_warning(0, nullptr)).find("scaled_elsewhere"), std::string::npos);
  for (int reach : {0, 1, 1, 0}) {
    const bm_status_t status = tpu_kernel_launch_sync(handle_, "lacking", &reach, sizeof reach);
    EXPECT_EQ(status, reach == 0 ? BM_SUCCESS : BM_ERR_FAILURE);
    if (reach == 0) continue;
    const std::string error = tputwin_last_error();
    EXPECT_NE(error.find("TW-TPU-0415"), std::string::npos) << error;
    EXPECT_NE(error.find("function = scaled_elsewhere"), std::string::npos) << error;
  }
  EXPECT_EQ(tpu_kernel_free_module(handle_, module), BM_SUCCESS);
}

TEST_F(Modules, AModuleThatBindsAllAtOnceIsRefusedWithTheNames) {
  EXPECT_EQ(tpu_kernel_load_module_file(handle_, TPUTWIN_BOUND_MODULE), nullptr);
  const std::string error = tputwin_last_error();
  EXPECT_NE(error.find("TW-BML-0313"), std::string::npos) << error;
  EXPECT_NE(error.find("scaled_elsewhere"), std::string::npos) << error;
}

TEST_F(Modules, WrongArgumentsAreNamed) {
  EXPECT_EQ(tpu_kernel_load_module_file(handle_, nullptr), nullptr);
  EXPECT_EQ(tpu_kernel_load_module(handle_, nullptr, 0), nullptr);
  EXPECT_EQ(tpu_kernel_load_module_to_core(handle_, "x", 1, 1), nullptr);
  EXPECT_EQ(tpu_kernel_get_function(handle_, nullptr, "double_all"), -1);
  EXPECT_NE(launch(-1), BM_SUCCESS);
  EXPECT_NE(launch(1 << 20), BM_SUCCESS);
  EXPECT_NE(std::string(tputwin_last_error()).find("function = 1048576"), std::string::npos);
}

TEST_F(Modules, TheChipReportsItsNumber) {
  unsigned chip = 0;
  EXPECT_EQ(bm_get_chipid(handle_, &chip), BM_SUCCESS);
  EXPECT_EQ(chip, 0x1686u);
}

}  // namespace
}  // namespace tputwin::tputest
