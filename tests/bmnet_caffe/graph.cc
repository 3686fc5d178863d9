// Names, in-place layers, removed layers, phases, inputs.
#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/caffe/upgrade.h"
#include "bmnet_caffe/nets.h"

namespace tputwin::net::testing {
namespace {

using Strings = std::vector<std::string>;

caffe::NetParameter for_test(const std::string& text) {
  auto net = merge_caffe(parse(text), {});
  EXPECT_TRUE(net.ok());
  return *net;
}

TEST(Graph, InPlaceLayersMakeTensorsOfTheirOwn) {
  auto network = import_text(input("1 2 4 4") + layer("a", "ReLU", "data") +
                             "layer { name: 'b' type: 'Sigmoid' bottom: 'a' top: 'a' }" +
                             layer("c", "TanH", "a"));
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(op_of(*network, "b").top(0), "a@b");
  EXPECT_EQ(op_of(*network, "c").bottom(0), "a@b");
  EXPECT_EQ(network->blob_name("a@b"), "a");
  EXPECT_EQ(network->blob_name("c"), "c");
  EXPECT_EQ(network->producer("a@b")->name(), "b");
}

TEST(Graph, LayersThatMoveNothingAreGone) {
  auto network = import_text(input("1 2 4 4") + layer("d", "Dropout", "data") +
                             layer("s", "Split", "d", "top: 's2'") + layer("j", "Join", "s") +
                             layer("c", "Concat", "s2") + layer("l", "Slice", "c") +
                             layer("x", "Eltwise", "j", "bottom: 'l'"));
  ASSERT_TRUE(network.ok()) << network.error().message();
  ASSERT_EQ(network->ops.size(), 3u);
  EXPECT_EQ(network->ops[1].bottom(0), "data");
  EXPECT_EQ(network->ops[1].bottom(1), "data");
  EXPECT_EQ(network->outputs(), Strings{"x"});
}

// Outputs are the tops that no layer reads, with Caffe's names.
TEST(Graph, OutputsOfLayersThatMoveNothingHaveTheirNames) {
  struct Case {
    std::string layers;
    Strings outputs;
  };
  const std::string relu = layer("r", "ReLU", "data");
  for (const Case& c : {
           Case{relu + layer("drop", "Dropout", "r"), {"drop"}},
           Case{relu + "layer { name: 'drop' type: 'Dropout' bottom: 'r' top: 'r' }", {"r"}},
           Case{relu + layer("one", "Concat", "r"), {"one"}},
           Case{relu + layer("one", "Slice", "r"), {"one"}},
           Case{relu + layer("a", "Split", "r", "top: 'b'"), {"a", "b"}},
           Case{relu + layer("drop", "Dropout", "r") + layer("y", "Sigmoid", "r"), {"drop", "y"}},
           Case{relu + layer("drop", "Dropout", "r") + layer("y", "Sigmoid", "drop"), {"y"}},
           Case{relu + layer("a", "Split", "r", "top: 'b'") + layer("y", "Sigmoid", "b"),
                {"a", "y"}},
           Case{layer("a", "Split", "data", "top: 'b'") + layer("drop", "Dropout", "b"),
                {"a", "drop"}},
           Case{layer("drop", "Dropout", "data"), {"drop"}},
       }) {
    auto network = import_text(input("1 2 4 4") + c.layers);
    ASSERT_TRUE(network.ok()) << network.error().message();
    Strings names;
    for (const std::string& tensor : network->outputs())
      names.push_back(network->blob_name(tensor));
    EXPECT_EQ(names, c.outputs) << c.layers;
  }
}

TEST(Graph, SilencedTensorsAreNoOutputs) {
  const std::string sliced = input("1 4") + layer("x", "Slice", "data", "top: 'y'");
  auto network = import_text(sliced + "layer { name: 'quiet' type: 'Silence' bottom: 'y' }");
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->outputs(), Strings{"x"});
  network = import_text(sliced + layer("r", "ReLU", "y") + layer("r2", "ReLU", "r") +
                        "layer { name: 'quiet' type: 'Silence' bottom: 'r2' }");
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->outputs(), Strings{"x"});
  EXPECT_EQ(network->ops.size(), 3u) << "start, slice, end";
}

