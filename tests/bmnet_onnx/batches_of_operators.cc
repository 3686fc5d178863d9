// Nets of an operator or two that mix samples, reorder them or count them: another batch is the
// net that the file is with it.
#include <functional>
#include <map>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test::batches_of_operators {
namespace {

constexpr int64_t kSamples = 3, kRows = 4, kColumns = 5;

// Adds nodes that compute "y" from "x" of (batch, 4, 5).
using Add = std::function<void(ModelBuilder&)>;
using Nets = std::map<std::string, Add>;

// A node whose inputs are "x", or `x`, and constants of integers.
onnx::NodeProto& of_integers(ModelBuilder& b, const std::string& type,
                             const std::vector<std::vector<int64_t>>& constants,
                             const std::string& x = "x", const std::string& y = "y") {
  std::vector<std::string> inputs{x};
  for (size_t i = 0; i < constants.size(); ++i) {
    inputs.push_back(y + "_" + std::to_string(i));
    b.integers(inputs.back(), {static_cast<int64_t>(constants[i].size())}, constants[i]);
  }
  return b.node(type, inputs, {y});
}

void transposed(ModelBuilder& b, const std::vector<int64_t>& order, const std::string& x,
                const std::string& y) {
  ModelBuilder::set(b.node("Transpose", {x}, {y}), "perm", order);
}

void as_float(ModelBuilder& b, const std::string& x, const std::string& y) {
  ModelBuilder::set(b.node("Cast", {x}, {y}), "to", int64_t{onnx::TensorProto::FLOAT});
}

void scalar(ModelBuilder& b, const std::string& name, int64_t value) {
  b.integers(name, {}, {value});
}

template <class Value>
Add with(const std::string& type, const std::string& attribute, Value value) {
  return [=](ModelBuilder& b) { ModelBuilder::set(b.node(type, {"x"}, {"y"}), attribute, value); };
}

Nets reductions() {
  Nets nets;
  nets["softmax"] = with("Softmax", "axis", int64_t{0});
  nets["hardmax"] = with("Hardmax", "axis", int64_t{0});
  nets["length"] = with("LpNormalization", "axis", int64_t{0});
  nets["sum"] = [](ModelBuilder& b) { of_integers(b, "ReduceSum", {{0}}); };
  nets["mean of all"] = [](ModelBuilder& b) {
    ModelBuilder::set(b.node("ReduceMean", {"x"}, {"m"}), "keepdims", int64_t{0});
    b.node("Mul", {"x", "m"}, {"y"});
  };
  nets["largest of all"] = [](ModelBuilder& b) {
    b.node("ReduceMax", {"x"}, {"m"});
    b.node("Sub", {"x", "m"}, {"y"});
  };
  nets["mean"] = [](ModelBuilder& b) {
    ModelBuilder::set(b.node("ReduceMean", {"x"}, {"m"}), "axes", std::vector<int64_t>{0});
    b.node("Sub", {"x", "m"}, {"y"});
  };
  nets["standardize"] = [](ModelBuilder& b) {
    of_integers(b, "Unsqueeze", {{3}}, "x", "u");
    b.node("MeanVarianceNormalization", {"u"}, {"y"});
  };
  nets["layer"] = [](ModelBuilder& b) {
    b.weights("s", {1, kRows, kColumns}, random_values(kRows * kColumns, 3));
    ModelBuilder::set(b.node("LayerNormalization", {"x", "s"}, {"y"}), "axis", int64_t{0});
  };
  nets["softmax of all"] = [](ModelBuilder& b) {
    of_integers(b, "Reshape", {{-1}}, "x", "r");
    ModelBuilder::set(b.node("Softmax", {"r"}, {"y"}), "axis", int64_t{0});
  };
  nets["softmax of a row"] = [](ModelBuilder& b) {
    of_integers(b, "Reshape", {{1, -1}}, "x", "r");
    ModelBuilder::set(b.node("Softmax", {"r"}, {"y"}), "axis", int64_t{1});
  };
  nets["position"] = [](ModelBuilder& b) {
    ModelBuilder::set(b.node("ArgMax", {"x"}, {"p"}), "axis", int64_t{0});
    as_float(b, "p", "y");
  };
  nets["condition"] = [](ModelBuilder& b) {
    b.weights("zero", {}, {0});
    ModelBuilder::set(b.node("ReduceSum", {"x"}, {"s"}), "keepdims", int64_t{0});
    b.node("Greater", {"s", "zero"}, {"c"});
    b.node("Neg", {"x"}, {"n"});
    b.node("Where", {"c", "x", "n"}, {"y"});
  };
  return nets;
}

Nets moves() {
  Nets nets;
  nets["concat"] = [](ModelBuilder& b) {
    b.node("Neg", {"x"}, {"n"});
    ModelBuilder::set(b.node("Concat", {"x", "n"}, {"y"}), "axis", int64_t{0});
  };
  nets["slice"] = [](ModelBuilder& b) { of_integers(b, "Slice", {{0}, {1}, {0}}); };
  nets["slice of two"] = [](ModelBuilder& b) { of_integers(b, "Slice", {{0}, {2}, {0}}); };
  nets["reverse"] = [](ModelBuilder& b) {
    of_integers(b, "Slice", {{-1}, {-(int64_t{1} << 31)}, {0}, {-1}});
  };
  nets["gather"] = [](ModelBuilder& b) {
    scalar(b, "i", 0);
    b.node("Gather", {"x", "i"}, {"y"});
  };
  nets["gather the last"] = [](ModelBuilder& b) { of_integers(b, "Gather", {{-1}}); };
  nets["tile"] = [](ModelBuilder& b) { of_integers(b, "Tile", {{2, 1, 1}}); };
  nets["pad"] = [](ModelBuilder& b) { of_integers(b, "Pad", {{1, 0, 0, 0, 0, 0}}); };
  nets["squeeze"] = [](ModelBuilder& b) {
    of_integers(b, "Squeeze", {{0}}, "x", "s");
    b.node("Relu", {"s"}, {"y"});
  };
  nets["trilu"] = [](ModelBuilder& b) {
    transposed(b, {1, 0, 2}, "x", "t");
    b.node("Trilu", {"t"}, {"y"});
  };
  nets["reverse sequence"] = [](ModelBuilder& b) {
    transposed(b, {1, 0, 2}, "x", "t");
    auto& node = of_integers(b, "ReverseSequence", {{3}}, "t");
    ModelBuilder::set(node, "batch_axis", int64_t{1});
    ModelBuilder::set(node, "time_axis", int64_t{0});
  };
  nets["gather elements"] = [](ModelBuilder& b) {
    b.integers("i", {1, 2}, {0, 1});
    b.node("GatherND", {"x", "i"}, {"y"});
  };
  nets["scatter"] = [](ModelBuilder& b) {
    b.integers("i", {1, 2}, {0, 1});
    b.weights("u", {1, kColumns}, std::vector<float>(kColumns, 1));
    b.node("ScatterND", {"x", "i", "u"}, {"y"});
  };
  return nets;
}

Nets constants() {
  Nets nets;
  nets["add"] = [](ModelBuilder& b) {
    b.weights("c", {1, kRows, kColumns}, random_values(kRows * kColumns, 4));
    b.node("Add", {"x", "c"}, {"y"});
  };
  nets["expand"] = [](ModelBuilder& b) {
    of_integers(b, "ReduceSum", {{1}}, "x", "s");
    of_integers(b, "Expand", {{1, kRows, kColumns}}, "s");
  };
  return nets;
}

Nets counts() {
  Nets nets;
  nets["size"] = [](ModelBuilder& b) {
    b.node("Size", {"x"}, {"s"});
    as_float(b, "s", "f");
    b.node("Mul", {"x", "f"}, {"y"});
  };
  nets["shape"] = [](ModelBuilder& b) {
    scalar(b, "zero", 0);
    b.node("Shape", {"x"}, {"s"});
    b.node("Gather", {"s", "zero"}, {"n"});
    as_float(b, "n", "f");
    b.node("Add", {"x", "f"}, {"y"});
  };
  nets["range"] = [](ModelBuilder& b) {
    scalar(b, "zero", 0);
    scalar(b, "one", 1);
    b.node("Shape", {"x"}, {"s"});
    b.node("Gather", {"s", "zero"}, {"n"});
    b.node("Range", {"zero", "n", "one"}, {"r"});
    as_float(b, "r", "f");
    of_integers(b, "Reshape", {{-1, 1, 1}}, "f", "m");
    b.node("Add", {"x", "m"}, {"y"});
  };
  nets["running sum"] = [](ModelBuilder& b) {
    scalar(b, "zero", 0);
    b.node("CumSum", {"x", "zero"}, {"y"});
  };
  return nets;
}

Nets products() {
  Nets nets;
  nets["softmax over samples"] = [](ModelBuilder& b) {
    transposed(b, {1, 2, 0}, "x", "t");
    ModelBuilder::set(b.node("Softmax", {"t"}, {"y"}), "axis", int64_t{-1});
  };
  nets["matrix"] = [](ModelBuilder& b) {
    of_integers(b, "Squeeze", {{0}}, "x", "s");
    transposed(b, {1, 0}, "s", "t");
    b.node("MatMul", {"s", "t"}, {"y"});
  };
  nets["rows of all"] = [](ModelBuilder& b) {
    of_integers(b, "Reshape", {{-1, kColumns}}, "x", "r");
    transposed(b, {1, 0}, "r", "t");
    b.node("MatMul", {"r", "t"}, {"y"});
  };
  nets["sum of products"] = [](ModelBuilder& b) {
    ModelBuilder::set(b.node("Einsum", {"x", "x"}, {"y"}), "equation", std::string("bij,bik->jk"));
  };
  nets["attention"] = [](ModelBuilder& b) {
    transposed(b, {1, 0, 2}, "x", "t");
    transposed(b, {0, 2, 1}, "t", "k");
    b.node("MatMul", {"t", "k"}, {"s"});
    ModelBuilder::set(b.node("Softmax", {"s"}, {"p"}), "axis", int64_t{-1});
    b.node("MatMul", {"p", "t"}, {"y"});
  };
  nets["pool"] = [](ModelBuilder& b) {
    transposed(b, {1, 0, 2}, "x", "t");
    auto& node = b.node("MaxPool", {"t"}, {"y"});
    ModelBuilder::set(node, "kernel_shape", std::vector<int64_t>{3});
    ModelBuilder::set(node, "pads", std::vector<int64_t>{1, 1});
  };
  const auto recurrent = [](bool is_first) {
    return [is_first](ModelBuilder& b) {
      constexpr int64_t kHidden = 2;
      b.weights("w", {1, 4 * kHidden, kColumns}, random_values(4 * kHidden * kColumns, 5));
      b.weights("r", {1, 4 * kHidden, kHidden}, random_values(4 * kHidden * kHidden, 6));
      auto& node = b.node("LSTM", {"x", "w", "r"}, {"y"});
      ModelBuilder::set(node, "hidden_size", kHidden);
      if (is_first) ModelBuilder::set(node, "layout", int64_t{1});
    };
  };
  nets["recurrent"] = recurrent(false);
  nets["recurrent samples"] = recurrent(true);
  return nets;
}

ModelBuilder model_of(const Add& add, int64_t first) {
  ModelBuilder builder(17);
  builder.input("x", {first, kRows, kColumns});
  add(builder);
  builder.output("y");
  return builder;
}

// Returns the operations and weights of a net, and the extents of its results, as text.
std::string text_of(const net::Network& network) {
  std::string text;
  for (const net::TensorOp& op : network.ops) text += op.ShortDebugString() + "\n";
  for (const auto& [layer, blobs] : network.blobs)
    for (const net::Blob& blob : blobs) {
      text += layer;
      for (const int64_t extent : blob.shape) text += " " + std::to_string(extent);
      for (const float value : blob.data) text += " " + std::to_string(value);
      text += "\n";
    }
  for (const auto& [output, dims] : network.output_dims) {
    text += output;
    for (const int64_t extent : dims) text += " " + std::to_string(extent);
  }
  return text;
}

class BatchesOfOperators : public ::testing::TestWithParam<std::pair<const std::string, Add>> {};

// With a shape the extents of the net follow from the file alone. The BM1880 has no subnets.
TEST_P(BatchesOfOperators, AreReadAsTheirShapes) {
  for (const bool has_subnets : {false, true})
    for (const int64_t first : {-1, 1}) {
      SCOPED_TRACE(first);
      const ModelBuilder builder = model_of(GetParam().second, first);
      const auto shape =
          import(builder.model, {.input_shapes = {net::make_shape({kSamples, kRows, kColumns})},
                                 .has_subnets = has_subnets});
      const auto batch = import(builder.model, {.batch = kSamples, .has_subnets = has_subnets});
      if (shape.ok()) {
        ASSERT_TRUE(batch.ok()) << batch.status().message();
        EXPECT_EQ(text_of(*batch), text_of(*shape));
      } else if (first < 0) {
        ASSERT_FALSE(batch.ok());
        EXPECT_NE(batch.error().message().find("--shape"), std::string::npos);
      }
    }
}

// Samples that are calibrated at once give the thresholds of one after the other.
TEST_P(BatchesOfOperators, DoNotChangeThresholds) {
  const ModelBuilder builder = model_of(GetParam().second, -1);
  Batches samples(4);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i]["x"] = {{1, kRows, kColumns}, random_values(kRows * kColumns, i, -2, 2)};
  std::vector<std::string> tables;
  for (const size_t batch : {1, 4}) {
    const auto net = calibrated(builder.model, samples, [&](net::CalibrationOptions& options) {
      options.batch = batch;
      options.table_only = true;
    });
    tables.push_back(net.ok() ? net->calibration.table.DebugString() : net.status().message());
  }
  EXPECT_EQ(tables[0], tables[1]);
}

Nets all_nets() {
  Nets all = reductions();
  all.merge(moves());
  all.merge(constants());
  all.merge(counts());
  all.merge(products());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Onnx, BatchesOfOperators, ::testing::ValuesIn(all_nets()),
                         [](const auto& info) {
                           std::string name = info.param.first;
                           for (char& letter : name)
                             if (letter == ' ') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace tputwin::test::batches_of_operators
