// Nets that run repeatedly: with and without plans, outputs and all of device memory are equal
// after every run, with other inputs too.
#include <filesystem>

#include "bmrt/support.h"
#include "sdk/bmlib/api.h"

namespace tputwin::testing {
namespace {

// A separate device, with plans or without.
class Side {
 public:
  Side(bool plans, const std::string& file) {
    setenv("TPUTWIN_PLANS", plans ? "1" : "0", 1);
    setenv("TPUTWIN_DEVICES", "2", 1);
    EXPECT_EQ(bm_dev_request(&device_, plans ? 0 : 1), BM_SUCCESS);
    unsetenv("TPUTWIN_DEVICES");
    unsetenv("TPUTWIN_PLANS");
    runtime_ = bmrt_create(device_);
    EXPECT_TRUE(bmrt_load_bmodel(runtime_, file.c_str())) << tputwin_last_error();
  }
  ~Side() {
    bmrt_destroy(runtime_);
    bm_dev_free(device_);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  int nets() const { return bmrt_get_network_number(runtime_); }
  const bm_net_info_t& net(int number) const {
    const char** names = nullptr;
    bmrt_get_network_names(runtime_, &names);
    const auto* info = bmrt_get_network_info(runtime_, names[number]);
    std::free(names);
    return *info;
  }
  bool run(int number, unsigned seed) {
    const bm_net_info_t& net = this->net(number);
    std::vector<Bytes> inputs;
    std::vector<void*> in, out(static_cast<size_t>(net.output_num));
    std::vector<bm_shape_t> shapes(out.size());
    for (int i = 0; i < net.input_num; ++i) {
      const bm_tensor_t tensor{net.input_dtypes[i], net.stages[0].input_shapes[i], {}, {}};
      inputs.push_back(synthetic(bmrt_tensor_bytesize(&tensor), seed));
      in.push_back(inputs.back().data());
    }
    const bool ran =
        bmrt_launch_data(runtime_, net.name, in.data(), net.stages[0].input_shapes, net.input_num,
                         out.data(), shapes.data(), net.output_num, false);
    for (void* memory : out) std::free(ran ? memory : nullptr);
    return ran;
  }
  // The memory includes the outputs.
  std::span<const uint8_t> memory() const {
    auto card = bmlib::find_card(device_);
    constexpr uint64_t kCompared = 24 << 20;  // more than the files use
    return {(*card)->memory(), kCompared};
  }

 private:
  bm_handle_t device_ = nullptr;
  void* runtime_ = nullptr;
};

TEST(BmrtPlans, LeaveTheBytesOfRunsWithoutThem) {
  size_t compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(TPUTWIN_RECORDED)) {
    if (file.path().extension() != ".bmodel") continue;
    Side with(true, file.path()), without(false, file.path());
    // some nets of every file: conformance-bm168x checks all of them
    const int step = std::max(1, with.nets() / 4);
    for (int net = 0; net < with.nets(); net += step) {
      if (with.net(net).is_dynamic) continue;
      for (const unsigned seed : {1u, 1u, 2u, 3u, 1u}) {
        const bool ran = with.run(net, seed);
        ASSERT_EQ(ran, without.run(net, seed));
        if (!ran) break;  // a net that cannot run fails on both
        ASSERT_TRUE(std::ranges::equal(with.memory(), without.memory()))
            << file.path() << " " << with.net(net).name << ", inputs " << seed;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200u);
}

}  // namespace
}  // namespace tputwin::testing
