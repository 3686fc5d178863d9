// Mistakes of host programs, and the text and JSON of findings.
#include <bmlib_runtime.h>
#include <gmock/gmock.h>
#include <okk.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "insight/check_process.h"
#include "insight/mutants.h"

namespace tputwin::insight::testing {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kBytes = 64 * 4;

struct Args {
  unsigned long long input, output;
};

void host_copy(const void* args) {
  const auto* p = static_cast<const Args*>(args);
  const dim4 shape = {1, 1, 1, kBytes / 4};
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(p->output, p->input, &shape, nullptr, nullptr);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(host_copy)

class Host : public ::testing::Test {
 protected:
  void SetUp() override {
    check_everything();
    setenv("TPUTWIN_CHIP", "BM1684", 1);
    ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS);
    bm_malloc_device_byte(handle_, &input_, kBytes);
    bm_malloc_device_byte(handle_, &output_, kBytes);
    bm_memcpy_s2d(handle_, input_, bytes_.data());
    before_ = report_of_process()->findings().size();
  }
  void TearDown() override { bm_dev_free(handle_); }

  void launch() {
    const Args args{bm_mem_get_device_addr(input_), bm_mem_get_device_addr(output_)};
    okkernel_launch_async(handle_, "host_copy", &args, sizeof args);
  }
  void free_all() {
    bm_free_device(handle_, input_);
    bm_free_device(handle_, output_);
  }
  std::vector<Finding> found() const {
    std::vector<Finding> all = report_of_process()->findings();
    all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(before_));
    return all;
  }
  // Expects one finding, for that line of this file.
  void expect(std::string_view id, int line) const {
    const std::vector<Finding> findings = found();
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(info(findings[0].kind).id, id) << describe(findings[0]);
    ASSERT_FALSE(findings[0].actor.lines.empty()) << describe(findings[0]);
    EXPECT_EQ(findings[0].actor.lines[0].line, line) << describe(findings[0]);
    EXPECT_THAT(findings[0].actor.lines[0].file, ::testing::EndsWith("host.cc"));
  }

  bm_handle_t handle_ = nullptr;
  bm_device_mem_t input_{}, output_{};
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kBytes, 1);
  size_t before_ = 0;
};

TEST_F(Host, IsCleanWhereItWaits) {
  launch();
  bm_thread_sync(handle_);
  bm_memcpy_d2s(handle_, bytes_.data(), output_);
  free_all();
  EXPECT_TRUE(found().empty());
}

TEST_F(Host, ReadsBeforeItWaits) {
  launch();
  bm_memcpy_d2s(handle_, bytes_.data(), output_), expect("host-race", __LINE__);
  bm_thread_sync(handle_);
  free_all();
}

TEST_F(Host, WritesBeforeItWaits) {
  launch();
  bm_memcpy_s2d(handle_, input_, bytes_.data()), expect("host-race", __LINE__);
  bm_thread_sync(handle_);
  free_all();
}

TEST_F(Host, FreesBeforeItWaits) {
  launch();
  bm_free_device(handle_, input_), expect("freed-in-use", __LINE__);
  bm_thread_sync(handle_);
  bm_free_device(handle_, output_);
}

TEST_F(Host, FreesTwice) {
  free_all();
  bm_free_device(handle_, input_), expect("double-free", __LINE__);
}

TEST_F(Host, FreesWhatIsNotItsOwn) {
  bm_device_mem_t part = input_;
  bm_mem_set_device_addr(&part, bm_mem_get_device_addr(input_) + 4);
  bm_free_device(handle_, part), expect("wrong-free", __LINE__);
  free_all();
}

TEST_F(Host, CopiesToWhatItFreed) {
  free_all();
  bm_memcpy_s2d(handle_, input_, bytes_.data()), expect("use-after-free", __LINE__);
}

TEST_F(Host, LaunchesOnWhatItFreed) {
  bm_free_device(handle_, output_);
  const int freed = __LINE__ - 1;
  launch();
  bm_thread_sync(handle_);
  const std::vector<Finding> findings = found();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::use_after_free);
  ASSERT_TRUE(findings[0].other);
  EXPECT_EQ(findings[0].other->lines.at(0).line, freed) << describe(findings[0]);
  EXPECT_EQ(findings[0].actor.lines.at(0).function,
            "tputwin::insight::testing::(anonymous "
            "namespace)::host_copy(void const*)");
  bm_free_device(handle_, input_);
}

TEST_F(Host, ReadsWhatNothingWrote) {
  bm_memcpy_d2s(handle_, bytes_.data(), output_), expect("host-uninitialized", __LINE__);
  free_all();
}

TEST_F(Host, Leaks) {
  bm_device_mem_t lost;
  bm_malloc_device_byte(handle_, &lost, 100);
  const int line = __LINE__ - 1;
  free_all();
  bm_dev_free(handle_);
  expect("leak", line);
  ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS);
}

TEST(Report, IsJsonAndSarif) {
  const Finding finding{.kind = FindingKind::race,
                        .actor = {.does = "later:",
                                  .call = "okk_bdc_add",
                                  .operation = {},
                                  .kernel = "k",
                                  .engine = "compute",
                                  .command = 2,
                                  .lines = {{"k", "/src/k.c", 7}}},
                        .other = {},
                        .place = Place{.space = Space::local,
                                       .begin = 0,
                                       .end = 128,
                                       .bytes = 256,
                                       .first_lane = 0,
                                       .last_lane = 1},
                        .missing = "a wait"};
  const nlohmann::json json = to_json(std::vector{finding}), sarif = to_sarif({finding});
  EXPECT_EQ(json["findings"][0]["id"], "race");
  EXPECT_EQ(json["findings"][0]["actor"]["lines"][0]["line"], 7);
  EXPECT_EQ(json["findings"][0]["place"]["lanes"], nlohmann::json({0, 1}));
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(sarif["version"], "2.1.0");
  EXPECT_EQ(result["ruleId"], "race");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_THAT(result["message"]["text"].get<std::string>(), HasSubstr("lanes 0 to 1, bank 0"));
}

TEST(Report, SkipsWhatIsSuppressed) {
  const auto count = [](std::string line) {
    Report report({.print = false, .json = {}, .sarif = {}, .suppressions = {std::move(line)}});
    Finding finding{
        .kind = FindingKind::race, .actor = {}, .other = {}, .place = {}, .missing = {}};
    finding.actor.kernel = "softmax";
    finding.actor.lines = {{"softmax_rows", "/src/softmax.c", 7}};
    report.add(finding);
    report.add(finding);
    return report.findings().size();
  };
  EXPECT_EQ(count("leak:*"), 1u);
  EXPECT_EQ(count("race:matmul"), 1u);
  EXPECT_EQ(count("race:softmax"), 0u);
  EXPECT_EQ(count("*:softmax_*"), 0u);
  EXPECT_EQ(count("race:*/softmax.c"), 0u);
  EXPECT_EQ(count("race"), 0u);
}

}  // namespace
}  // namespace tputwin::insight::testing
