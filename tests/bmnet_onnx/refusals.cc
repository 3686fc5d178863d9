// Models that cannot be expressed are refused, with node, operator, reason and remedy, and never
// give wrong results.
#include <filesystem>
#include <fstream>

#include "base/errors/bmnet.h"
#include "bmnet_onnx/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

std::string refusal(const onnx::ModelProto& model) {
  auto loaded = load(model);
  return loaded.ok() ? "imported" : loaded.error().message();
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << ": " << text;
}

TEST(Refusals, NameNodeOperatorReasonAndWhatToDo) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 8, 8});
  builder.set(builder.node("MaxPool", {"x"}, {"p"}), "kernel_shape", std::vector<int64_t>{2, 2});
  builder.set(*builder.model.mutable_graph()->mutable_node(0), "pads",
              std::vector<int64_t>{2, 0, 2, 0});
  builder.node("Det", {"p"}, {"y"});
  builder.node("Tile", {"x", "x"}, {"z"});
  builder.output("y");
  builder.output("z");
  const std::string text = refusal(builder.model);
  expect_words(text, {"TW-NET-0119", "3 problems", "n_p (MaxPool)", "pads", "n_y (Det)",
                      "docs/onnx.md", "n_z (Tile)", "make it one when exporting"});
}

TEST(Refusals, OpsetsAndDomains) {
  ModelBuilder builder(27);
  builder.input("x", {1, 2});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  expect_words(refusal(builder.model), {"TW-NET-0118", "27", "7 to 26"});
  builder.model.mutable_opset_import(0)->set_version(6);
  expect_words(refusal(builder.model), {"TW-NET-0118"});
  builder.model.mutable_opset_import(0)->set_version(13);
  builder.model.mutable_graph()->mutable_node(0)->set_domain("com.microsoft");
  expect_words(refusal(builder.model), {"TW-NET-0119", "com.microsoft.Relu"});
}

// Rows with a single 1 are no weights of hundreds of megabytes.
TEST(Refusals, LongOneHotOfConstants) {
  for (const float depth : {1 << 18, 1 << 20}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 1});
    builder.weights("i", {64}, std::vector<float>(64, 3));
    builder.weights("depth", {1}, {depth});
    builder.weights("values", {2}, {0, 1});
    builder.node("OneHot", {"i", "depth", "values"}, {"rows"});
    builder.node("Add", {"x", "rows"}, {"y"});
    builder.output("y");
    if (depth == 1 << 18)
      EXPECT_EQ(refusal(builder.model), "imported");
    else
      expect_words(refusal(builder.model), {"n_rows (OneHot)", "16777216", "Gather the rows"});
  }
}

// ONNX Runtime and the checker of ONNX read no model without it.
TEST(Refusals, ModelsHaveAVersionOfTheFormat) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  EXPECT_EQ(refusal(builder.model), "imported");
  builder.model.clear_ir_version();
  expect_words(refusal(builder.model), {"TW-NET-0117", "ir_version"});
}

// The checker of ONNX refuses values in two fields. ONNX Runtime takes those of raw_data.
TEST(Refusals, ValuesAreInOneField) {
  for (const bool has_raw : {false, true})
    for (const bool has_integers : {false, true}) {
      ModelBuilder builder(13);
      builder.input("x", {2});
      builder.weights("w", {2}, {1, 2});
      builder.node("Add", {"x", "w"}, {"y"});
      builder.output("y");
      auto& tensor = *builder.model.mutable_graph()->mutable_initializer(0);
      const std::string raw(8, '\0');
      tensor.clear_raw_data();
      tensor.clear_float_data();
      tensor.add_float_data(1);
      tensor.add_float_data(2);
      if (has_raw) tensor.set_raw_data(raw);
      if (has_integers) tensor.add_int64_data(3);
      const std::string text = refusal(builder.model);
      if (!has_raw && !has_integers) {
        EXPECT_EQ(text, "imported");
        continue;
      }
      expect_words(text, {"tensor w", "float_data", "one of the fields"});
      // Nodes that read it have no error of their own.
      EXPECT_EQ(text.find("n_y"), std::string::npos) << text;
      EXPECT_EQ(text.find("problems"), std::string::npos) << text;
    }
}

// A tensor with too few values is one error, also if it is listed as an input.
TEST(Refusals, BadInitializersAreOneError) {
  for (const bool is_input : {false, true}) {
    ModelBuilder builder(13);
    builder.input("x", {2});
    if (is_input) builder.input("w", {2});
    builder.weights("w", {2}, {1, 2});
    builder.node("Add", {"x", "w"}, {"y"});
    builder.output("y");
    builder.model.mutable_graph()->mutable_initializer(0)->add_dims(3);
    const std::string text = refusal(builder.model);
    expect_words(text, {"tensor w"});
    EXPECT_EQ(text.find("made by no node"), std::string::npos) << text;
    EXPECT_EQ(text.find("problems"), std::string::npos) << text;
  }
}