TEST(Graph, PhasesLabelsAndLosses) {
  const auto net = for_test(
      "layer { name: 'd' type: 'Data' top: 'data' top: 'label' include { phase: TRAIN } }"
      "layer { name: 'd2' type: 'Data' top: 'data' top: 'label' include { phase: TEST } }" +
      layer("x", "ReLU", "data") + layer("drop", "Dropout", "x", "exclude { phase: TEST }") +
      layer("acc", "Accuracy", "x", "bottom: 'label'") +
      layer("loss", "SoftmaxWithLoss", "x", "bottom: 'label'"));
  ASSERT_EQ(net.layer_size(), 2);
  EXPECT_EQ(net.layer(0).name(), "d2");
  EXPECT_EQ(net.layer(0).top_size(), 1);
  auto network = import_caffe(net, {.input_shapes = {make_shape({1, 3, 4, 4})}});
  EXPECT_EQ(shape_in(network, "x"), "(1,3,4,4)");
}

TEST(Graph, DataLayerOfTrainingStaysWithoutAnother) {
  const auto net = for_test(
      "layer { name: 'd' type: 'Data' top: 'data' top: 'label' include { phase: TRAIN } }" +
      layer("x", "ReLU", "data"));
  ASSERT_EQ(net.layer_size(), 2);
  EXPECT_EQ(net.layer(0).top_size(), 1);
}

TEST(Graph, InputFields) {
  auto network = import_text(
      "input: 'a' input: 'b' input_dim: 1 input_dim: 2 input_dim: 3 "
      "input_dim: 4 input_dim: 5 input_dim: 6 input_dim: 7 input_dim: 8 " +
      layer("x", "ReLU", "a") + layer("y", "ReLU", "b"));
  EXPECT_EQ(shape_in(network, "x"), "(1,2,3,4)");
  EXPECT_EQ(shape_in(network, "y"), "(5,6,7,8)");
  network = import_text("input: 'a' input_shape { dim: 3 dim: 2 } " + layer("x", "ReLU", "a"));
  EXPECT_EQ(shape_in(network, "x"), "(3,2)");
  EXPECT_EQ(network->inputs(), Strings{"a"});
}

TEST(Graph, OtherInputLayers) {
  const std::string two =
      "layer { name: 'in' type: 'MultiInput' top: 'a' top: 'b' multi_input_param {"
      " shape { dim: 1 dim: 2 } shape { dim: 3 dim: 4 } } }";
  auto network = import_text(two + layer("x", "ReLU", "b"));
  EXPECT_EQ(shape_in(network, "x"), "(3,4)");
  EXPECT_EQ(network->ops[0].name(), "in");
  EXPECT_EQ(network->ops[1].name(), "b");
  network = import_text(
      "layer { name: 'in' type: 'DummyData' top: 'a' dummy_data_param { num: 1 "
      "channels: 2 height: 3 width: 4 } }" +
      layer("x", "ReLU", "a"));
  EXPECT_EQ(shape_in(network, "x"), "(1,2,3,4)");
  network = import_text(
      "layer { name: 'in' type: 'MemoryData' top: 'a' memory_data_param { "
      "batch_size: 1 channels: 2 height: 3 width: 4 } }" +
      layer("x", "ReLU", "a"));
  EXPECT_EQ(shape_in(network, "x"), "(1,2,3,4)");
}

TEST(Graph, OptionsReplaceInputShapes) {
  const auto net = parse(input("1 3 8 8") + layer("x", "ReLU", "data"));
  EXPECT_EQ(shape_in(import_caffe(net, {.input_shapes = {make_shape({2, 4, 6, 6})}}), "x"),
            "(2,4,6,6)");
  EXPECT_EQ(shape_in(import_caffe(net, {.batch = 16}), "x"), "(16,3,8,8)");
}

