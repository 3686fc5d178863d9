// Launches of nets that exceed their time limit, and nets that crash.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "bmodel/subnets168x.h"
#include "bmrt/support.h"
#include "machine/stop.h"
#include "sdk/bmlib/api.h"

namespace tputwin::testing {
namespace {

using bmodel::bm168x::samples::host_tensor;
using bmodel::bm168x::samples::SubnetFile;

// Holds the first command of a launch until the launch must end.
struct SlowObserver : Observer {
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override {
    while (is_first && !is_stop_wanted()) std::this_thread::yield();
    is_first = false;
    ++commands;
  }
  bool is_first = true;
  int commands = 0;
};

TEST_F(Bmrt, ANetIsStoppedBetweenTwoCommands) {
  const bm_net_info_t* net = load("nets-lenet-int8.bmodel", "lenet-int8");
  ASSERT_NE(net, nullptr);
  const Bytes expected = run_data(*net, 0);
  ASSERT_EQ(bm_set_sync_timeout(device, 20), BM_SUCCESS);
  EXPECT_EQ(run_data(*net, 0), expected);
  SlowObserver observer;
  auto card = *bmlib::find_card(device);
  card->watch(nullptr, &observer);
  bm_tensor_t input = hold_input(*net), output{};
  ASSERT_TRUE(bmrt_launch_tensor(runtime, "lenet-int8", &input, 1, &output, 1));
  EXPECT_EQ(bm_thread_sync(device), BM_ERR_TIMEOUT);
  EXPECT_EQ(code(), "TW-BML-0317");
  EXPECT_NE(std::string(tputwin_last_error()).find("net lenet-int8: launch = 3 of device 0"),
            std::string::npos)
      << tputwin_last_error();
  EXPECT_EQ(observer.commands, 1) << "the second command is not run";
  card->watch(&observer, nullptr);
  ASSERT_EQ(bm_set_sync_timeout(device, 0), BM_SUCCESS);
  EXPECT_EQ(run_data(*net, 0), expected) << "the device goes on";
  bm_free_device(device, input.device_mem);
  bm_free_device(device, output.device_mem);
}

// Runs a net of one faulty operator of a library, in its own process.
void run_operator(int32_t number, int limit) {
  setenv("TPUTWIN_CPUOPS", TPUTWIN_BAD_OPERATORS, 1);
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.cpu(number, "", {*host_tensor("x", {4})}, {*host_tensor("y", {4})});
  file.output(host_tensor("y", {4}));
  bm_handle_t device = nullptr;
  bm_dev_request(&device, 0);
  bm_set_sync_timeout(device, limit);
  void* runtime = bmrt_create(device);
  const Bytes bytes = file.bytes();
  if (!bmrt_load_bmodel_data(runtime, bytes.data(), bytes.size())) _exit(1);
  float x[4] = {}, y[4] = {};
  void *in[] = {x}, *out[] = {y};
  const bm_net_info_t* net = bmrt_get_network_info(runtime, "net");
  bm_shape_t shape;
  if (bmrt_launch_data(runtime, "net", in, net->stages[0].input_shapes, 1, out, &shape, 1, true))
    _exit(2);
  if (std::string(tputwin_last_error_code()) != "TW-BML-0317") _exit(3);
  bmrt_destroy(runtime);
  bm_dev_free(device);
  std::exit(bm_dev_request(&device, 0) == BM_ERR_DEVNOTREADY ? 0 : 4);
}

TEST(NetLimits, AnOperatorThatCannotBeStoppedLosesTheDevice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_operator(10001, 1), ::testing::ExitedWithCode(0),
              "TW-BML-0317 net net: launch = 1 of device 0.*device 0 is lost");
}

TEST(NetLimits, ACrashNamesTheNet) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto died = [](int status) { return WIFSIGNALED(status) || WEXITSTATUS(status) != 0; };
  EXPECT_EXIT(run_operator(10002, 0), died,
              "TW-BML-0318 net net: launch = 1 of device 0.*SIGSEGV, address 0x0");
}

}  // namespace
}  // namespace tputwin::testing
