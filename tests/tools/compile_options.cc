// Options of `tputwin compile` that contradict each other, or say nothing, are refused.
#include <fmt/format.h>

#include <filesystem>

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

// Returns the start of a line that compiles the digits for a chip.
std::string compile_digits(const char* chip) {
  return fmt::format(
      "tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel --chip {1} ",
      TPUTWIN_SOURCE_DIR "/models/digits", chip);
}

TEST_F(CompileOptions, MoreShapesMakeStages) {
  const std::string shapes = "--shape 1,1,8,8 --shape 3,1,8,8 -o net.bmodel";
  for (const char* chip : {"bm1684x", "bm1684"}) {
    EXPECT_EQ(run(compile_digits(chip) + shapes), 0) << printed_;
    EXPECT_TRUE(prints("stage      0") && prints("(1,1,8,8)")) << printed_;
    EXPECT_TRUE(prints("stage      1") && prints("(3,1,8,8)")) << printed_;
    EXPECT_EQ(run("tputwin info net.bmodel"), 0) << printed_;
    EXPECT_TRUE(prints("fp32(1,1,8,8)") && prints("fp32(3,1,8,8)")) << printed_;
    EXPECT_EQ(run("tputwin run net.bmodel --stage 1"), 0) << printed_;
  }
}

TEST_F(CompileOptions, FiguresArePrintedAsJson) {
  for (const char* chip : {"bm1684x", "bm1684"})
    for (const char* more : {"--json", "--json --dry-run", "--type int8 --json --dry-run"}) {
      EXPECT_EQ(run(compile_digits(chip) + more), 0) << more << "\n" << printed_;
      EXPECT_TRUE(prints("predicted_cycles") && prints("weight_bytes")) << more << "\n" << printed_;
      EXPECT_TRUE(prints(chip == std::string("bm1684") ? "\"BM1684\"" : "\"BM1684X\"")) << printed_;
    }
}

TEST_F(CompileOptions, ADryRunListsAllLayers) {
  for (const char* chip : {"bm1684x", "bm1684"}) {
    EXPECT_EQ(run(compile_digits(chip) + "--dry-run -o net.bmodel"), 0) << printed_;
    EXPECT_TRUE(prints("runs on") && prints("on the TPU, 0 on the host")) << printed_;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "net.bmodel"));
  }
}

TEST_F(CompileOptions, EndsMayHaveTheTypeOfTheNet) {
  const std::string ends = " --input-type net --output-type net -o net.bmodel";
  EXPECT_EQ(run(compile_digits("bm1684x") + "--type fp16" + ends), 0) << printed_;
  EXPECT_TRUE(prints("(1,1,8,8) f16") && prints("(1,10) f16")) << printed_;
  EXPECT_EQ(run("tputwin run net.bmodel"), 0) << printed_;
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
  const std::string bytes =
      "--type int8 --table bmnet_digits_calibration_table.pb2 --output-type net --input-type ";
  EXPECT_EQ(run(compile_digits("bm1684x") + bytes + "net -o net.bmodel"), 0) << printed_;
  EXPECT_TRUE(prints("(1,1,8,8) i8 * ")) << printed_;
  EXPECT_EQ(run("tputwin run net.bmodel"), 0) << printed_;
  EXPECT_EQ(run(compile_digits("bm1684") + bytes + "fp32"), 5) << printed_;
  EXPECT_TRUE(prints("output type") && prints("int8 nets of the BM1684 are fp32")) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
