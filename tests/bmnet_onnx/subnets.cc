// Nodes that become operators of the host, for models of subnets: in float they have ONNX's values,
// with the extents of the run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const net::ImportOptions kSubnets{.has_subnets = true};

// The end of a detector: rows (image, box, class) of what was found.
ModelBuilder detector() {
  ModelBuilder b(13);
  b.input("boxes", {1, 4, 4});
  b.input("scores", {1, 2, 4});
  b.integers("most", {1}, {3});
  b.weights("iou", {1}, {0.5f});
  b.weights("least", {1}, {0.3f});
  b.node("NonMaxSuppression", {"boxes", "scores", "most", "iou", "least"}, {"found"});
  b.integers("column", {}, {2});
  ModelBuilder::set(b.node("Gather", {"found", "column"}, {"box"}), "axis", int64_t{1});
  b.integers("first", {1}, {0});
  b.node("Squeeze", {"boxes", "first"}, {"rows"});
  b.node("Gather", {"rows", "box"}, {"y"});
  b.output("y");
  return b;
}

const Blobs kDetections{
    {"boxes", {{1, 4, 4}, {0, 0, 10, 10, 0, 0, 10, 9, 20, 20, 30, 30, 50, 50, 60, 60}}},
    {"scores", {{1, 2, 4}, {0.9f, 0.8f, 0.7f, 0.1f, 0.1f, 0.2f, 0.1f, 0.6f}}}};

