// Moves back through a kernel of the examples on a device of bmlib.
#include <bmlib_runtime.h>
#include <gtest/gtest.h>
#include <okk.h>

#include <map>

#include "debug/visitor.h"
#include "insight/debug/debug_process.h"

namespace tputwin::debug::testing {
namespace {

namespace args {
#include "okkernel/include/conv2d.h"
}  // namespace args

constexpr int kIn = 67, kOut = 70, kH = 99, kW = 120, kOutH = 50, kOutW = 60;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;
constexpr uint64_t kFew = 12;

// Saves all memory before every command, and at the end goes to random moments.
class Rememberer final : public Front {
 public:
  void stopped(Debugger& debugger, const Stop& stop) override {
    EXPECT_LE(debugger.journal().bytes(), kMostBytes);
    whole_[debugger.now()] = whole(debugger);
    if (stop.reason == Stop::Reason::end) visit(debugger);
    debugger.resume({.unit = Motion::Unit::command});
  }
  uint64_t visited() const { return visited_; }
  size_t moments() const { return whole_.size(); }

 private:
  static uint64_t whole(const Debugger& debugger) {
    const Memory& memory = debugger.memory();
    const auto sum = [](const uint8_t* bytes, uint64_t size) {
      uint64_t sum = 0;
      for (uint64_t at = 0; at < size; at += 8)
        sum = (sum ^ Memory::load<uint64_t>(bytes + at)) * 0x9e3779b97f4a7c15u + (sum >> 31);
      return sum;
    };
    uint64_t all = sum(memory.local.lane(0), memory.local.host_bytes().size()) * 3 +
                   sum(memory.l2->data(), memory.l2->size()) * 5;
    for (const insight::Allocation& block : debugger.allocations().live())
      all += sum(memory.global.data() + block.begin, block.end - block.begin) * 7;
    return all;
  }
  void visit(Debugger& debugger) {
    std::vector<Moment> moments;
    for (const auto& [moment, all] : whole_)
      if (moment >= debugger.journal().first()) moments.push_back(moment);
    tputwin::testing::Rng rng(1);
    for (uint64_t i = 0; i < moment_count(kFew); ++i) {
      const Moment place = moments[rng.below(moments.size())];
      debugger.go_to(place);
      ASSERT_EQ(whole(debugger), whole_[place]) << "place " << i << ", moment " << place;
    }
    visited_ = moment_count(kFew);
  }

  std::map<Moment, uint64_t> whole_;
  uint64_t visited_ = 0;
};

// Allocates memory of the device, filled with small numbers.
unsigned long long filled(bm_handle_t handle, size_t bytes) {
  bm_device_mem_t memory;
  EXPECT_EQ(bm_malloc_device_byte(handle, &memory, static_cast<unsigned>(bytes)), BM_SUCCESS);
  std::vector<float> content(bytes / 4);
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<float>(i % 7) - 3;
  EXPECT_EQ(bm_memcpy_s2d(handle, memory, content.data()), BM_SUCCESS);
  return bm_mem_get_device_addr(memory);
}

TEST(Kernels, AConvolutionArrivesAtTheBytesOfEveryMoment) {
  Rememberer front;
  debug_with(front, kMostBytes);
  setenv("TPUTWIN_CHIP", "BM1684", 1);
  bm_handle_t handle = nullptr;
  ASSERT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  const args::conv2d_args_t job{1,
                                kIn,
                                kH,
                                kW,
                                kOut,
                                3,
                                1,
                                2,
                                filled(handle, kIn * kH * kW * 4),
                                filled(handle, (kIn + 1) / 2 * kOut * 9 * 8),
                                filled(handle, kOut * 4),
                                filled(handle, kOut * kOutH * kOutW * 4)};
  ASSERT_EQ(okkernel_launch_sync(handle, "conv2d", &job, sizeof job), BM_SUCCESS);
  bm_dev_free(handle);
  EXPECT_EQ(front.visited(), moment_count(kFew));
  EXPECT_GT(front.moments(), 10u);
}

}  // namespace
}  // namespace tputwin::debug::testing
