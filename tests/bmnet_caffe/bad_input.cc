// Inputs that are refused, and the messages.
#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet_caffe/nets.h"

namespace tputwin::net::testing {
namespace {

// ---- Text ----

struct BadText {
  const char *text, *reason;
};

TEST(BadPrototxt, EveryProblemHasItsPlace) {
  for (const BadText& bad : std::initializer_list<BadText>{
           {"layer { name: 'a' typ: 'ReLU' }\nlayer { top: 'x'\n  colour: 3 }", "1:"},
           {"layer { name: 'a' typ: 'ReLU' }\nlayer { top: 'x'\n  colour: 3 }", "3:"},
           {"layer {", ":"},
           {"layer { name: 3 }", "1:"},
           {"layer { convolution_param { num_output: -1 } }", "1:"},
           {"layer { convolution_param { num_output: 5000000000 } }", "1:"},
           {"layer { pooling_param { pool: MEDIAN } }", "MEDIAN"},
           {"layer { unknown_param { a { b: 1 } } }", "unknown_param"},
           {"\x01\x02\xff", "1:"}}) {
    auto net = read_prototxt(bad.text);
    ASSERT_FALSE(net.ok()) << bad.text;
    EXPECT_EQ(net.error().id(), errors::net_prototxt);
    EXPECT_NE(net.error().detail().find(bad.reason), std::string::npos) << net.error().detail();
  }
}

TEST(BadPrototxt, Nesting) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "x {";
  EXPECT_FALSE(read_prototxt(deep).ok());
  EXPECT_TRUE(
      read_prototxt("name: '{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{' # {{{{").ok());
}

TEST(BadPrototxt, EveryPrefixOfARealOne) {
  const std::string path = shared("mtcnn/det1.prototxt");
  if (path.empty()) GTEST_SKIP() << "no shared data";
  auto bytes = read_bytes(path);
  ASSERT_TRUE(bytes.ok());
  for (size_t length = 0; length < bytes->size(); length += 7) {
    auto net = read_prototxt({reinterpret_cast<const char*>(bytes->data()), length});
    if (net.ok()) (void)import_caffe(*net);
  }
}

// ---- Binary ----

TEST(BadCaffemodel, TruncatedAnywhere) {
  const std::string path = shared("mtcnn/det2.caffemodel"), text = shared("mtcnn/det2.prototxt");
  if (path.empty() || text.empty()) GTEST_SKIP() << "no shared data";
  auto bytes = read_bytes(path);
  auto graph = load_caffe(text, "");
  ASSERT_TRUE(bytes.ok() && graph.ok());
  for (size_t length = 0; length < bytes->size(); length += 997) {
    auto net = read_caffemodel(std::span(*bytes).first(length));
    if (!net.ok()) {
      EXPECT_EQ(net.error().id(), errors::net_caffemodel);
      continue;
    }
    // A cut between two layers leaves a valid message with fewer layers.
    auto merged = merge_caffe(*graph, *net);
    ASSERT_TRUE(merged.ok());
    auto network = import_caffe(*merged);
    ASSERT_FALSE(network.ok()) << length;
    EXPECT_EQ(network.error().id(), errors::net_missing_blob);
  }
}

TEST(BadCaffemodel, Garbage) {
  std::vector<uint8_t> bytes(5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7919 >> 3);
  EXPECT_FALSE(read_caffemodel(bytes).ok());
  EXPECT_FALSE(read_caffemodel({}).ok());
  // A blob that claims two gigabytes.
  const std::vector<uint8_t> liar = {0xa2, 0x06, 0x0c, 0x3a, 0x0a, 0x2a, 0xff, 0xff,
                                     0xff, 0xff, 0x07, 0,    0,    0,    0};
  EXPECT_FALSE(read_caffemodel(liar).ok());
}

TEST(BadCaffemodel, Files) {
  EXPECT_FALSE(load_caffe("/no/such/net.prototxt", "").ok());
  EXPECT_FALSE(load_caffe("", "/no/such/net.caffemodel").ok());
  EXPECT_FALSE(load_caffe("", "").ok());
}

// ---- Nets ----

struct BadNet {
  ErrorId id;
  std::string text, reason;
};

class BadNets : public ::testing::TestWithParam<BadNet> {};

void PrintTo(const BadNet& bad, std::ostream* out) { *out << bad.text; }

TEST_P(BadNets, AreExplained) {
  auto network = import_text(GetParam().text);
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().id(), GetParam().id) << network.error().message();
  EXPECT_NE(network.error().message().find(GetParam().reason), std::string::npos)
      << network.error().message();
}