TEST(Graph, Version1Layers) {
  auto network = import_text(
      "name: 'old' input: 'data' input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8 "
      "layers { name: 'conv' type: CONVOLUTION bottom: 'data' top: 'conv' blobs_lr: 1 "
      "convolution_param { num_output: 4 kernel_size: 3 } }"
      "layers { name: 'pool' type: POOLING bottom: 'conv' top: 'pool' pooling_param { kernel_size: "
      "2 "
      "stride: 2 } } layers { name: 'prob' type: SOFTMAX bottom: 'pool' top: 'prob' }");
  EXPECT_EQ(shape_in(network, "prob"), "(1,4,3,3)");
}

TEST(Graph, Aliases) {
  const auto net = parse(
      layer("n", "Normalize", "data", "normalize_param { channel_shared: false }") +
      layer("d", "DetectOutput", "data", "detect_output_param { num_classes: 7 visualize: true }"));
  EXPECT_TRUE(net.layer(0).has_norm_param());
  EXPECT_FALSE(net.layer(0).norm_param().channel_shared());
  EXPECT_EQ(net.layer(1).detectoutput_param().num_classes(), 7);
  EXPECT_FALSE(net.layer(1).detectoutput_param().has_visualize());
}

// Fields of vendors' forks that do not affect inference; one warning for each field.
TEST(Graph, SkipsIgnoredFields) {
  thread_diagnostics().clear();
  auto network = import_text(
      "layer { name: 'in' type: 'AnnotatedData' top: 'a' top: 'label' "
      "transform_param { resize_param { prob: 1 resize_mode: WARP } } "
      "annotated_data_param { label_map_file: 'x' batch_sampler { max_sample: 1 } } "
      "input_param { shape { dim: 1 dim: 2 data_type_size: 4 } } }"
      "layer { name: 'x' type: 'ReLU' bottom: 'a' top: 'x' enable_quantize: true }"
      "layer { name: 'y' type: 'ReLU' bottom: 'x' top: 'y' enable_quantize: true }");
  EXPECT_EQ(shape_in(network, "y"), "(1,2)");
  const auto warnings = thread_diagnostics().warnings();
  ASSERT_EQ(warnings.size(), 4u);
  for (const WarningCount& warning : warnings) {
    EXPECT_EQ(warning.sample.id(), errors::net_ignored_field);
    EXPECT_NE(warning.sample.message().find("line 1"), std::string::npos);
  }
}

// Faster R-CNN's prototxts for training have such a layer.
TEST(Graph, PythonLayersWithoutInputsAreInputs) {
  const auto net = parse(
      "layer { name: 'in' type: 'Python' top: 'data' top: 'gt_boxes' "
      "python_param { module: 'roi_data_layer.layer' layer: 'RoIDataLayer' } }" +
      layer("x", "ReLU", "data"));
  auto merged = merge_caffe(net, {});
  ASSERT_TRUE(merged.ok()) << merged.error().message();
  EXPECT_EQ(shape_in(import_caffe(*merged, {.input_shapes = {make_shape({1, 3, 8, 8})}}), "x"),
            "(1,3,8,8)");
}

TEST(Graph, CustomLayersReplaceBuiltInOnes) {
  ImportOptions options;
  options.custom["ReLU"] = [](caffe::LayerParameter& layer, TensorOp& op) -> Status {
    op.set_type("tg_customized");
    op.mutable_tg_customized_param()->set_sub_type("leakyrelu");
    op.mutable_tg_customized_param()->add_f32_param(layer.relu_param().negative_slope());
    *op.add_output_shape() = op.input_shape(0);
    return {};
  };
  auto network = import_caffe(
      parse(input("1 2") + layer("x", "ReLU", "data", "relu_param { negative_slope: 0.5 }")),
      options);
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(op_of(*network, "x").type(), "tg_customized");
  EXPECT_EQ(op_of(*network, "x").tg_customized_param().f32_param(0), 0.5F);
}

