// An ONNX net in the steps of a user: calibrated, compiled, run and evaluated by `tputwin`.
#include <filesystem>
#include <fstream>

#include "bmnet_onnx/command.h"
#include "bmnet_onnx/export.h"
#include "bmnet_onnx/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

const std::string kImages = "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";

void expect(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << ":\n" << text;
}

class OnnxTool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kImages)) GTEST_SKIP() << "no " << kImages;
    const std::string stem = TPUTWIN_SOURCE_DIR "/models/lenet_fashion";
    auto caffe = net::load_caffe(stem + ".prototxt", stem + ".caffemodel");
    ASSERT_TRUE(caffe.ok()) << caffe.status().message();
    std::ofstream file(folder / "net.onnx", std::ios::binary);
    to_onnx(*caffe).SerializeToOstream(&file);
  }
  tputwin::testing::TemporaryDirectory folder;
};

TEST_F(OnnxTool, CalibratesCompilesRunsAndEvaluates) {
  const std::string at = folder.path().string() + "/";
  const std::string data = " --data " + kImages + " --scale 0.00390625";
  expect(tputwin("calibrate " + at + "net.onnx" + data + " --samples 64 --output " + at + "int8"),
         {"bmnet_net_int8.caffemodel", "bmnet_net_calibration_table.pb2", "exit 0"});
  // Both ways of Caffe: the int8 net, and the float net with the table.
  expect(tputwin("compile --caffemodel " + at + "int8/bmnet_net_int8.caffemodel --table " + at +
                 "int8/bmnet_net_calibration_table.pb2 --batch 10 -o " + at + "int8.bmodel"),
         {"predicted", "exit 0"});
  expect(tputwin("compile " + at + "net.onnx --table " + at +
                 "int8/bmnet_net_calibration_table.pb2 -o " + at + "net.bmodel"),
         {"predicted", "exit 0"});
  std::ofstream(at + "image.bin", std::ios::binary) << std::string(784, '\x20');
  expect(tputwin("run " + at + "net.bmodel --input " + at + "image.bin"), {"exit 0"});
  expect(tputwin("run " + at + "net.onnx --table " + at +
                 "int8/bmnet_net_calibration_table.pb2 --input " + at + "image.bin"),
         {"exit 0"});
  expect(
      tputwin("eval " + at + "net.onnx --bmodel " + at + "int8.bmodel" + data + " --samples 200"),
      {"samples 200", "agree", "exit 0"});
  expect(tputwin("eval " + at + "net.onnx --layers --samples 2" + data + " --int8-caffemodel " +
                 at + "int8/bmnet_net_int8.caffemodel --table " + at +
                 "int8/bmnet_net_calibration_table.pb2"),
         {"tg_convolution", "exit 0"});
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A product with the mean of all samples, and one with that of each sample.
void write_means(const std::string& path, bool is_of_all) {
  ModelBuilder builder(17);
  builder.input("x", {-1, 4, 5});
  auto& mean = builder.node("ReduceMean", {"x"}, {"m"});
  if (!is_of_all) ModelBuilder::set(mean, "axes", std::vector<int64_t>{1, 2});
  builder.node("Mul", {"x", "m"}, {"y"});
  builder.output("y");
  std::ofstream file(path, std::ios::binary);
  builder.model.SerializeToOstream(&file);
}

void write_floats(const std::string& path, size_t count) {
  const std::vector<float> values = random_values(count, 7, 0, 1);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(count * sizeof(float)));
}

class OnnxToolBatch : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { write_floats(at + "x.bin", 60); }
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
};