std::string on(const std::string& dims, const std::string& type, const std::string& parameters) {
  return input(dims) + layer("x", type, "data", parameters);
}
std::string conv(const std::string& parameters) {
  return on("1 3 8 8", "Convolution", "convolution_param { " + parameters + " }");
}
std::string pool(const std::string& parameters) {
  return on("1 3 8 8", "Pooling", "pooling_param { " + parameters + " }");
}

INSTANTIATE_TEST_SUITE_P(
    Graph, BadNets,
    ::testing::Values(
        BadNet{errors::net_layer_type, on("1 2", "Convolutoin", ""), "did you mean Convolution?"},
        BadNet{errors::net_layer_type, on("1 2", "relu", ""), "did you mean ReLU?"},
        BadNet{errors::net_layer_type, on("1 2", "BN", ""), "BatchNorm and Scale"},
        BadNet{errors::net_layer_type, on("1 2", "Qwertz", ""), "Qwertz"},
        BadNet{errors::net_no_input, layer("x", "ReLU", "data"), "Input"},
        BadNet{errors::net_no_input,
               "layer { name: 'd' type: 'Data' top: 'data' }" + layer("x", "ReLU", "data"),
               "has no shape"},
        BadNet{errors::net_no_layer, input("1 2"), ""},
        BadNet{errors::net_unknown_bottom, on("1 2", "ReLU", "") + layer("y", "ReLU", "z"),
               "no layer makes it"},
        BadNet{errors::net_unknown_bottom,
               input("1 2") + layer("y", "ReLU", "z") + layer("z", "ReLU", "y"),
               "only layer z after it"},
        BadNet{errors::net_unknown_bottom, input("1 2") + layer("y", "ReLU", "y"), "itself"},
        BadNet{errors::net_bottom_count, on("1 2", "ReLU", "bottom: 'data'"), "bottoms = 2"},
        BadNet{errors::net_bottom_count, on("1 2", "Eltwise", ""), "bottoms = 1"},
        BadNet{errors::net_bottom_count, on("1 2", "ReLU", "top: 'y'"), "tops = 2"},
        BadNet{errors::net_duplicate_layer, on("1 2", "ReLU", "") + layer("x", "ReLU", "x"),
               "name = x"},
        BadNet{errors::net_shape, on("1 0 2", "ReLU", ""), "(1,0,2)"},
        BadNet{errors::net_shape, on("1 -5", "ReLU", ""), "(1,-5)"},
        BadNet{errors::net_shape, on("65536 65536", "ReLU", ""), ""},
        BadNet{errors::net_shape, on("9223372036854775807 3 3 3", "ReLU", ""), ""},
        BadNet{errors::net_shape, on("1 2 3 4 5", "ReLU", ""), "at most 4 axes"}));

INSTANTIATE_TEST_SUITE_P(
    Windows, BadNets,
    ::testing::Values(
        BadNet{errors::net_layer_parameter, conv("kernel_size: 3"), "num_output"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4"), "kernel_size"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 3 stride: 0"),
               "stride"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 3 pad: 4294967295"),
               "pad"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 3 dilation: 0"),
               "dilation"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 3 kernel_h: 3"),
               "given twice"},
        BadNet{errors::net_layer_parameter,
               conv("num_output: 4 kernel_size: 3 kernel_size: 3 kernel_size: 3"), "3 values"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 1 group: 3"),
               "num_output is 4"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 1 group: 2"),
               "3 channels"},
        BadNet{errors::net_layer_parameter, conv("num_output: 4 kernel_size: 1 axis: 2"), "axis"},
        BadNet{errors::net_shape, conv("num_output: 4 kernel_size: 9"), "(1,4,0,0)"},
        BadNet{errors::net_operand_shapes,
               on("1 2", "Convolution", "convolution_param { num_output: 1 kernel_size: 1 }"),
               "3 axes"},
        BadNet{errors::net_layer_parameter,
               on("1 3 8 8", "Deconvolution",
                  "convolution_param { num_output: 1 kernel_size: 2 pad: 2 }"),
               "pad"},
        BadNet{errors::net_layer_parameter, pool("kernel_size: 2 pool: STOCHASTIC"), "STOCHASTIC"},
        BadNet{errors::net_layer_parameter, pool("kernel_size: 2 pad: 2"), "below kernel_size"},
        BadNet{errors::net_layer_parameter, pool("kernel_size: 20"), "larger than"},
        BadNet{errors::net_layer_parameter, pool("kernel_size: 1 stride: 5"), "after the input"},
        BadNet{errors::net_layer_parameter, pool("stride: 2"), "kernel_size"},
        BadNet{errors::net_layer_parameter, pool("global_pooling: true kernel_size: 2"),
               "global_pooling"}));

