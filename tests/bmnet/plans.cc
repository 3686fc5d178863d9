// Whole nets that run repeatedly: with and without plans, all memory is equal after every run, also
// when inputs and weights change in between.
#include "machine/planned_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/heap.h"
#include "base/parallel.h"
#include "bmnet/caffe/import.h"
#include "bmnet/support.h"
#include "classics/classics.h"
#include "common/packing_isa.h"
#include "isa/bm1880_codec.h"
#include "machine/device.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kNeurons = 0x1000000;

// A compiled net on a device.
class Side {
 public:
  Side(const net::Compiled& compiled, bool plans) : neurons_(compiled.neuron_size) {
    weights_ = (kNeurons + neurons_ + 4095) / 4096 * 4096;
    bytes_ = weights_ + compiled.weight.size() + 4096;
    device_ = std::move(
        Device::create({.chip = &bm1880(), .global_bytes = bytes_, .plans = plans}).value());
    std::memcpy(device_->memories().prepare_write(weights_, compiled.weight.size()),
                compiled.weight.data(), compiled.weight.size());
    std::vector<uint8_t> commands = compiled.cmdbuf;
    EXPECT_TRUE(isa::relocate(commands, kNeurons, weights_).ok());
    plan_ = std::make_unique<PlannedProgram>(isa::decode_program(commands, bm1880()).value());
    // A host callback that changes random bytes each time stands in for operators.
    device_->set_cpu_host([this](const CpuCall&, Device&) {
      change(Rng(++calls_), kNeurons, neurons_);
      return Status();
    });
  }
  void change(Rng rng, uint64_t begin, uint64_t bytes) {
    uint8_t* at = device_->memories().prepare_write(begin, bytes);
    for (uint64_t i = rng.below(64); i < bytes; i += 1 + rng.below(64))
      at[i] = static_cast<uint8_t>(rng.next());
  }
  void change_input(uint64_t seed) { change(Rng(seed), kNeurons, neurons_); }
  void change_weights(uint64_t seed) {
    Rng rng(seed);
    const uint64_t all = bytes_ - weights_, begin = rng.below(all), bytes = rng.below(all - begin);
    change(rng, weights_ + begin, std::min<uint64_t>(bytes, 5000));
  }
  Status run() { return device_->run(*plan_); }
  PlanStatistics statistics() const { return plan_->statistics(); }
  // Returns the bytes of the neuron memory, without the weights.
  std::vector<uint8_t> neurons() const {
    const uint8_t* first = device_->memories().prepare_read(kNeurons, neurons_);
    return {first, first + neurons_};
  }
  bool operator==(const Side& other) const {
    const Device &a = *device_, &b = *other.device_;
    return std::memcmp(a.memories().read_global().data(), b.memories().read_global().data(),
                       bytes_) == 0 &&
           std::memcmp(device_->memories().take_local().lane(0),
                       other.device_->memories().take_local().lane(0),
                       device_->memories().take_local().host_bytes().size()) == 0;
  }

 private:
  uint64_t neurons_, weights_ = 0, bytes_ = 0, calls_ = 0;
  std::unique_ptr<Device> device_;
  std::unique_ptr<PlannedProgram> plan_;
};

// Returns the plan's statistics; nullopt if a run differs.
std::optional<PlanStatistics> compare_runs(const std::string& prototxt, net::Level level) {
  auto model = random_model(prototxt, 5);
  if (!model.ok()) return ADD_FAILURE() << model.error().message(), std::nullopt;
  auto compiled = net::compile(model->network, model->integers, {.level = level});
  if (!compiled.ok()) return ADD_FAILURE() << compiled.error().message(), std::nullopt;
  Side with(*compiled, true), without(*compiled, false);
  for (uint64_t run = 0; run < 6; ++run) {
    set_thread_count(1 + static_cast<int>(run % 2));
    for (Side* side : {&with, &without}) {
      side->change_input(run);
      if (run % 2 == 1) side->change_weights(run);
      EXPECT_TRUE(side->run().ok());
    }
    EXPECT_TRUE(with == without) << "run " << run;
  }
  set_thread_count(0);
  return with.statistics();
}

// A process that runs a net repeatedly needs the weights once, in packed form, and little else.
TEST(NetPlans, KeepWeightsOnce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have memory of their own";
#endif
  const PackingIsa isa;
  if (isa.name().empty()) GTEST_SKIP() << "no kernels that pack";
  auto model = random_model(net::to_prototxt(models::resnet18()), 5);
  ASSERT_TRUE(model.ok()) << model.error().message();
  auto compiled = net::compile(model->network, model->integers, {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  Side without(*compiled, false);
  constexpr uint64_t kRuns = 5;
  std::vector<std::vector<uint8_t>> expected;
  for (uint64_t run = 0; run < kRuns; ++run) {
    without.change_input(run);
    ASSERT_TRUE(without.run().ok());
    expected.push_back(without.neurons());
  }
  give_back_heap();
  const auto before = own_memory();
  Side with(*compiled, true);
  for (uint64_t run = 0; run < kRuns; ++run) {
    with.change_input(run);
    ASSERT_TRUE(with.run().ok());
    EXPECT_EQ(with.neurons(), expected[run]) << "run " << run;
  }
  const auto after = own_memory();
  const uint64_t weights = compiled->weight.size();
  EXPECT_GT(with.statistics().released_bytes,
            weights * 8 / 10);  // all weights but the last layer's
  if (before && after) {
    // The limit covers maps, lanes and the plan's own memory, but not a second copy of the weights.
    const uint64_t maps = compiled->neuron_size, lanes = bm1880().lanes * bm1880().lane_bytes;
    EXPECT_LT(*after - *before, weights + maps + lanes + weights * 3 / 10);
  }
  EXPECT_TRUE(with == without);
  EXPECT_EQ(with.statistics().released_bytes, 0u);
}

struct Graph {
  const char* name;
  std::string (*prototxt)();
};

std::string resnet_fashion() {
  auto bytes = read_bytes(TPUTWIN_SOURCE_DIR "/models/resnet_fashion.prototxt");
  return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : std::string();
}

class NetPlans : public ::testing::TestWithParam<Graph> {};

TEST_P(NetPlans, LeaveTheBytesOfRunsWithoutThem) {
  for (const net::Level level : {net::Level::none, net::Level::weight_optimization}) {
    const auto statistics = compare_runs(GetParam().prototxt(), level);
    ASSERT_TRUE(statistics);
    RecordProperty("prepared", static_cast<int>(statistics->prepared));
    RecordProperty("moves", static_cast<int>(statistics->fused_moves));
    RecordProperty("sums", static_cast<int>(statistics->fused_residuals));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Nets, NetPlans,
    ::testing::Values(
        Graph{"resnet_fashion", resnet_fashion},
        Graph{"resnet18", [] { return net::to_prototxt(models::resnet18()); }},
        Graph{"squeezenet", [] { return net::to_prototxt(models::squeezenet()); }},
        Graph{"mobilenet_v1", [] { return net::to_prototxt(models::mobilenet_v1()); }},
        Graph{"mobilenet_v2", [] { return net::to_prototxt(models::mobilenet_v2()); }},
        Graph{"ssd_mobilenet", [] { return net::to_prototxt(models::ssd_mobilenet()); }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::testing
