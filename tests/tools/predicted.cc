// All commands predict the same time of a file.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "common/shared_data.h"
#include "tools/command.h"

namespace tputwin::tools {
namespace {

using Json = nlohmann::json;

class PredictedTime : public CommandTest {
 protected:
  Json json(const std::string& line) {
    EXPECT_EQ(run(line + " 2>/dev/null"), 0) << line << "\n" << printed_;
    return Json::parse(printed_, nullptr, /*allow_exceptions=*/false);
  }
  // Returns the number of a text: "group: predicted 120 cycles".
  uint64_t sum_of(const std::string& pattern) {
    uint64_t sum = 0;
    const std::regex form(pattern);
    for (std::sregex_iterator at(printed_.begin(), printed_.end(), form), end; at != end; ++at)
      sum += std::stoull((*at)[1]);
    return sum;
  }
  // Compares the commands that decode a file, or run it with `input`.
  void expect_everywhere(const std::string& file, uint64_t cycles, const std::string& input = "") {
    const Json timing = json("tputwin timing --json -- " + file);
    const Json profile = json("tputwin profile --json --html page.html -- " + file + input);
    EXPECT_EQ(profile["predicted_cycles"].get<uint64_t>(), cycles) << file;
    uint64_t launches = 0;
    for (const Json& launch : timing["launches"])
      launches += launch["end_cycle"].get<uint64_t>() - launch["begin_cycle"].get<uint64_t>();
    EXPECT_EQ(launches, cycles) << file;
    for (const Json& kernel : profile["kernels"])
      EXPECT_EQ(kernel["cycles"].get<uint64_t>(), cycles) << file << ": its only launch";
  }
};

TEST_F(PredictedTime, OfAModelOfTheBm1880IsTheSameEverywhere) {
  TW_NEED_SHARED_DATA("lenet-int8");
  const auto data = [](const char* name) {
    return testing::shared_data(std::string("lenet-int8/") + name);
  };
  const std::string compile =
      fmt::format("tputwin compile --prototxt {} --caffemodel {} --table {} -o net.bmodel",
                  data("test_deploy.proto"), data("bmnet_lenet_calibration.caffemodel"),
                  data("bmnet_lenet_ctable_opt.pb2"));
  ASSERT_EQ(run(compile + " --explain"), 0) << printed_;
  const uint64_t groups = sum_of("group: predicted ([0-9]+) cycles"),
                 all = sum_of("predicted  ([0-9]+) cycles = ");
  // The groups are chosen by the time of a run: with the launch they are the whole.
  EXPECT_EQ(groups + 38'000, all);
  EXPECT_FALSE(prints("price"));
  EXPECT_EQ(json(compile + " --json")["predicted_cycles"].get<uint64_t>(), all);
  EXPECT_EQ(json("tputwin info --json net.bmodel")["varieties"][0]["predicted_cycles"], all);
  const std::string picture = "head -c 784 " + data("test_input_1_1_28_28.bin") + " > in.bin && ";
  EXPECT_EQ(json(picture + "tputwin run net.bmodel --json --input in.bin")["predicted_cycles"],
            all);
  expect_everywhere("net.bmodel", all, " --input in.bin");
}

TEST_F(PredictedTime, OfABmodelIsTheSameEverywhere) {
  for (const char* name : {"nets-resnet-fp16", "nets-subnets", "layers-cast"}) {
    const Json info = json("tputwin info --json " + recorded(name));
    const Json& stage = info["nets"][0]["stages"][0];
    if (info["nets"].size() != 1 || info["nets"][0]["stages"].size() != 1) continue;
    expect_everywhere(recorded(name), stage["commands"]["predicted_cycles"].get<uint64_t>());
  }
}

}  // namespace
}  // namespace tputwin::tools