TEST_P(OnnxToolBatch, GivesTheFileOfTheShape) {
  const std::string chip = std::string(" --chip ") + GetParam(), net = at + "net.onnx";
  for (const bool is_of_all : {true, false}) {
    write_means(net, is_of_all);
    expect(tputwin("calibrate " + net + chip + " --shape 3,4,5 --data " + at + "x.bin --output " +
                   at + "c"),
           {"exit 0"});
    const std::string line =
        "compile " + net + chip + " --table " + at + "c/bmnet_net_calibration_table.pb2";
    expect(tputwin(line + " --batch 3 -o " + at + "batch.bmodel"), {"exit 0"});
    expect(tputwin(line + " --shape 3,4,5 -o " + at + "shape.bmodel"), {"exit 0"});
    EXPECT_FALSE(bytes_of(at + "batch.bmodel").empty());
    EXPECT_EQ(bytes_of(at + "batch.bmodel"), bytes_of(at + "shape.bmodel"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Chips, OnnxToolBatch, ::testing::Values("bm1880", "bm1684x --type int8", "bm1684 --type int8"),
    [](const auto& info) {
      return std::string(info.param).substr(0, std::string(info.param).find(' '));
    });

// The int8 file of the BM1880 no longer has the nodes of ONNX.
TEST(OnnxToolInt8, KeepsTheBatchThatItsLayersDependOn) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  write_floats(at + "x.bin", 60);
  for (const bool is_of_all : {true, false}) {
    write_means(at + "net.onnx", is_of_all);
    expect(tputwin("calibrate " + at + "net.onnx --data " + at + "x.bin --output " + at + "c"),
           {"exit 0"});
    const std::string line = "compile --caffemodel " + at + "c/bmnet_net_int8.caffemodel --table " +
                             at + "c/bmnet_net_calibration_table.pb2 -o " + at + "net.bmodel";
    expect(tputwin(line), {"exit 0"});
    if (is_of_all)
      expect(tputwin(line + " --batch 3"), {"TW-NET-0113", "(1,4,5)", "--shape", "exit 3"});
    else
      expect(tputwin(line + " --batch 3"), {"exit 0"});
  }
}

// Writes an array of NumPy.
template <class Value>
void write_npy(const std::string& path, const std::string& type, const std::string& shape,
               const std::vector<Value>& values) {
  constexpr size_t kHeader = 128;
  std::string text = "\x93NUMPY\x01";
  text += std::string(1, '\0') + std::string(1, static_cast<char>(kHeader - 10)) + '\0';
  text += "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.resize(kHeader - 1, ' ');
  text += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Value)));
}

// Each of two inputs of one shape has its own samples: the label is where a - b is the largest.
TEST(OnnxToolInputs, AreEvaluatedByName) {
  constexpr size_t kSamples = 12, kClasses = 7;
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("a", {1, kClasses});
  builder.input("b", {1, kClasses});
  builder.node("Sub", {"a", "b"}, {"y"});
  builder.output("y");
  {
    std::ofstream file(at + "net.onnx", std::ios::binary);
    builder.model.SerializeToOstream(&file);
  }
  std::vector<float> a(kSamples * kClasses), b(a.size());
  std::vector<int64_t> labels;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 37 % 23);
    b[i] = static_cast<float>(i * 29 % 31) / 2;
  }
  for (size_t s = 0; s < kSamples; ++s) {
    size_t best = 0;
    const auto value = [&](size_t c) { return a[s * kClasses + c] - b[s * kClasses + c]; };
    for (size_t c = 1; c < kClasses; ++c)
      if (value(c) > value(best)) best = c;
    labels.push_back(static_cast<int64_t>(best));
  }
  const std::string shape = "(12, 7)";
  write_npy(at + "a.npy", "<f4", shape, a);
  write_npy(at + "b.npy", "<f4", shape, b);
  write_npy(at + "labels.npy", "<i8", "(12,)", labels);
  for (const std::string chip : {"bm1684x", "bm1684"}) {
    expect(tputwin("compile " + at + "net.onnx --chip " + chip + " -o " + at + "net.bmodel"),
           {"exit 0"});
    expect(tputwin("eval " + at + "net.onnx --bmodel " + at + "net.bmodel --devices 2 --data b=" +
                   at + "b.npy --data a=" + at + "a.npy --data labels=" + at + "labels.npy"),
           {"model    100.00 %  12 right", "top-5   float 100.00 %, model 100.00 %", "exit 0"});
  }
}