INSTANTIATE_TEST_SUITE_P(
    Others, BadNets,
    ::testing::Values(
        BadNet{errors::net_axis,
               on("1 2 3 4", "InnerProduct", "inner_product_param { num_output: 2 axis: 4 }"),
               "axis"},
        BadNet{errors::net_layer_parameter, on("1 2", "LRN", "lrn_param { local_size: 4 }"), "odd"},
        BadNet{errors::net_layer_parameter,
               on("1 2 3 4", "LRN", "lrn_param { norm_region: WITHIN_CHANNEL local_size: 2 }"),
               "odd"},
        BadNet{errors::net_layer_parameter, on("1 2", "ELU", "custom { value: '{alpha: 0.1}' }"),
               "{alpha: 0.1}"},
        BadNet{errors::net_layer_parameter,
               on("1 2", "Scale", "bottom: 'data' scale_param { bias_term: true }"), "bias_term"},
        BadNet{errors::net_operand_shapes,
               input("1 3", "b") + on("1 2", "Scale", "bottom: 'b' scale_param { axis: 0 }"),
               "(1,3)"},
        BadNet{errors::net_operand_shapes,
               input("1 3", "b") +
                   on("1 2 4 4", "Eltwise", "bottom: 'b' eltwise_param { operation: PROD }"),
               "(1,3)"},
        BadNet{errors::net_layer_parameter,
               on("1 2 3 4", "Scale", "scale_param { axis: 2 num_axes: 2 }"), "per channel"},
        BadNet{errors::net_bottom_count, on("1 2 3 4", "Scale", "bottom: 'data' bottom: 'data'"),
               "bottoms = 3"},
        BadNet{errors::net_axis, on("1 2", "Softmax", "softmax_param { axis: 2 }"), "(1,2)"},
        BadNet{errors::net_axis, on("1 2", "Softmax", "softmax_param { axis: -3 }"), "-3"},
        BadNet{errors::net_layer_parameter, on("1 2", "Clip", "clip_param { min: 1 max: 0 }"),
               "min"},
        BadNet{errors::net_layer_parameter, on("1 2", "Power", "power_param { power: nan }"),
               "power"},
        BadNet{errors::net_operand_shapes, input("1 3", "b") + on("1 2", "Eltwise", "bottom: 'b'"),
               "(1,3)"},
        BadNet{errors::net_layer_parameter,
               on("1 2", "Eltwise", "bottom: 'data' eltwise_param { coeff: 1 }"), "coeff"},
        BadNet{errors::net_operand_shapes,
               input("1 3 4", "b") + on("1 2 5", "Concat", "bottom: 'b'"), "axis 1"},
        BadNet{errors::net_layer_parameter, on("1 5", "Slice", "top: 'y'"), "does not divide"},
        BadNet{errors::net_layer_parameter,
               on("1 5", "Slice", "top: 'y' slice_param { slice_point: 5 }"), "inside"},
        BadNet{errors::net_operand_shapes,
               on("1 5", "Reshape", "reshape_param { shape { dim: 2 dim: -1 } }"), "number of"},
        BadNet{errors::net_layer_parameter,
               on("1 6", "Reshape", "reshape_param { shape { dim: -1 dim: -1 } }"), "several"},
        BadNet{errors::net_axis, on("1 6", "Permute", "permute_param { order: 2 }"), "order"},
        BadNet{errors::net_layer_parameter,
               on("1 6", "Permute", "permute_param { order: 0 order: 0 }"), "every axis once"},
        BadNet{errors::net_layer_parameter,
               input("1 1 9 2", "b") + on("1 1 4 4", "Crop", "bottom: 'b'"), "axis 2"},
        BadNet{errors::net_layer_parameter,
               on("1 5 2 2", "ShuffleChannel", "shuffle_channel_param { group: 2 }"), "5 channels"},
        BadNet{errors::net_layer_parameter, on("1 5 2 2", "Upsample", ""), "size"},
        BadNet{errors::net_layer_parameter, on("1 5 3 2", "Reorg", "reorg_param { stride: 2 }"),
               "stride"},
        BadNet{errors::net_layer_parameter, on("1 5", "Tile", ""), "tiles"},
        BadNet{errors::net_shape, on("65536 5", "Tile", "tile_param { tiles: 16000000 }"), ""},
        BadNet{errors::net_layer_parameter, on("1 5 3 3", "Interp", "interp_param { pad_beg: 1 }"),
               "pad_beg"},
        BadNet{errors::net_operand_shapes, on("1 5 3 3", "Region", "region_param { classes: 2 }"),
               "channels"},
        BadNet{errors::net_operand_shapes, on("1 85 3 3", "Yolo", "") + layer("y", "ReLU", "x"),
               "coordinates are floats"}));

