// The example with customized layers on the int8 LeNet whose results on the chip are known.
#include <gtest/gtest.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "../../examples/bmnet/custom_lenet/elu.h"
#include "../../examples/bmnet/custom_lenet/leaky_relu.h"
#include "base/file.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/import.h"
#include "bmnet/float/execute.h"
#include "common/temporary_directory.h"
#include "tputwin/error.h"

namespace tputwin::testing {
namespace {

const std::string kData = TPUTWIN_SHARED_DATA "/lenet-int8/";
const std::string kPlugins = TPUTWIN_BIN_DIR "/../examples/custom_lenet_plugins";

// Float weights are quantised by the builder; the others are the vendor's integers.
struct Case {
  const char* caffemodel;
  int level;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.caffemodel << " at level " << c.level; }

class CustomLenet : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(kData)) return;
    if (std::getenv("CI") != nullptr) FAIL() << kData << " is missing";
    GTEST_SKIP() << kData << " is missing";
  }

  // A net of batch 1 at the level, ready to run.
  void build(bmctx_t& ctx, bmnet_t& net) {
    bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, (kData + "test_deploy.proto").c_str(),
                                        (kData + GetParam().caffemodel).c_str(), nullptr,
                                        (kData + "bmnet_lenet_calibration.pb2").c_str(), nullptr);
    builder.addCustomizedLayer(new LeakyReluLayer);
    builder.addCustomizedTensorInst(new LeakyReluInst);
    builder.addCustomizedLayer(new EluLayer);
    builder.addCustomizedTensorInst(new EluInst);
    builder.build(1, 1, 28, 28, GetParam().level);
    EXPECT_EQ(builder.cpu_layers, std::vector<std::string>{"ELU"});
    const std::string file = (directory_ / "lenet.bmodel").string();
    builder.store_model("lenet", file.c_str(), kPlugins.c_str());
    ASSERT_EQ(bm_init(0, &ctx), BM_SUCCESS);
    ASSERT_EQ(bmnet_register_bmodel(ctx, file.c_str(), &net), BM_SUCCESS) << tputwin_last_error();
  }

  TemporaryDirectory directory_;
};

// The recorded run scaled both poolings with the first one's numbers (docs/discrepancies.md).
TEST_P(CustomLenet, GivesTheBytesOfTheChip) {
  setenv("TPUTWIN_QUIRKS", "first_pooling", 1);
  bmctx_t ctx = nullptr;
  bmnet_t net = nullptr;
  build(ctx, net);
  unsetenv("TPUTWIN_QUIRKS");
  ASSERT_NE(net, nullptr);
  auto images = *read_bytes(kData + "test_input_1_1_28_28.bin");
  const auto expected = *read_bytes(kData + "test_output_1_1_28_28_ref.bin");
  std::vector<uint8_t> output(10);
  ASSERT_EQ(bmnet_inference(net, images.data(), output.data()), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(output, expected);
  bmnet_cleanup(net);
  bm_exit(ctx);
}

// Largest of ten results.
template <class T>
size_t best(const T* values) {
  return static_cast<size_t>(std::max_element(values, values + 10) - values);
}

// With the table as it is written, int8 sees in every image what the float net sees, unless the
// float net's two best results are closer than one step of the quantised output (image 62: 28.1
// and 27.6 steps, both 27 in int8).
TEST_P(CustomLenet, ClassifiesAsTheFloatNet) {
  bmctx_t ctx = nullptr;
  bmnet_t net = nullptr;
  build(ctx, net);
  ASSERT_NE(net, nullptr);
  auto caffe = net::load_caffe(kData + "test_deploy.proto", kData + "test.caffemodel");
  ASSERT_TRUE(caffe.ok()) << caffe.error().message();
  auto network = net::import_caffe(*caffe);
  ASSERT_TRUE(network.ok()) << network.error().message();
  auto floats = net::FloatExecutor::create(*network);
  ASSERT_TRUE(floats.ok()) << floats.error().message();
  auto images = *read_bytes(kData + "test_input_1_1_28_28.bin");
  const float threshold = bmnet_get_input_threshold(net);
  for (size_t i = 0; i < 100; ++i) {
    uint8_t* image = images.data() + i * 784;
    int8_t result[10];
    ASSERT_EQ(bmnet_inference(net, image, reinterpret_cast<uint8_t*>(result)), BM_SUCCESS);
    net::Blob x{{1, 1, 28, 28}, {}};
    for (size_t p = 0; p < 784; ++p)
      x.data.push_back(static_cast<float>(static_cast<int8_t>(image[p])) * threshold / 128);
    auto y = (*floats)->run({{network->inputs()[0], x}});
    ASSERT_TRUE(y.ok()) << y.error().message();
    const float* floats_of = y->begin()->second.data.data();
    const float step = 13.757675f / 128;  // threshold of the output
    EXPECT_LE(floats_of[best(floats_of)] - floats_of[best(result)], step) << "image " << i;
  }
  bmnet_cleanup(net);
  bm_exit(ctx);
}

INSTANTIATE_TEST_SUITE_P(
    Levels, CustomLenet,
    ::testing::Values(Case{"bmnet_lenet_calibration.caffemodel", BM_OPT_NONE},
                      Case{"bmnet_lenet_calibration.caffemodel", BM_OPT_LAYER_GROUP},
                      Case{"bmnet_lenet_calibration.caffemodel",
                           BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT},
                      Case{"test.caffemodel", BM_OPT_NONE},
                      Case{"test.caffemodel", BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT}));

}  // namespace
}  // namespace tputwin::testing
