// The example nets of tputwin: they load, have the accuracy of the training, and int8 loses little.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/equalize.h"
#include "bmnet/data/data_set.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "tools/eval.h"

namespace tputwin {
namespace {

const std::string kData = "/usr/share/datasets/fashion-mnist";
constexpr int kBatch = 50;
constexpr double kLargestLoss = 0.003;  // loss of accuracy by int8

std::string model_path(const std::string& file) {
  return std::string(TPUTWIN_SOURCE_DIR "/models/") + file;
}

net::caffe::NetParameter load(const std::string& name) {
  auto caffe = net::load_caffe(model_path(name + ".prototxt"), model_path(name + ".caffemodel"));
  EXPECT_TRUE(caffe.ok()) << caffe.status().message();
  return std::move(*caffe);
}

net::Network import(const net::caffe::NetParameter& caffe, int batch) {
  auto network = net::import_caffe(caffe, {.batch = batch});
  EXPECT_TRUE(network.ok()) << network.status().message();
  return std::move(*network);
}

std::unique_ptr<net::DataSet> images(const std::string& part) {
  auto set = net::open_data_set(kData + "/" + part + "-images-idx3-ubyte.gz",
                                {.shape = {1, 1, 28, 28}, .scale = {1.0f / 256}});
  EXPECT_TRUE(set.ok()) << set.status().message();
  return std::move(*set);
}

// Returns the accuracy that models/train.py measured and wrote into a comment of the prototxt.
double stated_accuracy(const std::string& name) {
  std::ifstream file(model_path(name + ".prototxt"));
  std::string line;
  std::getline(file, line);
  std::smatch found;
  EXPECT_TRUE(std::regex_search(line, found, std::regex(R"(([0-9.]+) %)"))) << line;
  return std::stod(found[1]) / 100;
}

class Models : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(kData)) return;
    if (std::getenv("CI")) FAIL() << "no " << kData;
    GTEST_SKIP() << "no " << kData << "; it is in Debian's dataset-fashion-mnist";
  }
};

Result<net::Calibration> calibrate(const std::string& name, size_t samples) {
  const auto training = images("train");
  return net::calibrate(load(name), {training.get()}, {.samples = samples});
}

TEST_P(Models, AreAsRightAsTrainedAndInInt8) {
  auto calibration = calibrate(GetParam(), 500);
  ASSERT_TRUE(calibration.ok()) << calibration.status().message();
  auto compiled = net::compile(import(calibration->net, kBatch), calibration->table);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto file = bmodel::write(net::to_model(*compiled, GetParam()), bmodel::Container::v2_1);
  ASSERT_TRUE(file.ok()) << file.status().message();

  const auto test = images("t10k");
  auto report = tools::evaluate(import(load(GetParam()), kBatch), *file, *test,
                                {.plugin_directory = TPUTWIN_BIN_DIR "/../plugins"});
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->samples, 10000u);
  const double by_float = static_cast<double>(report->fp32.right) / 10000;
  const double by_int8 = static_cast<double>(report->int8.right) / 10000;
  EXPECT_NEAR(by_float, stated_accuracy(GetParam()), 0.001);
  EXPECT_GE(by_float, 0.9);
  EXPECT_LE(by_float - by_int8, kLargestLoss) << tools::report_text(*report);
}

TEST_P(Models, LayersOfInt8AreCloseToFloat) {
  auto calibration = calibrate(GetParam(), 100);
  ASSERT_TRUE(calibration.ok()) << calibration.status().message();
  auto integers = net::resolve(calibration->network, calibration->table);
  ASSERT_TRUE(integers.ok()) << integers.status().message();
  auto folded = net::fold_batch_norm(load(GetParam()));
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  net::Network fp32 = import(*folded, 1);
  net::equalize(fp32);  // as in calibration
  const auto test = images("t10k");
  auto rows = tools::compare_layers(fp32, calibration->network, *integers, {test.get()}, 10);
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_GE(rows->size(), 8u);
  for (const tools::TensorComparison& row : *rows)
    EXPECT_GE(row.cosine, 0.98) << row.layer << "\n" << tools::comparison_text(*rows);
}

INSTANTIATE_TEST_SUITE_P(Ours, Models, testing::Values("lenet_fashion", "resnet_fashion"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tputwin
