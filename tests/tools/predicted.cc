// All commands predict the same time of a file.
#include <fmt/format.h>

#include <cmath>
#include <map>
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
  void expect_everywhere(const std::string& file, uint64_t cycles, const std::string& input = "",
                         const std::string& chosen = "") {
    const Json timing = json("tputwin timing --json -- " + file + chosen);
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

// A kernel's time in a profile is that of its launches.
TEST_F(PredictedTime, OfAKernelIsThatOfItsLaunches) {
  for (const auto& [program, chip] :
       {std::pair{"okk_plus_one", "BM1684"}, {"tpu_softmax", "BM1684X"}, {"streams", "BM1880"}}) {
    const std::string variable = fmt::format("TPUTWIN_CHIP={} ", chip);
    const std::string host =
        fmt::format(" -- {}/{} 2>/dev/null | tail -n 1", TPUTWIN_BIN_DIR, program);
    const Json timing = json(variable + "tputwin timing --json timing.json" + host +
                             " >/dev/null; cat timing.json");
    const Json profile = json(variable + "tputwin profile --json profile.json --html page.html" +
                              host + " >/dev/null; cat profile.json");
    std::map<std::string, uint64_t> expected;
    uint64_t all = 0;
    for (const Json& launch : timing["launches"]) {
      const uint64_t cycles =
          launch["end_cycle"].get<uint64_t>() - launch["begin_cycle"].get<uint64_t>();
      all += cycles;
      if (launch["name"] != "") expected[launch["name"]] += cycles;
    }
    EXPECT_EQ(profile["predicted_cycles"].get<uint64_t>(), all) << program;
    std::map<std::string, uint64_t> found;
    for (const Json& kernel : profile.value("kernels", Json::array()))
      found[kernel["name"]] = kernel["cycles"].get<uint64_t>();
    EXPECT_EQ(found, expected) << program;
    EXPECT_NE(all, 0u);
  }
}

// Files of this compiler, in one stage or two. Compilers print what info finds in the file.
TEST_F(PredictedTime, OfACompiledBmodelIsTheSameEverywhere) {
  TW_NEED_SHARED_DATA("lenet");
  for (const char* chip : {"bm1684x", "bm1684"}) {
    const std::string compile = fmt::format(
        "tputwin compile --prototxt {} --caffemodel {} --chip {} --shape 1,1,28,28 --shape "
        "3,1,28,28 -o net.bmodel --json",
        testing::shared_data("lenet/lenet.prototxt"),
        testing::shared_data("lenet/lenet_iter_10000.caffemodel"), chip);
    const Json compiled = json(compile), info = json("tputwin info --json net.bmodel");
    ASSERT_EQ(compiled["stages"].size(), 2u) << chip;
    for (size_t stage = 0; stage < 2; ++stage) {
      const auto cycles = compiled["stages"][stage]["predicted_cycles"].get<uint64_t>();
      EXPECT_EQ(info["nets"][0]["stages"][stage]["commands"]["predicted_cycles"], cycles) << chip;
      const std::string chosen = fmt::format(" --stage {}", stage);
      EXPECT_EQ(json("tputwin run --json net.bmodel" + chosen)["predicted_cycles"], cycles) << chip;
      expect_everywhere("net.bmodel", cycles, chosen, chosen);
    }
  }
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
