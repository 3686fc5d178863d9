// Nets that are rewritten before they are compiled, and groups of many layers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684x/simplify.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

using Dims = std::vector<int64_t>;

std::string shape_text(const Dims& extents) {
  std::string text = "input_param { shape {";
  for (const int64_t e : extents) text += fmt::format(" dim: {}", e);
  return text + " } }";
}
std::string input(const std::string& name, const Dims& extents) {
  return fmt::format("layer {{ name: '{0}' type: 'Input' top: '{0}' {1} }}\n", name,
                     shape_text(extents));
}
std::string layer(const std::string& name, const std::string& bottoms, const std::string& rest) {
  return fmt::format("layer {{ name: '{0}' top: '{0}' {1} {2} }}\n", name, bottoms, rest);
}
std::string from(const std::string& tensor) { return "bottom: '" + tensor + "'"; }

size_t count_of(const Network& network, Op kind) {
  return static_cast<size_t>(
      std::ranges::count_if(network.ops, [&](const TensorOp& op) { return is(op, kind); }));
}

// Repeats axes of y until it is like x.
std::string repetitions(const Dims& x, const Dims& y, std::string& last) {
  std::string text;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    if (x[axis] == y[axis]) continue;
    const std::string name = fmt::format("repeated{}", axis);
    text += layer(name, from(last),
                  fmt::format("type: 'Tile' tile_param {{ axis: {} tiles: {} }}", axis, x[axis]));
    last = name;
  }
  return text;
}

const char* const kSums[] = {
    "operation: SUM", "operation: SUM coeff: 1 coeff: -1", "operation: PROD",
    "operation: MAX", "operation: SUM coeff: -1 coeff: 1", "operation: SUM coeff: 2 coeff: 1"};

// Layers of two tensors read an operand before it is repeated.
TEST(Bm1684xSimplify, RepeatedOperands) {
  const Dims x{2, 6, 11, 9};
  for (const Dims& y :
       {Dims{2, 6, 11, 1}, Dims{2, 6, 1, 1}, Dims{1, 6, 1, 9}, Dims{2, 1, 11, 9}, Dims{1, 1, 1, 1}})
    for (const char* operation : kSums)
      for (const bool is_first : {false, true}) {
        SCOPED_TRACE(text(y) + " " + operation + (is_first ? ", first" : ""));
        std::string last = "b";
        std::string net = input("a", x) + input("b", y) + repetitions(x, y, last);
        net += layer("y", is_first ? from(last) + from("a") : from("a") + from(last),
                     fmt::format("type: 'Eltwise' eltwise_param {{ {} }}", operation));
        auto network = random_net(net, {}, 1);
        ASSERT_TRUE(network.ok()) << network.status().message();
        const Values inputs = random_inputs(*network, 2);
        expect_equal(*network, inputs);
        const std::string sum = operation;
        const bool has_factor = sum.ends_with("-1 coeff: 1") || sum.find('2') != sum.npos;
        bm1684x::simplify(*network, false);
        EXPECT_EQ(count_of(*network, Op::tile) == 0, !has_factor);
      }
}

