// Findings name the function of the host that the program called, whichever it was.
#include <bmlib_runtime.h>
#include <gmock/gmock.h>
#include <tpu_kernel.h>

#include <cstdlib>

#include "insight/check_process.h"
#include "insight/mutants.h"

// Outside the namespace of tputwin: findings leave out launches by its own tools.
namespace users_program {
namespace {

using namespace tputwin::insight;
using ::testing::HasSubstr;

constexpr int kCount = 64;

struct Args {
  unsigned long long input, output;
};

void copy(const void* args) {
  const auto* p = static_cast<const Args*>(args);
  const dim4 shape = {1, 1, 1, kCount};
  tpu_initialize();
  tpu_gdma_cpy_S2S(p->output, p->input, &shape, nullptr, nullptr, DT_FP32);
  tpu_poll();
}

// Equal findings are reported once, and kernels of other names are not equal.
#define TW_COPY(name)                                \
  void name(const void* args) { return copy(args); } \
  TPUKERNEL_FUNC_REGISTER(name)
TW_COPY(copy_okk_sync)
TW_COPY(copy_okk_async)
TW_COPY(copy_sync)
TW_COPY(copy_launch)
TW_COPY(copy_from_core)
TW_COPY(copy_async)
TW_COPY(copy_async_from_core)
TW_COPY(copy_multicores)
#undef TW_COPY

class Calls : public ::testing::Test {
 protected:
  void SetUp() override {
    tputwin::insight::testing::check_everything();
    setenv("TPUTWIN_CHIP", "BM1684X", 1);
    ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS);
    // Any file that is no library: the kernels that are registered take its place.
    module_ = tpu_kernel_load_module_file(handle_, TPUTWIN_SOURCE_DIR "/README.md");
    ASSERT_NE(module_, nullptr);
    bm_malloc_device_byte(handle_, &input_, kCount * 4);
    bm_malloc_device_byte(handle_, &output_, kCount * 4);
    args_ = {bm_mem_get_device_addr(input_), bm_mem_get_device_addr(output_)};
  }
  void TearDown() override {
    bm_free_device(handle_, input_);
    bm_free_device(handle_, output_);
    tpu_kernel_free_module(handle_, module_);
    bm_dev_free(handle_);
  }

  tpu_kernel_function_t function(const char* kernel) {
    return tpu_kernel_get_function(handle_, module_, kernel);
  }
  // Launches a kernel, which copies bytes that nothing wrote, and returns the text of the finding.
  template <class Launch>
  std::string finding_of(Launch launch) {
    const size_t before = report_of_process()->findings().size();
    EXPECT_EQ(launch(), BM_SUCCESS);
    bm_thread_sync(handle_);
    std::vector<uint8_t> bytes(kCount * 4);
    bm_memcpy_d2s(handle_, bytes.data(), output_);
    const std::vector<Finding> all = report_of_process()->findings();
    return all.size() == before + 1 ? describe(all.back()) : "not one finding";
  }

  bm_handle_t handle_ = nullptr;
  tpu_kernel_module_t module_ = nullptr;
  bm_device_mem_t input_{}, output_{};
  Args args_{};
};

TEST_F(Calls, LaunchesAreNamed) {
  const auto by_name = [&](auto call, const char* kernel) {
    return finding_of([&] { return call(handle_, kernel, &args_, sizeof args_); });
  };
  const auto by_number = [&](auto call, const char* kernel, auto... core) {
    return finding_of(
        [&] { return call(handle_, function(kernel), &args_, sizeof args_, core...); });
  };
  EXPECT_THAT(by_name(okkernel_launch_sync, "copy_okk_sync"),
              HasSubstr("launched by okkernel_launch_sync at "));
  EXPECT_THAT(by_name(okkernel_launch_async, "copy_okk_async"),
              HasSubstr("launched by okkernel_launch_async at "));
  EXPECT_THAT(by_name(tpu_kernel_launch_sync, "copy_sync"),
              HasSubstr("launched by tpu_kernel_launch_sync at "));
  EXPECT_THAT(by_number(tpu_kernel_launch, "copy_launch"),
              HasSubstr("launched by tpu_kernel_launch at "));
  EXPECT_THAT(by_number(tpu_kernel_launch_from_core, "copy_from_core", 0),
              HasSubstr("launched by tpu_kernel_launch_from_core at "));
  EXPECT_THAT(by_number(tpu_kernel_launch_async, "copy_async"),
              HasSubstr("launched by tpu_kernel_launch_async at "));
  EXPECT_THAT(by_number(tpu_kernel_launch_async_from_core, "copy_async_from_core", 0),
              HasSubstr("launched by tpu_kernel_launch_async_from_core at "));
  tpu_launch_param_t entry{};
  entry.func_id = function("copy_multicores");
  entry.param_data = &args_;
  entry.param_size = sizeof args_;
  EXPECT_THAT(finding_of([&] { return tpu_kernel_launch_async_multicores(handle_, &entry, 1); }),
              HasSubstr("launched by tpu_kernel_launch_async_multicores at "));
}

// Reads before any write: the finding is that of the host's call.
TEST_F(Calls, CopiesAreNamed) {
  std::vector<uint8_t> bytes(kCount * 4);
  const auto found = [&](auto read) {
    const size_t before = report_of_process()->findings().size();
    EXPECT_EQ(read(), BM_SUCCESS);
    const std::vector<Finding> all = report_of_process()->findings();
    return all.size() == before + 1 ? describe(all.back()) : "not one finding";
  };
  EXPECT_THAT(found([&] { return bm_memcpy_d2s(handle_, bytes.data(), input_); }),
              HasSubstr("read by bm_memcpy_d2s\n"));
  EXPECT_THAT(found([&] { return bm_memcpy_d2s_partial(handle_, bytes.data(), input_, kCount); }),
              HasSubstr("read by bm_memcpy_d2s_partial\n"));
  EXPECT_THAT(found([&] {
                return bm_memcpy_d2s_partial_offset(handle_, bytes.data(), input_, kCount, kCount);
              }),
              HasSubstr("read by bm_memcpy_d2s_partial_offset\n"));
}

}  // namespace
}  // namespace users_program
