// Runs kernels that compute with undefined values.
#include "insight/undefined.h"

#include <gtest/gtest.h>
#include <okk.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "insight/mutants.h"

namespace tputwin::insight::testing {

std::vector<Finding> findings_of(const char* chip, const std::vector<std::string>& kernels,
                                 unsigned bytes) {
  constexpr unsigned kBytes = 4096 * 4;
  check_everything();
  setenv("TPUTWIN_CHIP", chip, 1);
  bm_handle_t handle = nullptr;
  EXPECT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  bm_device_mem_t input, output, scratch;
  for (bm_device_mem_t* memory : {&input, &output, &scratch})
    EXPECT_EQ(bm_malloc_device_byte(handle, memory, kBytes), BM_SUCCESS);
  std::vector<float> numbers(kBytes / 4);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  EXPECT_EQ(bm_memcpy_s2d(handle, input, numbers.data()), BM_SUCCESS);
  const size_t before = report_of_process()->findings().size();
  const UndefinedArgs args{bm_mem_get_device_addr(input), bm_mem_get_device_addr(output),
                           bm_mem_get_device_addr(scratch)};
  for (const std::string& kernel : kernels)
    EXPECT_EQ(okkernel_launch_sync(handle, kernel.c_str(), &args, sizeof args), BM_SUCCESS);
  if (bytes != 0) {
    EXPECT_EQ(bm_memcpy_d2s_partial(handle, numbers.data(), output, bytes), BM_SUCCESS);
  }
  for (const bm_device_mem_t& memory : {input, output, scratch}) bm_free_device(handle, memory);
  bm_dev_free(handle);
  std::vector<Finding> all = report_of_process()->findings();
  all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(before));
  return all;
}

namespace {

std::string describe_all(const std::vector<Finding>& findings) {
  std::string text = "found:\n";
  for (const Finding& finding : findings) text += describe(finding) + "\n";
  return text;
}

}  // namespace

void expect_harmless(const std::vector<Finding>& findings, std::string_view hint) {
  EXPECT_TRUE(std::ranges::all_of(findings, is_hint)) << describe_all(findings);
  const bool has_hint = std::ranges::any_of(
      findings, [&](const Finding& finding) { return info(finding.kind).id == hint; });
  EXPECT_TRUE(has_hint || hint.empty()) << hint << ", " << describe_all(findings);
}

void expect_planted(const std::vector<Finding>& findings, std::string_view id,
                    std::string_view file, size_t steps) {
  std::vector<Finding> mistakes;
  std::ranges::copy_if(findings, std::back_inserter(mistakes),
                       [](const Finding& finding) { return !is_hint(finding); });
  ASSERT_EQ(mistakes.size(), 1u) << describe_all(findings);
  const Finding& found = mistakes.front();
  if (id.empty())
    EXPECT_EQ(info(found.kind).check, Check::uninitialized) << describe(found);
  else
    EXPECT_EQ(info(found.kind).id, id) << describe(found);
  const bool names_line = std::ranges::any_of(found.actor.lines, [&](const SourceLine& line) {
    return line.line == planted_line && line.file.ends_with(file);
  });
  EXPECT_TRUE(names_line) << planted_line << "\n" << describe(found);
  EXPECT_GE(found.way.size(), steps) << describe(found);
}

}  // namespace tputwin::insight::testing