// With scales 1/64 and 1/32, y = x / 2 in bytes; 0 where x is negative.
TEST(OnnxToolQuantized, CompilesRunsAndCalibratesTheRest) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 2, 2});
  builder.weights("sx", {}, {1.0f / 64});
  builder.weights("sy", {}, {1.0f / 32});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "sx", "zero"}, {"xq"});
  builder.node("DequantizeLinear", {"xq", "sx", "zero"}, {"xd"});
  builder.node("Relu", {"xd"}, {"r"});
  builder.weights("w", {1, 1, 1, 1}, {1});
  builder.node("Conv", {"r", "w"}, {"c"});
  builder.node("QuantizeLinear", {"c", "sy", "zero"}, {"cq"});
  builder.node("DequantizeLinear", {"cq", "sy", "zero"}, {"y"});
  builder.output("y");
  const auto write = [&](const std::string& name) {
    std::ofstream file(at + name, std::ios::binary);
    builder.model.SerializeToOstream(&file);
  };
  write("qdq.onnx");
  std::ofstream(at + "x.bin", std::ios::binary) << std::string("\x40\xc0\x7e\x02");
  std::ofstream(at + "y.bin", std::ios::binary) << std::string("\x20\x00\x3f\x01", 4);
  expect(tputwin("compile " + at + "qdq.onnx -o " + at + "qdq.bmodel"), {"predicted", "exit 0"});
  for (const char* model : {"qdq.bmodel", "qdq.onnx"})
    expect(tputwin("run " + at + model + " --input " + at + "x.bin --compare " + at + "y.bin"),
           {"all 4 bytes equal", "exit 0"});
  // Another tensor without scales: calibrate measures it.
  builder.node("Conv", {"y", "w"}, {"s"});
  builder.model.mutable_graph()->clear_output();
  builder.output("s");
  write("part.onnx");
  expect(tputwin("run " + at + "part.onnx --input " + at + "x.bin"), {"TW-NET-0701"});
  expect(tputwin("calibrate " + at + "part.onnx --data-kind raw --raw-type i8 --data " + at +
                 "x.bin --scale 0.015625 --output " + at + "int8"),
         {"exit 0"});
  expect(tputwin("run " + at + "part.onnx --table " + at +
                 "int8/bmnet_part_calibration_table.pb2 --input " + at + "x.bin"),
         {"exit 0"});
  expect(tputwin("run " + at + "qdq.bmodel --table " + at + "t.pb2 --input " + at + "x.bin"),
         {"NET.onnx"});
}

// Writes an array of NumPy: `type` is that of numpy's elements.
template <class Element = float>
void write_npy(const std::string& path, const std::string& shape,
               const std::vector<Element>& values, const std::string& type = "<f4") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(118, ' ');
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY\x01" << '\0' << '\x76' << '\0' << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Element)));
}