TEST(OnnxSubnets, ADetectorEndsInWhatItFound) {
  auto network = import(detector().model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_float(*network, kDetections);
  ASSERT_TRUE(results.ok()) << results.status().message();
  // The second box overlaps the first one of class 0; class 1 has one box.
  EXPECT_EQ(results->at("y").shape, (std::vector<int64_t>{3, 4}));
  EXPECT_THAT(results->at("y").data, ElementsAre(0, 0, 10, 10, 20, 20, 30, 30, 50, 50, 60, 60));
}

TEST(OnnxSubnets, OtherChipsHaveNone) {
  auto network = import(detector().model);
  ASSERT_FALSE(network.ok());
  EXPECT_THAT(network.status().message(), HasSubstr("the chip has no operation for it"));
}

TEST(OnnxSubnets, IntegersAreExact) {
  ModelBuilder b(13);
  b.input("ids", {1, 3}, onnx::TensorProto::INT64);
  b.weights("table", {5, 2}, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41});
  b.integers("five", {}, {5});
  b.node("Mod", {"ids", "five"}, {"rest"});
  b.node("Div", {"ids", "five"}, {"whole"});
  b.node("Gather", {"table", "rest"}, {"rows"});
  b.output("rows");
  b.output("whole");
  auto network = import(b.model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_float(*network, {{"ids", {{1, 3}, {7, 16777204, 3}}}});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT(results->at("rows").data, ElementsAre(20, 21, 40, 41, 30, 31));
  EXPECT_THAT(results->at("whole").data, ElementsAre(1, 3355440, 0));
  EXPECT_THAT(import(b.model).status().message(), HasSubstr("make the input one of floats"));
}

// Sums that stay below 2^24 are a product on the chip, larger ones exact sums on the host.
TEST(OnnxSubnets, CumulativeSumsOfIntegersAreExact) {
  ModelBuilder b(14);
  b.input("ids", {2, 3}, onnx::TensorProto::INT64);
  b.integers("axis", {}, {-1});
  auto& node = b.node("CumSum", {"ids", "axis"}, {"sums"});
  ModelBuilder::set(node, "exclusive", int64_t{1});
  ModelBuilder::set(node, "reverse", int64_t{1});
  b.output("sums");
  auto network = import(b.model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Blobs inputs{{"ids", {{2, 3}, {5, 16777215, 1, -3, 16777216, -16777215}}}};
  auto results = run_float(*network, inputs);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT(results->at("sums").data, ElementsAre(16777216, 1, 0, 1, -16777215, 0));
  auto too_large = run_float(*network, {{"ids", {{2, 3}, {0, 16777216, 1, 0, 0, 0}}}});
  EXPECT_THAT(too_large.status().message(), HasSubstr("not 16777217"));
}

// Rows whose number is known at run time: those of x, (3,2), whose first element is above 0.
ModelBuilder found_rows(int64_t opset = 13) {
  ModelBuilder b(opset);
  b.input("x", {3, 2});
  b.integers("column", {}, {0});
  ModelBuilder::set(b.node("Gather", {"x", "column"}, {"first"}), "axis", int64_t{1});
  b.weights("zero", {}, {0});
  b.node("Greater", {"first", "zero"}, {"is_found"});
  b.node("NonZero", {"is_found"}, {"places"});
  b.integers("all", {1}, {-1});
  b.node("Reshape", {"places", "all"}, {"rows"});
  b.node("Gather", {"x", "rows"}, {"found"});
  return b;
}
const Blobs kRows{{"x", {{3, 2}, {1, 2, -3, 4, 5, -6}}}};

std::vector<float> of_found(ModelBuilder& b, const char* type,
                            std::initializer_list<const char*> more = {}) {
  std::vector<std::string> inputs{"found"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  b.node(type, inputs, {"y"});
  b.output("y");
  auto network = import(b.model, kSubnets);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto results = run_float(*network, kRows);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? results->at("y").data : std::vector<float>();
}

TEST(OnnxSubnets, FunctionsAndReductionsOfWhatWasFound) {
  ModelBuilder relu = found_rows(), squares = found_rows(), size = found_rows();
  EXPECT_THAT(of_found(relu, "LeakyRelu"), ElementsAre(1, 2, 5, ::testing::FloatEq(0.01f * -6)));
  EXPECT_THAT(of_found(squares, "ReduceSumSquare"), ElementsAre(1 + 4 + 25 + 36));
  EXPECT_THAT(of_found(size, "Size"), ElementsAre(4));
  ModelBuilder clip = found_rows();
  EXPECT_THAT(of_found(clip, "Clip"), ElementsAre(1, 2, 5, -6));
}

// The result of a ScatterElements has the extents of its data, whatever the updates have, so that
// the chip goes on with it.
TEST(OnnxSubnets, ScatteredRowsHaveTheExtentsOfTheData) {
  ModelBuilder b = found_rows();
  b.weights("nothing", {3, 2}, {0, 0, 0, 0, 0, 0});
  b.integers("column_shape", {2}, {-1, 1});
  b.node("Reshape", {"rows", "column_shape"}, {"column_of_rows"});
  b.node("Shape", {"found"}, {"extents"});
  b.node("Expand", {"column_of_rows", "extents"}, {"wide"});
  b.node("ScatterElements", {"nothing", "wide", "found"}, {"whole"});
  b.weights("w", {2, 1}, {1, 10});
  b.node("MatMul", {"whole", "w"}, {"y"});
  b.output("y");
  auto network = import(b.model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_float(*network, kRows);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT(results->at("y").data, ElementsAre(21, 0, -55));
}

size_t count_of_host(const net::Network& network, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(network.ops, [&](const net::TensorOp& op) {
    return op.tg_host_param().text().starts_with(name);
  }));
}

// The chip computes all rows that there may be. Only what has other readers is cut.
TEST(OnnxSubnets, LayersWithWeightsFollowWhatWasFound) {
  ModelBuilder b = found_rows();
  b.weights("w", {2, 2}, {1, 0, 1, -1});
  b.weights("bias", {2}, {0.5f, -0.5f});
  b.weights("last", {2, 1}, {1, 10});
  b.node("Gemm", {"found", "w", "bias"}, {"hidden"});
  b.node("Relu", {"hidden"}, {"positive"});
  b.node("MatMul", {"positive", "last"}, {"y"});
  b.output("y");
  auto network = import(b.model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(count_of_host(*network, "fill open=1 shape=3,2"), 1u);
  EXPECT_EQ(count_of_host(*network, "slice"), 1u);
  EXPECT_EQ(count_of_host(*network, "unary op=relu"), 0u);
  auto results = run_float(*network, kRows);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->at("y").shape, (std::vector<int64_t>{2, 1}));
  // (1,2) gives (3.5,-2.5), and (5,-6) gives (-0.5,5.5).
  EXPECT_THAT(results->at("y").data, ElementsAre(3.5f, 55));
  auto none = run_float(*network, {{"x", {{3, 2}, {-1, 2, -3, 4, -5, -6}}}});
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_EQ(none->at("y").shape, (std::vector<int64_t>{0, 1}));
}

// A map may lack samples, but no rows: their neighbours would be others.
TEST(OnnxSubnets, MapsOfWhatWasFoundHaveAllTheirRows) {
  ModelBuilder b = found_rows();
  b.integers("shape", {4}, {1, 1, -1, 2});
  b.node("Reshape", {"found", "shape"}, {"map"});
  b.weights("w", {1, 1, 1, 1}, {2});
  b.node("Conv", {"map", "w"}, {"y"});
  b.output("y");
  auto network = import(b.model, kSubnets);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Blobs all{{"x", {{3, 2}, {1, 2, 3, 4, 5, -6}}}};
  auto results = run_float(*network, all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT(results->at("y").data, ElementsAre(2, 4, 6, 8, 10, -12));
  EXPECT_THAT(run_float(*network, kRows).status().message(),
              HasSubstr("axes from 1 on have the extents (1,1,3,2), not (1,1,2,2)"));
}

TEST(OnnxSubnets, RefusalsNameWhereExtentsComeFrom) {
  ModelBuilder b = found_rows(14);
  b.node("Trilu", {"found"}, {"y"});
  b.output("y");
  const std::string message = import(b.model, kSubnets).status().message();
  EXPECT_THAT(message, HasSubstr("its input found are known at run time only, after n_places"));
  EXPECT_THAT(message, HasSubstr("cut the net before n_y"));
}

TEST(OnnxSubnets, IntegersAreConstantOutputs) {
  ModelBuilder b(13);
  b.input("x", {2, 3});
  b.node("Relu", {"x"}, {"y"});
  b.node("Shape", {"x"}, {"extents"});
  b.output("y");
  b.output("extents");
  for (const net::ImportOptions& options : {kSubnets, net::ImportOptions{}}) {
    auto network = import(b.model, options);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto results = run_float(*network, {{"x", {{2, 3}, {1, 2, 3, 4, 5, 6}}}});
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_THAT(results->at(network->outputs()[1]).data, ElementsAre(2, 3));
  }
  b.integers("large", {1}, {(1 << 24) + 1});
  b.output("large");
  EXPECT_THAT(import(b.model, kSubnets).status().message(), HasSubstr("beyond 2^24"));
}

// ---- ONNX's own tests of nodes ----

namespace fs = std::filesystem;

template <class Message>
Message message_of(const fs::path& path) {
  Message message;
  std::ifstream file(path, std::ios::binary);
  message.ParseFromIstream(&file);
  return message;
}

// Expects the results of a test of a node. Returns false if it is refused.
bool agrees(const fs::path& folder) {
  SCOPED_TRACE(folder.string());
  const auto model = message_of<onnx::ModelProto>(folder / "model.onnx");
  auto network = import(model, kSubnets);
  if (!network.ok()) return false;
  Blobs inputs;
  for (int i = 0; i < model.graph().input_size(); ++i) {
    const auto tensor = message_of<onnx::TensorProto>(folder / "test_data_set_0" /
                                                      ("input_" + std::to_string(i) + ".pb"));
    inputs[model.graph().input(i).name()] = {{tensor.dims().begin(), tensor.dims().end()},
                                             values(tensor)};
  }
  auto results = run_float(*network, inputs);
  EXPECT_TRUE(results.ok()) << results.status().message();
  for (int i = 0; results.ok() && i < model.graph().output_size(); ++i) {
    const auto expected = values(message_of<onnx::TensorProto>(
        folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb")));
    const auto& actual = results->at(network->outputs()[static_cast<size_t>(i)]).data;
    EXPECT_EQ(actual.size(), expected.size());
    for (size_t k = 0; k < std::min(actual.size(), expected.size()); ++k)
      EXPECT_NEAR(actual[k], expected[k], 1e-4f) << "output " << i << " at " << k;
  }
  return true;
}

TEST(OnnxSubnets, NodeTestsOfTheHost) {
  const fs::path data = "/usr/lib/python3/dist-packages/onnx/backend/test/data/node";
  if (!fs::exists(data)) GTEST_SKIP() << "no " << data << "; it is in Debian's libonnx-testdata";
  constexpr const char* kNames[] = {"test_nonmaxsuppression", "test_gridsample", "test_roialign",
                                    "test_gathernd",          "test_gather_",    "test_scatternd",
                                    "test_nonzero",           "test_top_k"};
  size_t ran = 0;
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename();
    const bool is_wanted =
        std::ranges::any_of(kNames, [&](const char* begin) { return name.rfind(begin, 0) == 0; });
    ran += is_wanted && agrees(entry.path()) ? 1 : 0;
  }
  EXPECT_GE(ran, 25u);
}

}  // namespace
}  // namespace tputwin::test
