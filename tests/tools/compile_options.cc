// Options of `tputwin compile` that contradict each other, or say nothing, are refused.
#include <fmt/format.h>

#include "tools/command.h"

namespace tputwin::tools {
namespace {

class CompileOptions : public CommandTest {};

TEST_F(CompileOptions, MustSaySomethingAndAgree) {
  const std::pair<const char*, const char*> refused[] = {
      {"--name ''", "--name: it must not be empty"},
      {"--batch 0", "--batch: \"0\" is not a number from 1 on"},
      {"--batch -1", "--batch: \"-1\" is not a number from 1 on"},
      {"--batch 2 --shape 1,3,4,4", "--shape excludes --batch"},
      {"--chip bm1686", "--chip"},
  };
  for (const auto& [options, rule] : refused) {
    EXPECT_EQ(run(fmt::format("tputwin compile net.onnx {}", options)), 2) << options;
    EXPECT_TRUE(prints("TW-CLI-0011") && prints(rule)) << options << "\n" << printed_;
  }
}

TEST_F(CompileOptions, SayWhatIsNotWrittenAndNotRead) {
  const std::string net = TPUTWIN_SOURCE_DIR "/models/lenet_fashion";
  const std::string line = fmt::format(
      "tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel --chip bm1684x", net);
  EXPECT_EQ(run(line), 0) << printed_;
  EXPECT_TRUE(prints("no bmodel was written: --output names none")) << printed_;
  EXPECT_EQ(run(line + " --type fp16 --table nowhere"), 3) << printed_;
  const std::string table = "echo 'layer { name: \"conv1\" }' > table.prototxt; ";
  EXPECT_EQ(run(table + line + " --type fp16 --table table.prototxt"), 0) << printed_;
  EXPECT_TRUE(prints("the table is not used: --type is not int8")) << printed_;
  for (const std::string more : {" -o net.bmodel", " --dry-run"}) {
    EXPECT_EQ(run(line + more), 0) << printed_;
    EXPECT_FALSE(prints("no bmodel was written")) << printed_;
  }
}

// Calibration for the chip searches types of layers, and compilation takes its table.
TEST_F(CompileOptions, TakeTheTableOfTheChip) {
  const std::string models = TPUTWIN_SOURCE_DIR "/models/";
  const std::string net = fmt::format("{0}digits.prototxt {0}digits.caffemodel", models);
  const std::string calibrate = fmt::format(
      "tputwin calibrate {} --data {}digits-test-images-idx3-ubyte.gz --scale 0.00390625 "
      "--samples 64 --chip bm1684x --output . --report report.json --reach ",
      net, models);
  // Not even fp16 in all layers is as exact as this.
  EXPECT_EQ(run(calibrate + "0.9999999"), 6) << printed_;
  EXPECT_EQ(run(calibrate + "0.999998"), 0) << printed_;
  EXPECT_TRUE(prints("wider layers predicted ms")) << printed_;
  EXPECT_TRUE(prints("layers in wider numbers: ")) << printed_;
  const auto report = read_bytes((directory_ / "report.json").string());
  ASSERT_TRUE(report.ok());
  EXPECT_NE(std::string(report->begin(), report->end()).find("\"predicted_ms\""),
            std::string::npos);
  EXPECT_EQ(run(fmt::format("tputwin compile --prototxt {0}digits.prototxt --caffemodel "
                            "{0}digits.caffemodel --chip bm1684x --type int8 --table "
                            "bmnet_digits_calibration_table.pb2 -o net.bmodel",
                            models)),
            0)
      << printed_;
}

}  // namespace
}  // namespace tputwin::tools