// Each input has samples of its own.
TEST(OnnxToolInputs, CalibratesSeveral) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 3, 3});
  builder.input("z", {1, 2, 1, 1});
  builder.weights("w", {2, 2, 1, 1}, {0.5f, 0.25f, -0.5f, 1});
  builder.node("Conv", {"x", "w"}, {"c"});
  builder.node("Mul", {"c", "z"}, {"y"});
  builder.output("y");
  std::ofstream(at + "net.onnx", std::ios::binary) << builder.model.SerializeAsString();
  write_npy(at + "x.npy", "4, 2, 3, 3", random_values(72, 1));
  write_npy(at + "z.npy", "4, 2, 1, 1", random_values(8, 2, -20, 20));
  write_npy(at + "short.npy", "3, 2, 1, 1", random_values(6, 2));
  const std::string calibrate =
      "calibrate " + at + "net.onnx --method max --output " + at + "int8 ";
  const std::string x = "--data x=" + at + "x.npy ", z = "--data z=" + at + "z.npy ";
  expect(tputwin(calibrate + z + x), {"exit 0"});
  std::ifstream table(at + "int8/bmnet_net_calibration_table.prototxt");
  const std::string text{std::istreambuf_iterator<char>(table), {}};
  EXPECT_NE(text.find("threshold_y: 1"), std::string::npos) << text;  // of z: up to 20
  expect(tputwin(calibrate + "--data " + at + "x.npy --data " + at + "z.npy"), {"exit 0"});
  expect(tputwin("eval " + at + "net.onnx --layers --int8-caffemodel " + at +
                 "int8/bmnet_net_int8.caffemodel --table " + at +
                 "int8/bmnet_net_calibration_table.pb2 " + x + z),
         {"tg_convolution", "exit 0"});
  expect(tputwin(calibrate + x + z + "--require 1"),
         {"TW-NET-0314 output y: cosine", "the first tensor below it", "exit 6"});
  expect(tputwin(calibrate + x + z + "--require 0.9"), {"exit 0"});
  expect(tputwin("eval " + at + "net.onnx --bmodel none " + x + z), {"none", "exit 3"});
  expect(tputwin(calibrate + x), {"TW-NET-0601", "x, z", "INPUT=PATH", "exit 3"});
  expect(tputwin(calibrate + x + "--data z=" + at + "short.npy"),
         {"TW-NET-0601", "samples of z", "exit 3"});
  expect(tputwin(calibrate + x + "--data z=" + at + "x.npy"), {"TW-NET-0602", "exit 3"});
  expect(tputwin(calibrate + x + x + z), {"TW-NET-0601", "given 3 times", "exit 3"});
  expect(tputwin(calibrate + x + z + "--scale 0.5"), {"TW-NET-0701", "as they are", "exit 2"});
}

// Inputs of booleans and fp16 take arrays of these types, and of others.
TEST(OnnxToolInputs, TakesBooleansAndHalves) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("m", {1, 2, 1, 2}, onnx::TensorProto::BOOL);
  builder.input("x", {1, 2, 1, 2}, onnx::TensorProto::FLOAT16);
  builder.weights("zero", {}, {0});
  builder.node("Where", {"m", "x", "zero"}, {"y"});
  builder.output("y");
  std::ofstream(at + "net.onnx", std::ios::binary) << builder.model.SerializeAsString();
  const std::vector<uint16_t> halves = {0x3c00, 0xbc00, 0x3800, 0xb800};  // 1, -1, 0.5, -0.5
  write_npy<uint8_t>(at + "m.npy", "1, 2, 1, 2", {1, 0, 0, 1}, "|b1");
  write_npy(at + "x.npy", "1, 2, 1, 2", halves, "<f2");
  write_npy(at + "wide.npy", "1, 2, 1, 2", {1, -1, 0.5f, -0.5f});
  const std::string m = " --data m=" + at + "m.npy";
  for (const char* x : {"x.npy", "wide.npy"})
    expect(tputwin("calibrate " + at + "net.onnx" + m + " --data x=" + at + x + " --output " + at +
                   "int8"),
           {"exit 0"});
  const std::string table = at + "int8/bmnet_net_calibration_table.pb2";
  expect(
      tputwin("eval " + at + "net.onnx --layers --int8-caffemodel " + at +
              "int8/bmnet_net_int8.caffemodel --table " + table + m + " --data x=" + at + "x.npy"),
      {"tg_arithmetic", "exit 0"});
  expect(tputwin("compile " + at + "net.onnx --chip BM1684X -o " + at + "x.bmodel"), {"exit 0"});
  for (const char* x : {"x.npy", "wide.npy"})
    expect(tputwin("run " + at + "x.bmodel --input " + at + "m.npy --input " + at + x),
           {"fp32(1,2,1,2): 1 0 0 -0.5", "exit 0"});
}