// An output of the net that is repeated stays, and so does a repetition of more than one value.
TEST(Bm1684xSimplify, RepetitionsThatStay) {
  const std::string tile = "type: 'Tile' tile_param { axis: 2 tiles: 3 }";
  const std::string sum = "type: 'Eltwise' eltwise_param { operation: SUM }";
  const std::string outputs[] = {
      input("a", {1, 3, 6, 5}) + input("b", {1, 3, 2, 5}) + layer("r", from("b"), tile) +
          layer("y", from("a") + from("r"), sum),
      input("a", {1, 3, 3, 5}) + input("b", {1, 3, 1, 5}) + layer("r", from("b"), tile) +
          layer("y", from("a") + from("r"), sum) + layer("z", from("r"), "type: 'ReLU'")};
  for (const std::string& net : outputs) {
    auto network = random_net(net, {}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    expect_equal(*network, random_inputs(*network, 2));
    bm1684x::simplify(*network, false);
    EXPECT_EQ(count_of(*network, Op::tile), 1u);
  }
}

// Constants that a softmax adds become the bias of the product before it, if it has none.
TEST(Bm1684xSimplify, AddendOfSoftmax) {
  const int64_t rows = 20, length = 24, outputs = 70;
  for (const bool has_bias : {false, true}) {
    Network network;
    TensorOp product;
    set_type(product, Op::inner_product);
    auto& p = *product.mutable_tg_inner_product_param();
    p.set_num_output(outputs);
    p.set_bias_term(has_bias);
    p.set_weight_transpose(true);
    std::vector<Blob> blobs{random_blob({outputs, length}, 3)};
    if (has_bias) blobs.push_back(random_blob({outputs}, 4));
    auto made = layer_net(product, {{rows, length}}, blobs);
    ASSERT_TRUE(made.ok()) << made.status().message();
    network = std::move(*made);
    TensorOp softmax;
    set_type(softmax, Op::softmax);
    softmax.set_name("softmax");
    softmax.mutable_tg_softmax_param()->set_axis(1);
    *softmax.mutable_tg_softmax_param()->mutable_addend_shape() = make_shape({1, outputs});
    const auto end = std::ranges::find_if(network.ops, [](auto& op) { return is(op, Op::end); });
    ASSERT_NE(end, network.ops.end());
    softmax.add_bottom(end->bottom(0));
    softmax.add_top("softmax");
    *softmax.add_input_shape() = *softmax.add_output_shape() = make_shape({rows, outputs});
    end->set_bottom(0, "softmax");
    network.ops.insert(end, softmax);
    network.blobs["softmax"] = {random_blob({1, outputs}, 5)};
    const Values inputs{{"x0", random_blob({rows, length}, 1)}};
    expect_equal(network, inputs);
    bm1684x::simplify(network, false);
    EXPECT_EQ(network.blobs.count("softmax"), has_bias ? 1u : 0u);
  }
}

// Layers of 1,500 rows of 1,536 bytes or floats, of which a lane does not hold a row of each.
TEST(Bm1684xSimplify, LargeMatrices) {
  std::string net = input("a", {1, 1500, 1536}) + input("b", {1, 1, 1536});
  net += layer("r", from("b"), "type: 'Tile' tile_param { axis: 1 tiles: 1500 }");
  for (const char* operation : {"SUM", "PROD", "MAX"}) {
    SCOPED_TRACE(operation);
    const std::string sum =
        layer("s", from("a") + from("r"),
              fmt::format("type: 'Eltwise' eltwise_param {{ operation: {} }}", operation)) +
        layer("y", from("s"), "type: 'TanH'") + layer("z", from("a"), "type: 'ReLU'");
    auto network = random_net(net + sum, {}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const Values inputs = random_inputs(*network, 2);
    expect_equal(*network, inputs);
    EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "");
  }
}

// Factors of the columns of matrices, with a ReLU in the layer.
TEST(Bm1684xScale, ColumnsOfMatrices) {
  for (const int64_t rows : {8, 9, 70})
    for (const bool has_offsets : {false, true})
      for (const bool relu : {false, true}) {
        SCOPED_TRACE(fmt::format("{} rows, offsets {}, relu {}", rows, has_offsets, relu));
        TensorOp op;
        set_type(op, Op::scale);
        op.mutable_tg_scale_param()->set_bias_term(has_offsets);
        op.mutable_tg_scale_param()->set_do_activation(relu);
        std::vector<Blob> blobs{random_blob({26}, 3)};
        if (has_offsets) blobs.push_back(random_blob({26}, 4));
        auto net = layer_net(op, {{rows, 26}}, blobs);
        ASSERT_TRUE(net.ok()) << net.status().message();
        expect_equal(*net, {{"x0", random_blob({rows, 26}, 1)}});
        EXPECT_EQ(compare(*net, DType::i8, 4e-2f, 1), "") << "int8";
      }
}

// Layers that follow each other in local memory are one group, also if they are many.
TEST(Bm1684xGroups, ManyLayers) {
  std::string net = input("x", {1, 40, 12, 20}), last = "x";
  BlobShapes blobs;
  for (int i = 0; i < 30; ++i) {
    const std::string name = fmt::format("c{}", i);
    net += layer(name, from(last),
                 "type: 'Convolution' convolution_param { num_output: 40 kernel_size: 1 }");
    blobs[name] = {{40, 40, 1, 1}, {40}};
    last = name;
  }
  auto network = random_net(net, blobs, 1);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(compare(*network, DType::f32, 1e-4f, 1), "");
  auto compiled = bm1684x::compile(*network, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  size_t groups = 0;
  for (size_t at = 0; (at = compiled->explanation.find("group: ", at)) != std::string::npos; ++at)
    ++groups;
  EXPECT_EQ(groups, 1u) << compiled->explanation;
}

}  // namespace
}  // namespace tputwin::net::testing
