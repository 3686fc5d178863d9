// Options of `tputwin compile` that contradict each other, or say nothing, are refused.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "tools/bm168x/npy.h"
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
  const std::string types =
      "echo 'layer { name: \"conv1\" type: \"int8\" } layer { name: \"none\" type: \"bf16\" } "
      "layer { name: \"conv2\" type: \"fp32\" }' > types.prototxt; ";
  EXPECT_EQ(run(types + line + " --type fp16 --table types.prototxt"), 0) << printed_;
  EXPECT_TRUE(prints("type int8 of layer conv1 in the table is not used: bytes need --type int8") &&
              prints("type bf16 of layer none in the table is not used: the net has no such layer"))
      << printed_;
  EXPECT_FALSE(prints("of layer conv2")) << printed_;
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

// The message names the sample whose numbers are not finite.
TEST_F(CompileOptions, SamplesAreFinite) {
  Array samples{.shape = {3, 1, 8, 8}, .bytes = std::vector<uint8_t>(3 * 64 * sizeof(float))};
  const float nan = std::nanf("");
  std::memcpy(&samples.bytes[(2 * 64 + 5) * sizeof(float)], &nan, sizeof nan);
  ASSERT_TRUE(write_bytes((directory_ / "samples.npy").string(), write_npy(samples)).ok());
  EXPECT_NE(run(fmt::format("tputwin calibrate {0}digits.prototxt {0}digits.caffemodel "
                            "--data samples.npy --output .",
                            TPUTWIN_SOURCE_DIR "/models/")),
            0);
  EXPECT_TRUE(prints("sample 2 of input data has the value nan")) << printed_;
}

// Calibration for the chip searches types of layers, and compilation takes its table.
TEST_F(CompileOptions, TakeTheTableOfTheChip) {
  const std::string models = TPUTWIN_SOURCE_DIR "/models/";
  const std::string net = fmt::format("{0}digits.prototxt {0}digits.caffemodel", models);
  const std::string calibrate = fmt::format(
      "tputwin calibrate {} --data {}digits-test-images-idx3-ubyte.gz --scale 0.00390625 "
      "--samples 64 --chip bm1684x --output . --report report.json --reach ",
      net, models);
  for (const char* wrong : {"nan", "1.5", "-1", "all"}) {
    EXPECT_EQ(run(calibrate + wrong), 2) << printed_;
    EXPECT_TRUE(prints("is not a number from 0 to 1")) << printed_;
  }
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
  const std::string any =
      "sed -e '/^chip/d' -e '/^floats/d' -e '/^  type/d' bmnet_digits_calibration_table.prototxt "
      "> any.prototxt; ";
  EXPECT_EQ(
      run(any + compile_digits("bm1684") + "--type int8 --table any.prototxt --output-type net"), 5)
      << printed_;
  EXPECT_TRUE(prints("output type") && prints("int8 nets of the BM1684 are fp32")) << printed_;
}