// Where first extents differ, as those of a state do, a sample is all of each input.
TEST(OnnxToolInputs, FirstExtentsMayDiffer) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("x", {3, 2});
  builder.input("h", {1, 2});
  builder.node("Add", {"x", "h"}, {"y"});
  builder.output("y");
  std::ofstream(at + "net.onnx", std::ios::binary) << builder.model.SerializeAsString();
  write_npy(at + "x.npy", "4, 3, 2", random_values(24, 1));
  write_npy(at + "h.npy", "4, 1, 2", random_values(8, 2));
  write_npy(at + "flat.npy", "4, 2", random_values(8, 2));
  const std::string calibrate = "calibrate " + at + "net.onnx --output " + at +
                                "int8 --data h=" + at + "h.npy --data x=" + at;
  expect(tputwin(calibrate + "x.npy"), {"exit 0"});
  expect(tputwin(calibrate + "flat.npy"), {"TW-NET-0602", "of 6 values each", "exit 3"});
  expect(tputwin(calibrate + "x.npy --data-kind raw"), {"TW-NET-0701", "exit 2"});
  std::filesystem::copy(at + "x.npy", at + "x.raw");
  expect(tputwin(calibrate + "x.raw --data-kind raw"), {"TW-NET-0602", "give an array", "exit 3"});
}

// Outputs are in the file's order up to the bytes of a run, with and without calibration.
TEST(OnnxToolOutputs, KeepOrderAndNames) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 2});
  builder.weights("v", {1, 1, 1, 1}, {0.5f});
  builder.weights("w", {3, 1, 1, 1}, {1, 1, 1});
  builder.node("Conv", {"x", "v"}, {"small"});
  builder.node("Conv", {"x", "w"}, {"large"});
  builder.node("Relu", {"large"}, {"positive"});
  builder.output("large");
  builder.output("small");
  builder.output("positive");
  {
    std::ofstream file(at + "net.onnx", std::ios::binary);
    builder.model.SerializeToOstream(&file);
  }
  std::ofstream(at + "x.bin", std::ios::binary) << std::string("\x40\xc0");
  expect(tputwin("calibrate " + at + "net.onnx --data-kind raw --raw-type i8 --data " + at +
                 "x.bin --scale 0.015625 --output " + at + "int8"),
         {"exit 0"});
  const std::string table = " --table " + at + "int8/bmnet_net_calibration_table.pb2";
  for (const std::string& from :
       {at + "net.onnx", "--caffemodel " + at + "int8/bmnet_net_int8.caffemodel"}) {
    expect(tputwin("compile " + from + table + " -o " + at + "net.bmodel"),
           {"output     large (1,3,1,2)", "\noutput     small (1,1,1,2)",
            "\noutput     positive (1,3,1,2)", "exit 0"});
    expect(tputwin("run " + at + "net.bmodel --input " + at + "x.bin --output " + at + "y.bin"),
           {"output  large", "\noutput  small", "\noutput  positive", "exit 0"});
    std::ifstream file(at + "y.bin", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_EQ(bytes.size(), 14u);
    for (size_t i = 0; i < 6; i += 2) {
      EXPECT_NEAR(bytes[i], 64, 1) << from;
      EXPECT_NEAR(bytes[i + 1], -64, 1) << from;
      EXPECT_NEAR(bytes[8 + i], 64, 1) << from;
      EXPECT_EQ(bytes[9 + i], 0) << from;
    }
  }
}

TEST_F(OnnxTool, ReportsWhatIsMissing) {
  const std::string at = folder.path().string() + "/";
  expect(tputwin("compile " + at + "net.onnx -o " + at + "net.bmodel"),
         {"TW-NET-0701", "threshold", "tputwin calibrate"});
  expect(tputwin("calibrate " + at + "net.prototxt"), {"CAFFEMODEL"});
  expect(tputwin("compile -o " + at + "net.bmodel"), {"NET.onnx"});
}

}  // namespace
}  // namespace tputwin::test
