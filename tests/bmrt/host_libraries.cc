// Operators of users: examples/bmrt/host_operators.c, with and without TPUTWIN_CPUOPS.
#include <cstring>

#include "bmodel/subnets168x.h"
#include "bmrt/support.h"

namespace tputwin::testing {
namespace {

using namespace bmodel::bm168x;
using samples::host_tensor;
using samples::SubnetFile;

// Sets TPUTWIN_CPUOPS for its lifetime.
struct Asked {
  explicit Asked(const std::string& value) { setenv("TPUTWIN_CPUOPS", value.c_str(), 1); }
  ~Asked() { unsetenv("TPUTWIN_CPUOPS"); }
};

// One operator from x to y, each of four floats.
SubnetFile one_operator(int32_t number, const std::string& parameters) {
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.cpu(number, parameters, {*host_tensor("x", {4})}, {*host_tensor("y", {4})});
  file.output(host_tensor("y", {4}));
  return file;
}

std::string two_floats(float a, float b) {
  std::string bytes(8, 0);
  std::memcpy(bytes.data(), &a, 4);
  std::memcpy(bytes.data() + 4, &b, 4);
  return bytes;
}

class HostLibraries : public Bmrt {
 protected:
  // Returns the result; empty if the launch failed.
  std::vector<float> launch(const SubnetFile& file) {
    bmrt_destroy(std::exchange(runtime, bmrt_create(device)));
    const Bytes bytes = file.bytes();
    EXPECT_TRUE(bmrt_load_bmodel_data(runtime, bytes.data(), bytes.size())) << tputwin_last_error();
    float x[] = {1, -2, 3, 0}, y[4] = {};
    void *in[] = {x}, *out[] = {y};
    const bm_net_info_t* net = bmrt_get_network_info(runtime, "net");
    bm_shape_t shape;
    if (!bmrt_launch_data(runtime, "net", in, net->stages[0].input_shapes, 1, out, &shape, 1, true))
      return {};
    return {y, y + bmrt_shape_count(&shape)};
  }
};

TEST_F(HostLibraries, AreNotLoadedUnasked) {
  EXPECT_TRUE(launch(one_operator(10001, two_floats(2, 1))).empty());
  EXPECT_EQ(code(), "TW-BRT-0122");
}

TEST_F(HostLibraries, RunByNumber) {
  const Asked asked(TPUTWIN_HOST_OPERATORS);
  EXPECT_EQ(launch(one_operator(10001, two_floats(2, 1))), (std::vector<float>{3, -3, 7, 1}));
  // The run determines the shape.
  EXPECT_EQ(launch(one_operator(10002, "")), (std::vector<float>{1, 3}));
  EXPECT_TRUE(launch(one_operator(10003, "")).empty());
  EXPECT_EQ(code(), "TW-BRT-0122");
}

TEST_F(HostLibraries, ReportWhatIsWrong) {
  const Asked asked(TPUTWIN_HOST_OPERATORS);
  EXPECT_TRUE(launch(one_operator(10001, "abc")).empty());
  EXPECT_EQ(code(), "TW-BRT-0223");
  const std::string error = tputwin_last_error();
  EXPECT_NE(error.find("the parameters are two floats"), std::string::npos);
  EXPECT_NE(error.find("subnet 0: scale_shift of "), std::string::npos);
}

// A library may know a compiler's operator numbers and describe them as operators of tputwin.
TEST_F(HostLibraries, DescribeOperatorsAsOurs) {
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.cpu(17, std::string("\2\0\0\0", 4), {*host_tensor("x", {4})},
           {*host_tensor("y", {4}), *host_tensor("places", {4}, ElementType::i32)});
  file.output(host_tensor("y", {4}));
  EXPECT_TRUE(launch(file).empty());
  const Asked asked(std::string(TPUTWIN_HOST_OPERATORS) + ":");
  EXPECT_EQ(launch(file), (std::vector<float>{3, 1}));
}

TEST_F(HostLibraries, InTheFile) {
  SubnetFile file = one_operator(10001, two_floats(0.5F, 0));
  const Bytes library = *read_bytes(TPUTWIN_HOST_OPERATORS);
  file.model.cpuop_module = std::make_unique<CpuopModuleT>();
  file.model.cpuop_module->file_name = "host_operators.so";
  file.model.cpuop_module->binary = std::make_unique<Binary>(
      file.add({reinterpret_cast<const char*>(library.data()), library.size()}));
  EXPECT_TRUE(launch(file).empty());  // TPUTWIN_CPUOPS is not set
  EXPECT_EQ(code(), "TW-BRT-0122");
  const Asked asked("file");
  EXPECT_EQ(launch(file), (std::vector<float>{0.5F, -1, 1.5F, 0}));
  EXPECT_TRUE(launch(one_operator(10001, two_floats(0, 0))).empty());  // the file has no library
  EXPECT_EQ(code(), "TW-BRT-0124");
}

TEST_F(HostLibraries, ThatAreNone) {
  for (const char* path : {"/no/such/library.so", "libm.so.6", "/etc/passwd"}) {
    const Asked asked(path);
    EXPECT_TRUE(launch(one_operator(10001, "")).empty());
    EXPECT_EQ(code(), "TW-BRT-0124");
  }
}

// Nets that run only on the TPU load no library.
TEST_F(HostLibraries, OnlyWhereTheHostHasWork) {
  const Asked asked("/no/such/library.so");
  EXPECT_FALSE(run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0).empty());
}

}  // namespace
}  // namespace tputwin::testing
