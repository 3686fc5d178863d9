// Mutants of the OKKernel examples.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>

#include "insight/check_process.h"
#include "insight/kernels.h"

namespace tputwin::insight::testing {
namespace {

namespace args {
#include "okkernel/include/conv2d.h"
#include "okkernel/include/matmul.h"
#include "okkernel/include/plus_one.h"
#include "okkernel/include/softmax.h"
}  // namespace args

template <class Arguments>
void launch(bm_handle_t handle, const std::string& kernel, const Arguments& arguments) {
  okkernel_launch_sync(handle, kernel.c_str(), &arguments, sizeof arguments);
}

void plus_one(bm_handle_t handle, const std::string& kernel) {
  constexpr int kN = 4, kC = 3, kH = 60, kW = 75;
  const Buffer input(handle, kN * kC * kH * kW * 4), output(handle, kN * kC * kH * kW * 4, false);
  launch(handle, kernel, args::plus_one_args_t{kN, kC, kH, kW, input.address(), output.address()});
}

void softmax(bm_handle_t handle, const std::string& kernel) {
  for (const int axis : {args::SOFTMAX_OVER_C, args::SOFTMAX_OVER_W}) {
    const Buffer input(handle, 2 * 5 * 6 * 70 * 4), output(handle, 2 * 5 * 6 * 70 * 4, false);
    launch(handle, kernel,
           args::softmax_args_t{2, 5, 6, 70, axis, input.address(), output.address()});
  }
}

// Runs with several strips, tiles and slices.
void conv2d(bm_handle_t handle, const std::string& kernel) {
  constexpr int kIn = 67, kOut = 70, kH = 99, kW = 120, kOutH = 50, kOutW = 60;
  const Buffer input(handle, kIn * kH * kW * 4), weight(handle, (kIn + 1) / 2 * kOut * 9 * 8),
      bias(handle, kOut * 4), output(handle, kOut * kOutH * kOutW * 4, false);
  launch(handle, kernel,
         args::conv2d_args_t{1, kIn, kH, kW, kOut, 3, 1, 2, input.address(), weight.address(),
                             bias.address(), output.address()});
}

void matmul(bm_handle_t handle, const std::string& kernel) {
  constexpr int kRows = 200, kInner = 300, kCols = 100;
  const Buffer left(handle, kRows * kInner * 4), right(handle, kInner * kCols * 4),
      output(handle, kRows * kCols * 4, false);
  launch(
      handle, kernel,
      args::matmul_args_t{kRows, kInner, kCols, left.address(), right.address(), output.address()});
}

void run(bm_handle_t handle, std::string_view file, const std::string& kernel) {
  if (file == "softmax") return softmax(handle, kernel);
  if (file == "conv2d") return conv2d(handle, kernel);
  if (file == "matmul") return matmul(handle, kernel);
  plus_one(handle, kernel);
}

constexpr std::array kMutants{
#define TW_MUTANT(name, file, kernel, from, to, finding, line) \
  Mutant{#name, #file, #kernel, from, to, finding, line},
#include "insight/okkernel.def"
#undef TW_MUTANT
};

TEST(Mutants, OfOkKernels) { expect_kernel_findings("BM1684", "okkernel", kMutants, run); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The finding that docs/check.md shows is that of the mutant serial_together.
TEST(Page, ShowsWhatIsFound) {
  check_everything();
  const auto mutant = std::ranges::find(kMutants, "serial_together", &Mutant::name);
  const size_t before = report_of_process()->findings().size();
  expect_kernel_findings("BM1684", "okkernel", {mutant, 1}, run);
  ASSERT_GT(report_of_process()->findings().size(), before);
  std::string text = "tputwin check: " + describe(report_of_process()->findings()[before]);
  text = replaced(text, "serial_together.c", "plus_one_serial.c");
  text = std::regex_replace(text, std::regex("\n      launched by [^\n]*"), "");
  text = "    " + replaced(replaced(text, "_serial_together", ""), "\n", "\n    ");
  const std::string page = text_of(std::filesystem::path(TPUTWIN_SOURCE_DIR) / "docs/check.md");
  EXPECT_NE(page.find(text), std::string::npos) << text;
}

// Every kind of finding has a row.
TEST(Page, ListsEveryFinding) {
  const std::string page = text_of(std::filesystem::path(TPUTWIN_SOURCE_DIR) / "docs/check.md");
  for (const FindingInfo& kind : finding_catalogue())
    EXPECT_NE(page.find("| `" + std::string(to_string(kind.check)) + "` | `" +
                        std::string(kind.id) + "` | " + std::string(kind.text) + " |"),
              std::string::npos)
        << kind.id;
}

}  // namespace
}  // namespace tputwin::insight::testing
