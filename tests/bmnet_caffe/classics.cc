// The classic networks as a whole: imported with their weights, folded, and imported again.
#include "classics/classics.h"

#include "bmnet_caffe/nets.h"

namespace tputwin::net::testing {
namespace {

struct Expected {
  const char *name, *output, *shape;
  // As published, with biases and BatchNorm's three blobs; 0: a net of this project.
  int64_t weights;
};

void PrintTo(const Expected& e, std::ostream* out) { *out << e.name; }

class Classics : public ::testing::TestWithParam<Expected> {};

int64_t weights_of(const caffe::NetParameter& net) {
  int64_t count = 0;
  for (const auto& layer : net.layer())
    for (const auto& blob : layer.blobs()) count += blob.data_size();
  return count;
}

TEST_P(Classics, AreImportedAndFolded) {
  const Expected& expected = GetParam();
  auto net = models::make_classic(expected.name);
  ASSERT_TRUE(net.ok()) << net.error().message();
  EXPECT_EQ(expected.weights == 0 ? 0 : weights_of(*net), expected.weights);
  auto network = import_caffe(*net);
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(shape_in(network, expected.output), expected.shape);
  EXPECT_EQ(network->outputs(), std::vector<std::string>{expected.output});

  auto folded = fold_batch_norm(*net);
  ASSERT_TRUE(folded.ok()) << folded.error().message();
  for (const auto& layer : folded->layer()) {
    EXPECT_NE(layer.type(), "BatchNorm");
    EXPECT_NE(layer.type(), "Scale") << layer.name() << " stands behind a convolution";
  }
  auto again = import_caffe(*folded);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(shape_in(again, expected.output), expected.shape);
}

INSTANTIATE_TEST_SUITE_P(
    All, Classics,
    ::testing::Values(Expected{"alexnet", "prob", "(1,1000)", 60965224},
                      Expected{"vgg16", "prob", "(1,1000)", 138357544},
                      Expected{"googlenet", "prob", "(1,1000)", 6998552},
                      Expected{"squeezenet", "prob", "(1,1000,1,1)", 1235496},
                      Expected{"resnet18", "prob", "(1,1000)", 11699132},
                      Expected{"resnet50", "prob", "(1,1000)", 25610205},
                      Expected{"mobilenet_v1", "prob", "(1,1000,1,1)", 4253891},
                      Expected{"mobilenet_v2", "prob", "(1,1000,1,1)", 3539036},
                      Expected{"ssd_mobilenet", "detection_out", "(1,1,100,7) f", 0},
                      Expected{"yolo_v2_tiny", "region", "(1,125,13,13) f", 0},
                      Expected{"yolo_v3_tiny", "detections", "(1,1,200,7) f", 0}),
    [](const auto& info) { return info.param.name; });

TEST(ClassicsGenerator, SeedsDecide) {
  auto a = models::make_classic("squeezenet", 1), b = models::make_classic("squeezenet", 1),
       c = models::make_classic("squeezenet", 2);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(to_caffemodel(*a), to_caffemodel(*b));
  EXPECT_NE(to_caffemodel(*a), to_caffemodel(*c));
  EXPECT_FALSE(models::make_classic("nothing").ok());
}

}  // namespace
}  // namespace tputwin::net::testing
