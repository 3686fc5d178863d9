// tputwin eval of models of the BM1684 and BM1684X: classes are those of `tputwin run` for each
// sample.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bmodel/open.h"
#include "tools/command.h"
#include "tools/data/samples.h"
#include "tools/net.h"

namespace tputwin::tools {
namespace {

const std::string kDigits = TPUTWIN_SOURCE_DIR "/models/digits";
constexpr size_t kSamples = 50, kValues = 64;

class Evaluated : public CommandTest {
 protected:
  void SetUp() override {
    net::DataOptions options;
    options.scale = {1.0f / 256};
    options.shape = {.n = 1, .c = 1, .h = 8, .w = 8};
    auto data = net::open_data_set(kDigits + "-test-images-idx3-ubyte.gz", options);
    ASSERT_TRUE(data.ok()) << data.status().message();
    data_ = std::move(*data);
  }

  std::vector<float> sample(size_t index) const {
    std::vector<float> values(kValues);
    EXPECT_TRUE(data_->sample(std::min(index, kSamples - 1), values).ok());
    return values;
  }

  // Returns how many labels are the best, and among the best five, of the first samples.
  std::pair<size_t, size_t> counted(const std::string& model, size_t stage) const {
    auto file = bmodel::open_file((directory_ / model).string());
    auto net = open_net(std::make_shared<bmodel::OpenFile>(std::move(*file)), {.stage = stage});
    EXPECT_TRUE(net.ok()) << net.status().message();
    const size_t batch = (*net)->inputs()[0].shape[0];
    std::pair<size_t, size_t> found;
    for (size_t first = 0; first < kSamples; first += batch) {
      Array in{.shape = (*net)->inputs()[0].shape};
      for (size_t i = 0; i < batch; ++i) {
        const std::vector<float> values = sample(first + i);
        const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
        in.bytes.insert(in.bytes.end(), bytes, bytes + sizeof(float) * kValues);
      }
      auto out = (*net)->run(std::vector{in}, /*as_float=*/true);
      EXPECT_TRUE(out.ok()) << out.status().message();
      std::vector<float> scores(10 * batch);
      std::memcpy(scores.data(), (*out)[0].bytes.data(), scores.size() * sizeof(float));
      for (size_t i = 0; i < batch && first + i < kSamples; ++i) {
        const auto one = std::span(scores).subspan(10 * i, 10);
        const auto label = static_cast<size_t>(data_->label(first + i));
        std::vector<size_t> order(10);
        for (size_t c = 0; c < 10; ++c) order[c] = c;
        std::ranges::stable_sort(order, [&](size_t a, size_t b) { return one[a] > one[b]; });
        const auto rank = std::ranges::find(order, label) - order.begin();
        found.first += rank == 0;
        found.second += rank < 5;
      }
    }
    return found;
  }

  nlohmann::json evaluated(const std::string& options) {
    const std::string line = fmt::format(
        "tputwin eval --prototxt {0}.prototxt --caffemodel {0}.caffemodel --data "
        "{0}-test-images-idx3-ubyte.gz --scale 0.00390625 --samples {1} --json {2} "
        "2>/dev/null",
        kDigits, kSamples, options);
    EXPECT_EQ(run(line), 0) << printed_;
    return nlohmann::json::parse(printed_, nullptr, false);
  }

  std::unique_ptr<net::DataSet> data_;
};

TEST_F(Evaluated, AsRunsOfEachSample) {
  for (const std::string chip : {"bm1684x --type fp32", "bm1684x --type bf16", "bm1684"}) {
    ASSERT_EQ(run(fmt::format("tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel "
                              "--chip {1} --shape 1,1,8,8 --shape 3,1,8,8 -o net.bmodel",
                              kDigits, chip)),
              0)
        << printed_;
    for (const size_t stage : {0, 1}) {
      const auto [right, top] = counted("net.bmodel", stage);
      EXPECT_GT(right, 40u);
      for (const unsigned devices : {1, 3}) {
        SCOPED_TRACE(fmt::format("{} stage {} devices {}", chip, stage, devices));
        const auto report =
            evaluated(fmt::format("--bmodel net.bmodel --stage {} --devices {}", stage, devices));
        EXPECT_EQ(report["samples"], kSamples);
        EXPECT_EQ(report["batch"], stage == 0 ? 1 : 3);
        EXPECT_EQ(report["model"]["right"], right);
        EXPECT_EQ(report["model"]["top5"], top);
        EXPECT_FALSE(report.contains("int8"));
      }
    }
  }
}

TEST_F(Evaluated, ModelsOfTheBm1880AsBefore) {
  ASSERT_EQ(run(fmt::format(
                "tputwin calibrate {0}.prototxt {0}.caffemodel --data "
                "{0}-train-images-idx3-ubyte.gz --scale 0.00390625 --samples 100 --output int8 && "
                "tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel --table "
                "int8/*.pb2 --batch 3 -o net.bmodel",
                kDigits)),
            0)
      << printed_;
  const auto one = evaluated("--bmodel net.bmodel"),
             four = evaluated("--bmodel net.bmodel --devices 4");
  EXPECT_GT(one["int8"]["right"], 40);
  for (const char* figure : {"both_right", "int8_only", "same_class"})
    EXPECT_EQ(one[figure], four[figure]);
  EXPECT_EQ(one["int8"]["right"], four["int8"]["right"]);
  EXPECT_GE(one["int8"]["top5"], one["int8"]["right"]);
}

TEST_F(Evaluated, WrongChoicesAreRefused) {
  ASSERT_EQ(run(fmt::format("tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel "
                            "--chip bm1684x -o net.bmodel",
                            kDigits)),
            0);
  const std::string line = fmt::format(
      "tputwin eval --prototxt {0}.prototxt --caffemodel {0}.caffemodel --bmodel net.bmodel --data "
      "{0}-test-images-idx3-ubyte.gz --scale 0.00390625 --samples 3 ",
      kDigits);
  EXPECT_EQ(run(line + "--stage 7"), 2) << printed_;
  EXPECT_TRUE(prints("stage 7") && prints("it has stage 0")) << printed_;
  EXPECT_NE(run(line + "--output wrong"), 0) << printed_;
  EXPECT_TRUE(prints("outputs of the float net are ")) << printed_;
  EXPECT_NE(run(line + "--devices 0"), 0) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
