// Public Caffe models, from file to network.
#include "bmnet_caffe/nets.h"

#include <map>

namespace tputwin::net::testing {
namespace {

struct Model {
  const char *name, *prototxt, *caffemodel;
  std::vector<int64_t> input;  // empty: the file's input shape
  std::map<std::string, std::string> shapes;
  std::vector<std::string> outputs;
};

void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class RealNets : public ::testing::TestWithParam<Model> {};

TEST_P(RealNets, AreImported) {
  const Model& model = GetParam();
  const std::string prototxt = shared(model.prototxt), weights = shared(model.caffemodel);
  if (prototxt.empty() || weights.empty()) GTEST_SKIP() << "no shared data";
  auto net = load_caffe(prototxt, weights);
  ASSERT_TRUE(net.ok()) << net.error().message();
  ImportOptions options;
  if (!model.input.empty()) options.input_shapes = {make_shape(model.input)};
  auto network = import_caffe(*net, options);
  ASSERT_TRUE(network.ok()) << network.error().message();
  for (const auto& [tensor, shape] : model.shapes) EXPECT_EQ(shape_in(network, tensor), shape);
  EXPECT_EQ(network->outputs(), model.outputs);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealNets,
    ::testing::Values(
        Model{"lenet",
              "lenet/lenet.prototxt",
              "lenet/lenet_iter_10000.caffemodel",
              {},
              {{"conv1", "(64,20,24,24)"},
               {"pool1", "(64,20,12,12)"},
               {"conv2", "(64,50,8,8)"},
               {"pool2", "(64,50,4,4)"},
               {"ip1", "(64,500)"},
               {"ip1@relu1", "(64,500)"},
               {"prob", "(64,10)"}},
              {"prob"}},
        Model{"lenet_int8",
              "lenet-int8/test_deploy.proto",
              "lenet-int8/test.caffemodel",
              {},
              {{"conv1", "(1,20,24,24)"}, {"ip1", "(1,500)"}, {"customized2", "(1,10)"}},
              {"customized2"}},
        Model{"lenet_int8_data_layer",
              "lenet-int8/deploy.prototxt",
              "lenet-int8/bmnet_lenet_calibration.caffemodel",
              {2, 1, 28, 28},
              {{"data", "(2,1,28,28)"}, {"customized2", "(2,10)"}},
              {"customized2"}},
        Model{"det1",
              "mtcnn/det1.prototxt",
              "mtcnn/det1.caffemodel",
              {},
              {{"conv1", "(1,10,10,10)"},
               {"conv1@PReLU1", "(1,10,10,10)"},
               {"pool1", "(1,10,5,5)"},
               {"conv3", "(1,32,1,1)"},
               {"conv4-2", "(1,4,1,1)"},
               {"prob1", "(1,2,1,1)"}},
              {"conv4-2", "prob1"}},
        Model{"det2",
              "mtcnn/det2.prototxt",
              "mtcnn/det2.caffemodel",
              {},
              {{"pool1", "(1,28,11,11)"},
               {"pool2", "(1,48,4,4)"},
               {"conv3", "(1,64,3,3)"},
               {"conv4", "(1,128)"},
               {"conv5-2", "(1,4)"},
               {"prob1", "(1,2)"}},
              {"conv5-2", "prob1"}},
        Model{"det3",
              "mtcnn/det3.prototxt",
              "mtcnn/det3.caffemodel",
              {},
              {{"pool1", "(1,32,23,23)"},
               {"pool2", "(1,64,10,10)"},
               {"pool3", "(1,64,4,4)"},
               {"conv4", "(1,128,3,3)"},
               {"conv5", "(1,256)"},
               {"conv6-3", "(1,10)"},
               {"prob1", "(1,2)"}},
              {"conv6-2", "conv6-3", "prob1"}},
        Model{"ultraface",
              "ultraface/RFB-320.prototxt",
              "ultraface/RFB-320.caffemodel",
              {},
              {{"459", "(1,4420,2)"}, {"boxes", "(1,4420,4)"}, {"scores", "(1,4420,2)"}},
              {"boxes", "scores"}}),
    [](const auto& info) { return info.param.name; });

TEST(RealNets, GraphOfTheCaffemodelAlone) {
  const std::string weights = shared("lenet-int8/test.caffemodel");
  if (weights.empty()) GTEST_SKIP() << "no shared data";
  auto net = load_caffe("", weights);
  ASSERT_TRUE(net.ok()) << net.error().message();
  auto network = import_caffe(*net, {.input_shapes = {make_shape({1, 1, 28, 28})}});
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->blobs.at("conv1").size(), 2u);
  EXPECT_EQ(network->blobs.at("ip2")[0].shape, (std::vector<int64_t>{10, 500}));
}

}  // namespace
}  // namespace tputwin::net::testing
