// ONNX nets that end at tensors of the user's choice (--output-names).
#include <fstream>

#include "bmnet_onnx/command.h"
#include "bmnet_onnx/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test::output_names {
namespace {

class OutputNames : public ::testing::Test {
 protected:
  // a = x w, b = relu(a), y = det(b), which no chip has.
  void SetUp() override {
    ModelBuilder b(13);
    b.input("x", {4, 4});
    b.weights("w", {4, 4}, {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, 0, 0, 0, 0, 4});
    b.node("MatMul", {"x", "w"}, {"a"});
    b.node("Relu", {"a"}, {"b"});
    b.node("Det", {"b"}, {"y"});
    b.output("y");
    std::ofstream file(net, std::ios::binary);
    b.model.SerializeToOstream(&file);
    const std::vector<float> values = random_values(16, 5, 0.5f, 1);
    std::ofstream(data, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  const std::string net = at + "net.onnx", data = at + "x.bin";
};

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(OutputNames, EndTheNetInTheirOrder) {
  EXPECT_THAT(tputwin("compile " + net + " --chip bm1684x -o " + at + "n.bmodel"),
              AllOf(HasSubstr("Det"), HasSubstr("--output-names"), HasSubstr("exit 5")));
  for (const std::string chip : {"bm1684x --type fp16", "bm1684", "bm1684x --type int8"}) {
    SCOPED_TRACE(chip);
    std::string table;
    if (chip.ends_with("int8")) {
      EXPECT_THAT(tputwin("calibrate " + net + " --chip bm1684x --output-names b,a --data " + data +
                          " --output " + at),
                  HasSubstr("exit 0"));
      table = " --table " + at + "bmnet_net_calibration_table.pb2";
    }
    EXPECT_THAT(tputwin("compile " + net + " --chip " + chip + table + " --output-names b,n_a -o " +
                        at + "net.bmodel"),
                HasSubstr("exit 0"));
    const std::string ran = tputwin("run " + at + "net.bmodel --input " + data);
    EXPECT_THAT(ran, HasSubstr("exit 0"));
    EXPECT_LT(ran.find("output  b"), ran.find("output  a"));
    EXPECT_EQ(ran.find("output  y"), std::string::npos);
    const std::string dry = "compile --dry-run " + net + " --chip " + chip + " --output-names a";
    if (table.empty()) {
      EXPECT_THAT(tputwin(dry), AllOf(HasSubstr("exit 0"), Not(HasSubstr("relu"))));
    }
  }
}

// A table of a later end has the range of the ReLU for the product before it.
TEST_F(OutputNames, TablesAreOfTheSameEnd) {
  const std::string table = " --table " + at + "bmnet_net_calibration_table.pb2";
  for (const std::string chip : {"bm1880", "bm1684x", "bm1684"}) {
    SCOPED_TRACE(chip);
    const auto calibrate = [&](const std::string& end) {
      return tputwin("calibrate " + net + " --chip " + chip + " --output-names " + end +
                     " --data " + data + " --output " + at);
    };
    const std::string compile = "compile " + net + " --chip " + chip +
                                (chip == "bm1880" ? "" : " --type int8") + table +
                                " --output-names a -o " + at + "a.bmodel";
    EXPECT_THAT(calibrate("b"), HasSubstr("exit 0"));
    EXPECT_THAT(tputwin(compile), AllOf(HasSubstr("it has b, whose range may stand for a"),
                                        HasSubstr("calibrate with the same --output-names")));
    EXPECT_THAT(calibrate("a"), HasSubstr("exit 0"));
    EXPECT_THAT(tputwin(compile), HasSubstr("exit 0"));
  }
}

// Exporters write constants as nodes, too.
TEST_F(OutputNames, TablesOfConstantFactorsAreOfAnotherEnd) {
  ModelBuilder b(13);
  b.input("x", {4, 4});
  b.weights("w", {4, 4}, random_values(16, 3));
  b.node("MatMul", {"x", "w"}, {"a"});
  ModelBuilder::set(b.node("Constant", {}, {"factor"}), "value_float", 0.25f);
  b.node("Mul", {"a", "factor"}, {"b"});
  b.output("b");
  std::ofstream file(net, std::ios::binary);
  b.model.SerializeToOstream(&file);
  file.close();
  EXPECT_THAT(tputwin("calibrate " + net + " --chip bm1684 --data " + data + " --output " + at),
              HasSubstr("exit 0"));
  EXPECT_THAT(tputwin("compile " + net + " --chip bm1684 --type int8 --table " + at +
                      "bmnet_net_calibration_table.pb2 --output-names a"),
              HasSubstr("it has b, whose range may stand for a"));
}

TEST_F(OutputNames, NamesThatThereAreNotAreRefused) {
  const std::string compile = "compile " + net + " --chip bm1684x --output-names ";
  EXPECT_THAT(tputwin(compile + "n_"),
              AllOf(HasSubstr("--output-names (ImportOptions::outputs) = n_"),
                    HasSubstr("such as y"), HasSubstr("exit 2")));
  EXPECT_THAT(tputwin(compile + "''"), Not(HasSubstr("exit 0")));
  EXPECT_THAT(tputwin(compile + "x"), HasSubstr("a tensor, or a node of its own name"));
  EXPECT_THAT(tputwin(compile + "a,n_a"), HasSubstr("each tensor once"));
  EXPECT_THAT(tputwin("compile --prototxt " TPUTWIN_SOURCE_DIR
                      "/models/lenet_fashion.prototxt --caffemodel " TPUTWIN_SOURCE_DIR
                      "/models/lenet_fashion.caffemodel --chip bm1684x --output-names ip1"),
              HasSubstr("only an ONNX file is cut"));
}

}  // namespace
}  // namespace tputwin::test::output_names