// Softmax of opset 11 flattens its input from axis 1 on; that of opset 13 has the last axis alone.
// The last version of a domain counts, as in ONNX Runtime.
TEST(Refusals, OfSeveralVersionsOfADomainTheLastCounts) {
  for (const auto& [first, last] : {std::pair(11, 13), {13, 11}})
    for (const char* domain : {"", "ai.onnx"}) {
      ModelBuilder builder(first);
      builder.input("x", {1, 2, 2});
      builder.node("Softmax", {"x"}, {"y"});
      builder.output("y");
      auto& import = *builder.model.add_opset_import();
      import.set_domain(domain);
      import.set_version(last);
      auto network = test::import(builder.model);
      ASSERT_TRUE(network.ok()) << network.status().message();
      auto results = run_float(*network, {{"x", {{1, 2, 2}, {0, 0, 0, 0}}}});
      ASSERT_TRUE(results.ok()) << results.status().message();
      EXPECT_EQ(results->begin()->second.data[0], last == 13 ? 0.5f : 0.25f);
    }
}

TEST(Refusals, OpenExtentsWantShapes) {
  ModelBuilder builder(13);
  builder.input("x", {1, -1, 4, 4});
  builder.node("Relu", {"x"}, {"y"});
  builder.output("y");
  const std::string text = refusal(builder.model);
  expect_words(text, {"TW-NET-0120", "extent 1", "--shape"});
  EXPECT_EQ(text.find("n_y"), std::string::npos) << "the node that reads it is not to blame";
  auto loaded = load(builder.model, {.input_shapes = {net::make_shape({1, 3, 4, 4})}});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  auto short_one = load(builder.model, {.input_shapes = {net::make_shape({5})}});
  ASSERT_FALSE(short_one.ok());
  expect_words(short_one.error().message(), {"TW-NET-0120", "shape = (5)", "4 axes"});
}

TEST(Refusals, BrokenFiles) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string path = folder / "broken.onnx";
  std::ofstream(path) << "no model";
  auto loaded = net::load_net(path, "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().id(), errors::net_onnx);
  EXPECT_FALSE(net::load_net("/no/such.onnx", "").ok());
  EXPECT_FALSE(net::load_net("net.prototxt", "net.onnx").ok());

  ModelBuilder builder(13);
  builder.input("x", {1, 2});
  builder.node("Add", {"x", "nowhere"}, {"y"});
  builder.output("y");
  expect_words(refusal(builder.model), {"TW-NET-0117", "nowhere"});
  builder.weights("nowhere", {int64_t{1} << 40, 1}, {1});
  expect_words(refusal(builder.model), {"TW-NET-0117", "extents"});
}

TEST(Refusals, IntegersBeyondTheirType) {
  for (const auto& [type, value] : {std::pair(onnx::TensorProto::INT8, 128),
                                    {onnx::TensorProto::UINT8, -1},
                                    {onnx::TensorProto::BOOL, 2}}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 2});
    builder.weights("s", {}, {0.5f});
    builder.integers("w", {2}, {1, value}, type);
    builder.node("Cast", {"w"}, {"real"}).add_attribute()->CopyFrom([] {
      onnx::NodeProto node;
      ModelBuilder::set(node, "to", int64_t{onnx::TensorProto::FLOAT});
      return node.attribute(0);
    }());
    builder.node("Add", {"x", "real"}, {"y"});
    builder.output("y");
    expect_words(refusal(builder.model), {"TW-NET-0117", "tensor w", "int32_data"});
  }
}