// Thresholds of one chip do not suit another one. Tables without a chip may be for any.
TEST_F(CompileOptions, RefuseTheTableOfAnotherChip) {
  const std::string models = TPUTWIN_SOURCE_DIR "/models/";
  const std::string chips[] = {"bm1880", "bm1684", "bm1684x"};
  for (const std::string& chip : chips) {
    EXPECT_EQ(run(fmt::format("tputwin calibrate {0}digits.prototxt {0}digits.caffemodel --data "
                              "{0}digits-test-images-idx3-ubyte.gz --scale 0.00390625 --samples 8 "
                              "--chip {1} --output {1} && "
                              "sed '/^chip:/d' {1}/bmnet_digits_calibration_table.prototxt > "
                              "{1}/any.prototxt",
                              models, chip)),
              0)
        << printed_;
  }
  for (const std::string& of_table : chips)
    for (const std::string& chip : chips) {
      const std::string compile =
          compile_digits(chip.c_str()) + (chip == "bm1880" ? "" : "--type int8 ") + "--table ";
      const std::string table = of_table + "/bmnet_digits_calibration_table.";
      for (const char* form : {"pb2", "prototxt"}) {
        if (chip == of_table) {
          EXPECT_EQ(run(compile + table + form), 0) << printed_;
          continue;
        }
        EXPECT_NE(run(compile + table + form), 0) << of_table << " for " << chip;
        EXPECT_TRUE(prints("TW-NET-0316 table " + table + form + ": chip = " + of_table) &&
                    prints("calibrate again with --chip " + chip))
            << printed_;
      }
      // Types of the BM1684X are refused all the same.
      const bool has_types = of_table == "bm1684x" && chip != of_table;
      EXPECT_EQ(run(compile + of_table + "/any.prototxt"), has_types ? 5 : 0) << printed_;
    }
  const std::string fp32 = compile_digits("bm1684") + "--type fp32 --table ";
  EXPECT_NE(run(fp32 + "bm1684x/bmnet_digits_calibration_table.pb2"), 0);
  EXPECT_TRUE(prints("TW-NET-0316") && prints("need no table")) << printed_;
}

// Layers without bytes have floats of the chip.
TEST_F(CompileOptions, RefuseFloatsThatTheChipLacks) {
  const std::pair<std::string, std::vector<std::string>> chips[] = {
      {"bm1684", {"int8", "fp64", "fp16"}}, {"bm1684x", {"int8", "fp64", "float"}}};
  for (const auto& [chip, wrong] : chips)
    for (const std::string& floats : wrong) {
      const std::string table =
          fmt::format("echo 'floats: \"{}\" layer {{ name: \"conv1\" }}' > t; ", floats);
      EXPECT_EQ(run(table + compile_digits(chip.c_str()) + "--type int8 --table t"), 5);
      EXPECT_TRUE(prints("TW-NET-0317 table: floats = " + floats)) << printed_;
      EXPECT_TRUE(prints(chip == "bm1684" ? "one of: fp32;" : "one of: fp32, fp16, bf16;"))
          << printed_;
    }
}

TEST_F(CompileOptions, TakeNetsWithoutWeights) {
  const std::string net =
      "name: 'net' input: 'x' input_shape { dim: 1 dim: 2 dim: 4 dim: 4 } layer { name: 'p' type: "
      "'Pooling' bottom: 'x' top: 'p' pooling_param { kernel_size: 2 stride: 2 } }";
  for (const char* chip : {"bm1684", "bm1684x"}) {
    EXPECT_EQ(
        run(fmt::format(
            "echo \"{}\" > net.prototxt; printf '\\242\\006\\014\\012\\001p\\022\\007Pooling' > "
            "net.caffemodel; tputwin compile --prototxt net.prototxt "
            "--caffemodel net.caffemodel --chip {} -o net.bmodel && "
            "tputwin run net.bmodel",
            net, chip)),
        0)
        << printed_;
    EXPECT_TRUE(prints("output  p fp32(1,2,2,2)")) << printed_;
  }
}

// Only tables for other chips give types to layers.
TEST_F(CompileOptions, RefuseTypesThatTheChipLacks) {
  const std::string table = "echo 'layer { name: \"conv1\" type: \"fp16\" }' > table.prototxt; ";
  const std::string options = "--table table.prototxt";
  EXPECT_NE(run(table + compile_digits("bm1880") + options), 0);
  EXPECT_TRUE(prints("TW-NET-0316") && prints("type of layer conv1 = fp16")) << printed_;
  EXPECT_NE(run(compile_digits("bm1684") + options), 0);
  EXPECT_TRUE(prints("TW-NET-0317 layer conv1: type = fp16") &&
              prints("the bm1684 computes in fp32 and int8") && prints("docs/compiler-bm1684.md"))
      << printed_;
  EXPECT_EQ(run(compile_digits("bm1684x") + options), 0) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