TEST(Graph, TextAndBinaryAreReadAsTheyWereWritten) {
  caffe::NetParameter net = parse("name: 'n' " + input("1 2 4 4") + layer("p", "PReLU", "data") +
                                  layer("r", "ReLU", "p"));
  add_blob(layer_of(net, "p"), {2}, {0.25F, -1});
  const std::string binary = to_caffemodel(net), text = to_prototxt(net);
  auto again = read_caffemodel({reinterpret_cast<const uint8_t*>(binary.data()), binary.size()});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_caffemodel(*again), binary);
  auto graph = read_prototxt(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message();
  EXPECT_EQ(graph->layer(1).blobs_size(), 0);
  auto merged = merge_caffe(*graph, *again);
  ASSERT_TRUE(merged.ok());
  auto network = import_caffe(*merged);
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->blobs.at("p")[0].data, (std::vector<float>{0.25F, -1}));
}

// Field 143 is InputParameter here and text in the fork.
TEST(Graph, WeightsOfAForkAreRead) {
  caffe::NetParameter net = parse(input("1 2") + layer("p", "PReLU", "data"));
  caffe::NetParameter weights;
  weights.add_layer()->set_name("p");
  add_blob(*weights.mutable_layer(0), {2}, {0.5F, 0.25F});
  std::string fields = weights.layer(0).SerializeAsString() + "\xfa\x08\x04\x0a\x09zz";
  std::string binary = "\xa2\x06";
  binary += static_cast<char>(fields.size());
  binary += fields;
  const std::span bytes(reinterpret_cast<const uint8_t*>(binary.data()), binary.size());
  EXPECT_FALSE(read_caffemodel(bytes).ok());
  auto read = read_weights(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message();
  auto merged = merge_caffe(net, *read);
  ASSERT_TRUE(merged.ok());
  EXPECT_TRUE(import_caffe(*merged).ok());
  EXPECT_FALSE(read_weights(bytes.first(bytes.size() - 1)).ok());
}

TEST(Graph, BlobsOfVersion1) {
  caffe::NetParameter old;
  old.add_input("data");
  for (int d : {1, 2, 3, 3}) old.add_input_dim(d);
  auto& conv = *old.add_layers();
  conv.set_name("conv");
  conv.set_type(caffe::V1LayerParameter::CONVOLUTION);
  conv.add_bottom("data");
  conv.add_top("conv");
  conv.mutable_convolution_param()->set_num_output(2);
  conv.mutable_convolution_param()->add_kernel_size(1);
  for (int count : {4, 2}) {
    auto& blob = *conv.add_blobs();
    blob.set_num(count / 2);
    blob.set_channels(count / 2);
    blob.set_height(1);
    blob.set_width(count == 4 ? 1 : 2);
    for (int i = 0; i < count; ++i) blob.add_data(static_cast<float>(i));
  }
  const std::string binary = old.SerializeAsString();
  auto read = read_caffemodel({reinterpret_cast<const uint8_t*>(binary.data()), binary.size()});
  ASSERT_TRUE(read.ok()) << read.error().message();
  auto network = import_caffe(*read);
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->blobs.at("conv")[0].shape, (std::vector<int64_t>{2, 2, 1, 1}));
}

TEST(Graph, OldBlobsGetAShape) {
  caffe::NetParameter net = parse(input("1 2") + layer("p", "PReLU", "data"));
  caffe::BlobProto& blob = *layer_of(net, "p").add_blobs();
  blob.set_num(1);
  blob.set_channels(1);
  blob.set_height(1);
  blob.set_width(2);
  blob.add_double_data(0.5);
  blob.add_double_data(0.25);
  const std::string binary = net.SerializeAsString();
  auto read = read_caffemodel({reinterpret_cast<const uint8_t*>(binary.data()), binary.size()});
  ASSERT_TRUE(read.ok());
  auto network = import_caffe(*read);
  ASSERT_TRUE(network.ok()) << network.error().message();
  EXPECT_EQ(network->blobs.at("p")[0].shape, std::vector<int64_t>{2});
  EXPECT_EQ(network->blobs.at("p")[0].data[1], 0.25F);
}

}  // namespace
}  // namespace tputwin::net::testing