// Attributes whose products overflow, and constants without the one value that is read.
TEST(Refusals, NumbersBeyondAnyTensor) {
  ModelBuilder conv(13);
  conv.input("x", {1, 2, 4, 4});
  conv.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  conv.set(conv.node("Conv", {"x", "w"}, {"y"}), "group", INT64_MAX);
  conv.output("y");
  expect_words(refusal(conv.model), {"TW-NET-0119", "group"});

  ModelBuilder product(13);
  auto& import = *product.model.add_opset_import();
  import.set_domain("com.microsoft");
  import.set_version(1);
  product.input("x", {1, 16});
  product.integers("b", {1, 1, 8}, std::vector<int64_t>(8), onnx::TensorProto::UINT8);
  product.weights("s", {1}, {1});
  auto& node = product.node("MatMulNBits", {"x", "b", "s"}, {"y"});
  node.set_domain("com.microsoft");
  for (const char* name : {"K", "N", "block_size"}) ModelBuilder::set(node, name, INT64_MAX);
  product.output("y");
  expect_words(refusal(product.model), {"TW-NET-0119", "block_size"});

  ModelBuilder trilu(14);
  trilu.input("x", {2, 2});
  trilu.integers("k", {0}, {});
  trilu.node("Trilu", {"x", "k"}, {"y"});
  trilu.output("y");
  expect_words(refusal(trilu.model), {"TW-NET-0119", "k = (0)", "one value"});

  ModelBuilder recurrent(14);
  recurrent.input("x", {1, 1, 1});
  recurrent.weights("w", {1, 0, 1}, {});
  recurrent.weights("r", {1, 0, 0}, {});
  recurrent.node("LSTM", {"x", "w", "r"}, {"y"});
  recurrent.output("y");
  expect_words(refusal(recurrent.model), {"TW-NET-0119", "W"});
}

// ---- External data ----

struct ExternalModel {
  tputwin::testing::TemporaryDirectory folder;
  ModelBuilder builder{13};
  onnx::TensorProto* tensor = nullptr;

  ExternalModel() {
    std::filesystem::create_directories(folder / "net" / "data");
    const float values[] = {9, 1, 2};
    for (const char* name : {"net/data/w.bin", "outside.bin"})
      std::ofstream(folder / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(values), sizeof(values));
    builder.input("x", {1, 2, 1, 1});
    builder.weights("w", {2, 1, 1}, {});
    tensor = builder.model.mutable_graph()->mutable_initializer(0);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    builder.node("Add", {"x", "w"}, {"y"});
    builder.output("y");
  }
  void set(const std::string& key, const std::string& value) const {
    auto& entry = *tensor->add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  Result<net::LoadedNet> load() const {
    const std::string path = folder / "net" / "model.onnx";
    {
      std::ofstream file(path, std::ios::binary);
      builder.model.SerializeToOstream(&file);
    }
    return net::load_net(path, "");
  }
};

TEST(External, DataOfTheModelsFolder) {
  ExternalModel model;
  model.set("location", "data/w.bin");
  model.set("offset", "4");
  model.set("length", "8");
  auto loaded = model.load();
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->net.layer(1).blobs(1).data(0), 1);
  EXPECT_EQ(loaded->net.layer(1).blobs(1).data(1), 2);
}

TEST(External, NothingOutsideIt) {
  std::filesystem::path link;
  for (const char* location : {"../outside.bin", "/etc/hostname", "data/../../outside.bin", "",
                               "data", "data/none.bin", "link.bin"}) {
    ExternalModel model;
    std::filesystem::create_symlink(model.folder / "outside.bin",
                                    model.folder / "net" / "link.bin");
    model.set("location", location);
    model.set("length", "8");
    auto loaded = model.load();
    ASSERT_FALSE(loaded.ok()) << location;
    EXPECT_EQ(loaded.error().id(), errors::net_onnx_external) << location;
  }
}

TEST(External, AsLongAsStated) {
  for (const char* offset : {"8", "-4", "999999999999", "99999999999999999999"}) {
    ExternalModel model;
    model.set("location", "data/w.bin");
    model.set("offset", offset);
    model.set("length", "8");
    auto loaded = model.load();
    ASSERT_FALSE(loaded.ok()) << offset;
    EXPECT_EQ(loaded.error().id(), errors::net_onnx_external) << offset;
  }
}

// Sizes that exceed any memory are refused before anything is allocated.
TEST(Bounds, AbsurdSizes) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 1});
  builder.integers("shape", {2}, {1 << 20, 1 << 20});
  builder.node("ConstantOfShape", {"shape"}, {"c"});
  builder.node("Add", {"x", "c"}, {"y"});
  builder.output("y");
  expect_words(refusal(builder.model), {"TW-NET-0119", "ConstantOfShape", "elements of constants"});

  ModelBuilder tiles(13);
  tiles.input("x", {1, 1, 1, 1});
  tiles.integers("repeats", {4}, {1, 1, 1 << 20, 1 << 20});
  tiles.node("Tile", {"x", "repeats"}, {"y"});
  tiles.output("y");
  expect_words(refusal(tiles.model), {"TW-NET-0119", "Tile", "2^31"});

  ModelBuilder sizes(13);
  sizes.input("x", {1, 1, 2, 2});
  sizes.weights("scales", {4}, {1, 1, 1e30f, 1});
  sizes.node("Resize", {"x", "", "scales"}, {"y"});
  sizes.output("y");
  expect_words(refusal(sizes.model), {"TW-NET-0119", "Resize", "2^20"});
}

}  // namespace
}  // namespace tputwin::test
