// The example with customized layers on the int8 LeNet whose results on the chip are recorded.
#include <gtest/gtest.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "../../examples/bmnet/custom_lenet/elu.h"
#include "../../examples/bmnet/custom_lenet/leaky_relu.h"
#include "base/file.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/import.h"
#include "bmnet/float/execute.h"
#include "common/parameter_name.h"
#include "common/shared_data.h"
#include "common/temporary_directory.h"
#include "tputwin/error.h"

namespace tputwin::testing {
namespace {

const std::string kData = TPUTWIN_SHARED_DATA "/lenet-int8/";
const std::string kReal = TPUTWIN_SHARED_DATA "/bm1880-real/lenet-int8/";
const std::string kPlugins = TPUTWIN_BIN_DIR "/../examples/custom_lenet_plugins";

// The builder quantizes float weights; the other files hold the vendor's integers.
struct Case {
  std::string caffemodel;
  int level;
  const char* golden;  // the chip's bytes for the first image
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.caffemodel << " at level " << c.level; }

class CustomLenet : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    TW_NEED_SHARED_DATA("lenet-int8");
    TW_NEED_SHARED_DATA("bm1880-real");
    // Allows the plugin of ELU that the file carries.
    setenv("TPUTWIN_ALLOW_NATIVE_PLUGINS", "1", 1);
  }
  void TearDown() override { unsetenv("TPUTWIN_ALLOW_NATIVE_PLUGINS"); }

  // Builds a net of batch 1 at the level, ready to run.
  void build(bmctx_t& ctx, bmnet_t& net) {
    bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, (kData + "test_deploy.proto").c_str(),
                                        GetParam().caffemodel.c_str(), nullptr,
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

TEST_P(CustomLenet, GivesTheBytesOfTheChip) {
  bmctx_t ctx = nullptr;
  bmnet_t net = nullptr;
  build(ctx, net);
  ASSERT_NE(net, nullptr);
  auto images = *read_bytes(kData + "test_input_1_1_28_28.bin");
  const auto expected = *read_bytes(kReal + GetParam().golden);
  std::vector<uint8_t> output(10);
  ASSERT_EQ(bmnet_inference(net, images.data(), output.data()), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(output, expected);
  bmnet_cleanup(net);
  bm_exit(ctx);
}

// Returns the index of the largest of ten results.
template <class T>
size_t best(const T* values) {
  return static_cast<size_t>(std::max_element(values, values + 10) - values);
}

// With the unmodified table, int8 and float classify every image equally, with one exception. The
// float net's two best results may be closer than one step of the quantized output (image 62: 28.1
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
    const float step = 13.757675f / 128;  // 13.757675 is the output's threshold
    EXPECT_LE(floats_of[best(floats_of)] - floats_of[best(result)], step) << "image " << i;
  }
  bmnet_cleanup(net);
  bm_exit(ctx);
}

std::vector<Case> cases() {
  constexpr const char *kTest = "test_output_1_1_28_28_ref.bin",
                       *kOnnx = "test_onnx_output_1_1_28_28_ref.bin";
  std::vector<Case> all;
  for (int level : {BM_OPT_NONE, BM_OPT_LAYER_GROUP, BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT}) {
    all.push_back({kReal + "bmnet_lenet_test.caffemodel", level, kTest});
    all.push_back({kData + "bmnet_lenet_calibration.caffemodel", level, kOnnx});
    all.push_back({kData + "test.caffemodel", level, kOnnx});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Levels, CustomLenet, ::testing::ValuesIn(cases()), [](const auto& info) {
  const std::filesystem::path model = info.param.caffemodel;
  return parameter_name(model.parent_path().filename().string() + " " + model.stem().string() +
                        " level " + std::to_string(info.param.level));
});

}  // namespace
}  // namespace tputwin::testing