TEST(BadNet, AllProblemsAtOnce) {
  auto network = import_text(input("1 3 8 8") +
                             layer("a", "Convolution", "data", "convolution_param { stride: 0 }") +
                             layer("b", "Pooling", "a", "pooling_param { kernel_size: 0 }") +
                             layer("c", "Magic", "b") + layer("d", "ReLU", "nowhere"));
  ASSERT_FALSE(network.ok());
  const std::string& detail = network.error().detail();
  for (const char* name :
       {"layer a", "layer b", "layer c", "layer d", "num_output", "stride", "Magic", "nowhere"})
    EXPECT_NE(detail.find(name), std::string::npos) << name << " in\n" << detail;
}

// ---- Weights ----

caffe::NetParameter with_convolution() {
  return parse(input("1 2 4 4") + layer("x", "Convolution", "data",
                                        "convolution_param { num_output: 3 kernel_size: 1 }"));
}

TEST(BadWeights, Missing) {
  auto network = import_caffe(with_convolution());
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().id(), errors::net_missing_blob);
  EXPECT_TRUE(import_caffe(with_convolution(), {.needs_weights = false}).ok());
}

TEST(BadWeights, OfAnotherSize) {
  caffe::NetParameter net = with_convolution();
  add_blob(layer_of(net, "x"), {3, 2, 1, 1}, std::vector<float>(5));
  add_blob(layer_of(net, "x"), {3}, std::vector<float>(4));
  auto network = import_caffe(net);
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().id(), errors::net_blob_shape);
  EXPECT_NE(network.error().detail().find("bias"), std::string::npos);
}

TEST(BadWeights, OneTooMany) {
  caffe::NetParameter net = with_convolution();
  add_blob(layer_of(net, "x"), {3, 2, 1, 1}, std::vector<float>(6));
  add_blob(layer_of(net, "x"), {3}, std::vector<float>(3));
  EXPECT_TRUE(import_caffe(net).ok());
  add_blob(layer_of(net, "x"), {3}, std::vector<float>(3));
  EXPECT_FALSE(import_caffe(net).ok());
}

TEST(BadWeights, NotFinite) {
  caffe::NetParameter net = with_convolution();
  add_blob(layer_of(net, "x"), {3, 2, 1, 1},
           {0, 1, 2, std::numeric_limits<float>::infinity(), 4, 5});
  add_blob(layer_of(net, "x"), {3}, {0, 1, 2});
  auto network = import_caffe(net);
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().id(), errors::net_blob_value);
}

// ---- The network itself ----

TEST(Verify, NamesTheRule) {
  auto network = import_text(input("1 2") + layer("x", "ReLU", "data"));
  ASSERT_TRUE(network.ok());
  ASSERT_TRUE(verify(*network).ok());
  auto broken = [&](auto change) {
    Network copy = *network;
    change(copy);
    Status status = verify(copy);
    return status.ok() ? std::string("ok") : std::string(status.error().detail());
  };
  EXPECT_EQ(broken([](Network& n) { n.ops.clear(); }), "no layers");
  EXPECT_NE(broken([](Network& n) { n.ops.pop_back(); }).find("last op"), std::string::npos);
  EXPECT_NE(broken([](Network& n) { n.ops[1].clear_tg_activation_param(); }).find("its tg_"),
            std::string::npos);
  EXPECT_NE(broken([](Network& n) { n.ops[1].set_bottom(0, "y"); }).find("made before"),
            std::string::npos);
  EXPECT_NE(broken([](Network& n) { n.ops[1].set_top(0, "data"); }).find("one producer"),
            std::string::npos);
  EXPECT_NE(
      broken([](Network& n) { n.ops[1].mutable_output_shape(0)->set_dim(0, 0); }).find("2^31"),
      std::string::npos);
  EXPECT_NE(
      broken([](Network& n) { n.ops[1].mutable_input_shape(0)->set_dim(0, 9); }).find("input"),
      std::string::npos);
}

}  // namespace
}  // namespace tputwin::net::testing
