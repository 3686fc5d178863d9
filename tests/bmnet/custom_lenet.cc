// The example with customized layers on the int8 LeNet whose results on the chip are known.
#include <gtest/gtest.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

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
    bmnet::CaffeBuilder<int8_t> builder(
        BM_CHIP_BM1880, (kData + "test_deploy.proto").c_str(), (kData + GetParam().caffemodel).c_str(),
        nullptr, (kData + "bmnet_lenet_calibration.pb2").c_str(), nullptr);
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
  const auto expected = *read_bytes(kData + "test_output_1_1_28_28_ref.bin");
  std::vector<uint8_t> output(10);
  ASSERT_EQ(bmnet_inference(net, images.data(), output.data()), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(output, expected);
  bmnet_cleanup(net);
  bm_exit(ctx);
}

INSTANTIATE_TEST_SUITE_P(Levels, CustomLenet,
                         ::testing::Values(Case{"bmnet_lenet_calibration.caffemodel", BM_OPT_NONE},
                                           Case{"bmnet_lenet_calibration.caffemodel",
                                                BM_OPT_LAYER_GROUP},
                                           Case{"bmnet_lenet_calibration.caffemodel",
                                                BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT},
                                           Case{"test.caffemodel", BM_OPT_NONE},
                                           Case{"test.caffemodel",
                                                BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT}));

}  // namespace
}  // namespace tputwin::testing
