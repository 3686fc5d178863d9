// Mutants of the TPUKernel examples.
#include <gtest/gtest.h>
#include <tpu_kernel.h>

#include <array>
#include <cstdlib>

#include "insight/kernels.h"

namespace tputwin::insight::testing {
namespace {

namespace args {
#include "tpukernel/include/elementwise.h"
#include "tpukernel/include/gather.h"
#include "tpukernel/include/matmul.h"
#include "tpukernel/include/softmax.h"
}  // namespace args

template <class Arguments>
void launch(bm_handle_t handle, const std::string& kernel, const Arguments& arguments) {
  tpu_kernel_launch_sync(handle, kernel.c_str(), &arguments, sizeof arguments);
}

void exp(bm_handle_t handle, const std::string& kernel) {
  constexpr int kCount = 1000;
  const Buffer input(handle, kCount * 4), output(handle, kCount * 4, false);
  launch(handle, kernel, args::elementwise_args_t{input.address(), output.address(), kCount});
}

void softmax(bm_handle_t handle, const std::string& kernel) {
  for (const int dtype : {int{DT_FP32}, int{DT_BFP16}}) {
    constexpr int kRows = 70, kWidth = 45;
    const Buffer input(handle, kRows * kWidth * 4), output(handle, kRows * kWidth * 4, false);
    launch(handle, kernel,
           args::softmax_args_t{input.address(), output.address(), kRows, kWidth, dtype});
  }
}

void matmul(bm_handle_t handle, const std::string& kernel) {
  constexpr int kRows = 150, kDepth = 600, kCols = 40;
  const Buffer left(handle, kRows * kDepth * 2), right(handle, kDepth * kCols * 2),
      result(handle, kRows * kCols * 2, false);
  launch(
      handle, kernel,
      args::matmul_args_t{left.address(), right.address(), result.address(), kRows, kDepth, kCols});
}

void gather(bm_handle_t handle, const std::string& kernel) {
  constexpr int kRows = 20, kWidth = 16, kCount = 50;
  const Buffer table(handle, kRows * kWidth * 4), index(handle, kCount * 4),
      result(handle, kCount * kWidth * 4, false);
  launch(handle, kernel,
         args::gather_args_t{table.address(), index.address(), result.address(), kRows, kWidth,
                             kCount});
}

void run(bm_handle_t handle, std::string_view file, const std::string& kernel) {
  if (file == "softmax") return softmax(handle, kernel);
  if (file == "matmul") return matmul(handle, kernel);
  if (file == "gather") return gather(handle, kernel);
  exp(handle, kernel);
}

constexpr std::array kMutants{
#define TW_MUTANT(name, file, kernel, from, to, finding, line) \
  Mutant{#name, #file, #kernel, from, to, finding, line},
#include "insight/tpukernel.def"
#undef TW_MUTANT
};

TEST(Mutants, OfTpuKernels) { expect_kernel_findings("BM1684X", "tpukernel", kMutants, run); }

}  // namespace
}  // namespace tputwin::insight::testing
