// The classifiers of tputwin, compiled for the BM1684X and the BM1684, are as right as in float.
//
// TPUTWIN_CASES counts the test images of each net: 1,000 unless given, all if there are fewer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/data/data_set.h"
#include "bmnet/float/execute.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/compile.h"
#include "bmnet/targets/bm1684x/search/mixed_types.h"
#include "bmnet/targets/bm1684x/search/simulated_net.h"

namespace tputwin {
namespace {

using net::bm1684x::ScopedTarget;
using net::bm1684x::Target;

struct Classifier {
  const char* name;
  std::string images, test_images;
  net::Extents shape;
  float scale;
};

// Images without the package of Fashion-MNIST are those of the digits.
std::vector<Classifier> classifiers() {
  const std::string digits = TPUTWIN_SOURCE_DIR "/models/digits-";
  const std::string fashion = "/usr/share/datasets/fashion-mnist/";
  std::vector<Classifier> all{{"digits",
                               digits + "train-images-idx3-ubyte.gz",
                               digits + "test-images-idx3-ubyte.gz",
                               {1, 1, 8, 8},
                               1.0f / 256}};
  for (const char* name : {"lenet_fashion", "resnet_fashion"})
    all.push_back({name,
                   fashion + "train-images-idx3-ubyte.gz",
                   fashion + "t10k-images-idx3-ubyte.gz",
                   {1, 1, 28, 28},
                   1.0f / 256});
  return all;
}

struct Numbers {
  const Target& target;
  DType type;
  double largest_loss;  // of accuracy
};
const Numbers kNumbers[] = {{net::bm1684x::bm1684x_target(), DType::f16, 0.0005},
                            {net::bm1684x::bm1684x_target(), DType::i8, 0.003},
                            {net::bm1684::bm1684_target(), DType::f32, 0},
                            {net::bm1684::bm1684_target(), DType::i8, 0.003}};

constexpr size_t kImagesOfRun = 20, kCalibrated = 500;

size_t most_images() {
  const char* given = std::getenv("TPUTWIN_CASES");
  return given == nullptr ? 1000 : std::stoul(given);
}

// Counts the images whose largest score is that of their class.
size_t count_right(const net::DataSet& images, size_t first, std::span<const float> scores) {
  const size_t classes = scores.size() / kImagesOfRun;
  size_t right = 0;
  for (size_t i = 0; i < kImagesOfRun && first + i < images.size(); ++i) {
    const auto own = scores.subspan(i * classes, classes);
    right += std::ranges::max_element(own) - own.begin() == images.label(first + i) ? 1 : 0;
  }
  return right;
}

void PrintTo(const Classifier& c, std::ostream* out) { *out << c.name; }

class Streams : public testing::TestWithParam<Classifier> {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(GetParam().images)) return;
    if (std::getenv("CI")) FAIL() << "no " << GetParam().images;
    GTEST_SKIP() << "no " << GetParam().images << "; it is in Debian's dataset-fashion-mnist";
  }

  static std::string model(const char* extension) {
    return std::string(TPUTWIN_SOURCE_DIR "/models/") + GetParam().name + extension;
  }
  static std::unique_ptr<net::DataSet> open(const std::string& file) {
    auto set = net::open_data_set(file, {.shape = GetParam().shape, .scale = {GetParam().scale}});
    EXPECT_TRUE(set.ok()) << set.status().message();
    return std::move(*set);
  }
  // The thresholds that `tputwin calibrate` finds, without changes of the float net.
  static NetCalibrationParameter table(bool is_bm1684) {
    auto net = net::load_caffe(model(".prototxt"), model(".caffemodel"));
    EXPECT_TRUE(net.ok()) << net.status().message();
    const auto samples = open(GetParam().images);
    auto found = net::calibrate(*net, {samples.get()},
                                {.samples = kCalibrated,
                                 .equalize = false,

                                 .table_only = true,
                                 .has_unsigned_bytes = !is_bm1684});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::move(found->table);
  }

  // Runs all images in batches. `run` returns the scores of a batch.
  template <class Run>
  static Result<size_t> right(const net::DataSet& images, const Run& run) {
    const size_t length = static_cast<size_t>(GetParam().shape.count());
    size_t count = 0;
    for (size_t first = 0; first < std::min(images.size(), most_images()); first += kImagesOfRun) {
      std::vector<float> values(kImagesOfRun * length);
      for (size_t i = 0; i < kImagesOfRun && first + i < images.size(); ++i)
        TW_RETURN_IF_ERROR(images.sample(first + i, std::span(values).subspan(i * length, length)));
      TW_ASSIGN_OR_RETURN(scores, run(std::move(values)));
      count += count_right(images, first, scores);
    }
    return count;
  }
};

TEST_P(Streams, AreAsRightAsFloats) {
  auto ready = net::prepare_float({.prototxt = model(".prototxt"),
                                   .caffemodel = model(".caffemodel"),
                                   .table = std::nullopt,
                                   .import = {.batch = kImagesOfRun}});
  ASSERT_TRUE(ready.ok()) << ready.status().message();
  const net::Network& network = ready->network;
  const auto images = open(GetParam().test_images);
  const auto total = static_cast<double>(std::min(images->size(), most_images()));
  auto executor = net::FloatExecutor::create(network);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  const std::string input = network.inputs()[0], output = network.outputs()[0];
  const auto by_float =
      right(*images, [&](std::vector<float> values) -> Result<std::vector<float>> {
        TW_ASSIGN_OR_RETURN(
            results, (*executor)->run({{input, {net::dims(*network.shape_of(input)), values}}}));
        return std::move(results.at(output).data);
      });
  ASSERT_TRUE(by_float.ok()) << by_float.status().message();
  EXPECT_GE(static_cast<double>(*by_float) / total, 0.89);
  for (const auto& [target, type, largest_loss] : kNumbers) {
    const ScopedTarget scope(target);
    const NetCalibrationParameter thresholds = table(&target == &net::bm1684::bm1684_target());
    auto compiled = net::bm1684x::compile(network, {.type = type, .table = &thresholds});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    auto simulated = net::bm1684x::SimulatedNet::load(*compiled);
    ASSERT_TRUE(simulated.ok()) << simulated.status().message();
    const auto by_chip =
        right(*images, [&](std::vector<float> values) -> Result<std::vector<float>> {
          TW_ASSIGN_OR_RETURN(results, (*simulated)->run({values}));
          return std::move(results[0]);
        });
    ASSERT_TRUE(by_chip.ok()) << by_chip.status().message();
    fmt::print("{}: of {:.0f} images float has {}, the {} in {} {}\n", GetParam().name, total,
               *by_float, target.chip.name, net::bm1684x::name_of(type), *by_chip);
    // Few images say less: some change sides in both directions.
    const double chance = total < 10000 ? 3 : 1;
    EXPECT_LE(static_cast<double>(*by_float) - static_cast<double>(*by_chip),
              largest_loss * total + chance);
  }
}

INSTANTIATE_TEST_SUITE_P(Ours, Streams, testing::ValuesIn(classifiers()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin
