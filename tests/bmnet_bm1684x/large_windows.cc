// Windows and products beyond the limits of commands, on both chips in all their types.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

struct LargeCase {
  const char* name;
  std::vector<int64_t> input;
  std::string layer;
  std::vector<std::vector<int64_t>> blobs;
};
void PrintTo(const LargeCase& c, std::ostream* out) { *out << c.name; }

std::string convolution_of(const std::string& parameters, int outputs = 4) {
  return "type: 'Convolution' convolution_param { num_output: " + std::to_string(outputs) + " " +
         parameters + " }";
}
std::string deconvolution_of(const std::string& parameters) {
  return "type: 'Deconvolution' convolution_param { num_output: 4 " + parameters + " }";
}
std::string pooling_of(const std::string& parameters) {
  return "type: 'Pooling' pooling_param { " + parameters + " }";
}

std::vector<LargeCase> convolutions() {
  return {
      {"ConvolutionPads",
       {1, 3, 9, 7},
       convolution_of("kernel_size: 3 pad: 20"),
       {{4, 3, 3, 3}, {4}}},
      {"ConvolutionStride",
       {2, 3, 50, 70},
       convolution_of("kernel_size: 3 stride: 20"),
       {{4, 3, 3, 3}, {4}}},
      {"ConvolutionPrimeStride",
       {1, 3, 50, 70},
       convolution_of("kernel_size: 5 pad: 2 stride: 17"),
       {{4, 3, 5, 5}, {4}}},
      {"ConvolutionDilation",
       {2, 3, 45, 50},
       convolution_of("kernel_size: 3 pad: 18 stride: 2 dilation: 17"),
       {{4, 3, 3, 3}, {4}}},
      {"ConvolutionDilationOfRows",
       {1, 4, 70, 9},
       convolution_of("kernel_size: 3 pad_h: 5 pad_w: 1 group: 2 dilation: 20 dilation: 1"),
       {{4, 2, 3, 3}, {4}}},
      {"DeconvolutionStride",
       {1, 3, 4, 5},
       deconvolution_of("kernel_size: 32 stride: 16 pad: 8"),
       {{3, 4, 32, 32}, {4}}},
      {"DeconvolutionOfGroups",
       {2, 4, 3, 2},
       deconvolution_of("kernel_size: 40 stride: 20 pad: 10 group: 4"),
       {{4, 1, 40, 40}, {4}}},
      {"DeconvolutionKernel",
       {1, 3, 4, 5},
       deconvolution_of("kernel_size: 20 stride: 2 pad: 1"),
       {{3, 4, 20, 20}, {4}}},
      {"DeconvolutionOfStrideOne",
       {1, 3, 6, 5},
       deconvolution_of("kernel_size: 21 stride: 1 pad: 2"),
       {{3, 4, 21, 21}, {4}}},
  };
}

// Pads of a deconvolution with a larger dilation are larger than those of commands.
std::vector<LargeCase> dilated_deconvolutions() {
  const std::vector<std::vector<int64_t>> weights{{3, 4, 3, 3}, {4}};
  return {
      {"Pads", {1, 3, 4, 5}, deconvolution_of("kernel_size: 3 dilation: 12"), weights},
      {"Dilation",
       {2, 3, 4, 5},
       deconvolution_of("kernel_size: 3 stride: 2 pad: 4 dilation: 16"),
       weights},
      {"DilationWithoutPads",
       {1, 3, 40, 37},
       deconvolution_of("kernel_size: 3 pad: 36 dilation: 18"),
       weights},
      {"DilationAndStride",
       {1, 3, 3, 4},
       deconvolution_of("kernel_size: 3 stride: 17 pad: 1 dilation: 20"),
       weights},
      {"DilationOfGroups",
       {1, 4, 5, 3},
       deconvolution_of("kernel_size: 2 stride: 3 group: 2 dilation: 17 dilation: 2"),
       {{4, 2, 2, 2}, {4}}},
      {"WideMap",
       {1, 3, 2, 2100},
       deconvolution_of("kernel_h: 1 kernel_w: 3 stride: 1 dilation: 3 bias_term: false"),
       {{3, 4, 1, 3}}},
  };
}

std::vector<LargeCase> pools_and_wide_maps() {
  return {
      {"MaximumPads",
       {1, 5, 30, 20},
       pooling_of("pool: MAX kernel_size: 33 pad: 16 stride: 1"),
       {}},
      {"MaximumStride", {2, 5, 43, 63}, pooling_of("pool: MAX kernel_size: 3 stride: 20"), {}},
      {"MaximumPrimeStride", {2, 5, 54, 71}, pooling_of("pool: MAX kernel_size: 3 stride: 17"), {}},
      {"AveragePads",
       {1, 5, 30, 20},
       pooling_of("pool: AVE kernel_size: 33 pad: 16 stride: 1"),
       {}},
      {"AverageStride", {2, 5, 43, 63}, pooling_of("pool: AVE kernel_size: 3 stride: 20"), {}},
      {"WideConvolution",
       {1, 3, 2, 5000},
       convolution_of("kernel_h: 1 kernel_w: 3 pad_w: 1 pad_h: 0"),
       {{4, 3, 1, 3}, {4}}},
      {"WideMaximum", {1, 3, 3, 4500}, pooling_of("pool: MAX kernel_size: 3 pad: 1 stride: 2"), {}},
      {"WideAverage", {1, 3, 3, 4500}, pooling_of("pool: AVE kernel_size: 3 stride: 1"), {}},
      {"TallConvolution",
       {1, 3, 5000, 2},
       convolution_of("kernel_h: 3 kernel_w: 1 pad_h: 1 pad_w: 0"),
       {{4, 3, 3, 1}, {4}}},
  };
}

class LargeWindow : public ::testing::TestWithParam<LargeCase> {};

TEST_P(LargeWindow, HasTheValuesOfFloatExecution) {
  const LargeCase& c = GetParam();
  std::string shape;
  for (const int64_t d : c.input) shape += " dim: " + std::to_string(d);
  const std::string net = "layer { name: 'x' type: 'Input' top: 'x' input_param { shape {" + shape +
                          " } } } layer { name: 'y' bottom: 'x' top: 'y' " + c.layer + " }";
  auto network = random_net(net, {{"y", c.blobs}}, 5);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(compare(*network, DType::f32, 2e-5f, 1), "");
  EXPECT_EQ(compare(*network, DType::f16, 4e-3f, 1), "");
  EXPECT_EQ(compare(*network, DType::i8, 4e-2f, 1), "");
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  EXPECT_EQ(compare(*network, DType::f32, 2e-5f, 1), "") << "BM1684";
  EXPECT_EQ(compare(*network, DType::i8, 6e-2f, 1), "") << "BM1684";
}

INSTANTIATE_TEST_SUITE_P(Convolutions, LargeWindow, ::testing::ValuesIn(convolutions()));
INSTANTIATE_TEST_SUITE_P(DilatedDeconvolutions, LargeWindow,
                         ::testing::ValuesIn(dilated_deconvolutions()));
INSTANTIATE_TEST_SUITE_P(PoolsAndWideMaps, LargeWindow, ::testing::ValuesIn(pools_and_wide_maps()));

TEST(LargeUpsample, HasTheValuesOfFloatExecution) {
  for (const auto& [rows, columns] : {std::pair(20, 16), {17, 34}, {2, 31}, {1, 700}}) {
    TensorOp op;
    set_type(op, Op::upsample);
    op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(rows));
    op.mutable_tg_upsample_param()->add_size(static_cast<uint32_t>(columns));
    const Network network = *layer_net(op, {{2, 3, 3, 4}}, {});
    EXPECT_EQ(compare(network, DType::f32, 0, 1), "") << rows;
    EXPECT_EQ(compare(network, DType::i8, 1e-2f, 1), "") << rows;
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    EXPECT_EQ(compare(network, DType::f32, 0, 1), "") << rows;
    EXPECT_EQ(compare(network, DType::i8, 1e-2f, 1), "") << rows;
  }
}

// Rows of the right matrix that take more than a lane.
TEST(LongProducts, HaveTheValuesOfFloatExecution) {
  TensorOp product;
  set_type(product, Op::matmul);
  const Network of_tensors = *layer_net(product, {{2, 3, 5000}, {2, 5000, 7}}, {});
  TensorOp dense;
  set_type(dense, Op::inner_product);
  dense.mutable_tg_inner_product_param()->set_num_output(6);
  dense.mutable_tg_inner_product_param()->set_bias_term(true);
  const Network of_weights = *layer_net(
      dense, {{12, 5000}}, {random_blob({6, 5000}, 3, -1, 1), random_blob({6}, 4, -1, 1)});
  for (const Network* network : {&of_tensors, &of_weights}) {
    EXPECT_EQ(compare(*network, DType::f32, 5e-5f, 1), "");
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    EXPECT_EQ(compare(*network, DType::f32, 5e-5f, 1), "") << "BM1684";
  }
}

// Layers of nets of bytes that are fp32: of many rows on the BM1684, and by a table.
TEST(LongProducts, OfNetsOfBytes) {
  TensorOp dense;
  set_type(dense, Op::inner_product);
  dense.mutable_tg_inner_product_param()->set_num_output(6);
  dense.mutable_tg_inner_product_param()->set_bias_term(false);
  const Network network = *layer_net(dense, {{40, 7000}}, {random_blob({6, 7000}, 3, -1, 1)});
  const Values inputs = random_inputs(network, 1);
  {
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    EXPECT_EQ(compare(network, DType::i8, 1e-4f, inputs), "") << "BM1684";
  }
  NetCalibrationParameter table = largest_values(network, inputs);
  for (auto& layer : *table.mutable_layer())
    if (layer.name() == "y") layer.set_type("fp32");
  const auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const auto actual = run(*compiled, network, inputs);
  const auto expected = (*FloatExecutor::create(network))->run(inputs);
  ASSERT_TRUE(actual.ok() && expected.ok());
  const std::vector<float>& y = expected->begin()->second.data;
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR((*actual)[0][i], y[i], 1e-3f);
}

// More rows than an operand of the BM1684 has channels.
TEST(ManyRows, HaveTheValuesOfFloatExecution) {
  TensorOp softmax;
  set_type(softmax, Op::softmax);
  softmax.mutable_tg_softmax_param()->set_axis(1);
  TensorOp sum;
  set_type(sum, Op::arithmetic);
  sum.mutable_tg_arithmetic_param()->set_operation(::bmnet::TGArithmeticParameter::ADD);
  *sum.mutable_tg_arithmetic_param()->mutable_b_shape() = make_shape({1, 9});
  const Network nets[] = {*layer_net(softmax, {{9000, 9}}, {}),
                          *layer_net(sum, {{9000, 9}}, {random_blob({1, 9}, 3, -1, 1)})};
  for (const Network& network : nets)
    for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
      const bm1684x::ScopedTarget scope(*target);
      EXPECT_EQ(compare(network, DType::f32, 2e-5f, 1), "") << target->chip.name;
    }
}

// Both averages read one tensor. The first takes rows as they are, and finds more of them in local
// memory than it needs.
TEST(AveragesOfOneTensor, HaveTheValuesOfFloatExecution) {
  const auto average = [](bool of_rows, int64_t extent) {
    TensorOp op;
    set_type(op, Op::resample);
    auto& p = *op.mutable_tg_resample_param();
    const auto add = [&](auto* sources, auto* weights, int64_t count, int64_t taps) {
      for (int64_t i = 0; i < count; ++i)
        for (int64_t t = 0; t < taps; ++t) {
          sources->Add(static_cast<int>(i + t));
          weights->Add(1.0f / static_cast<float>(taps));
        }
    };
    const int64_t taps = 5, rows = of_rows ? extent - taps + 1 : extent;
    const int64_t columns = of_rows ? 40 : 40 - taps + 1;
    p.set_row_taps(of_rows ? taps : 1);
    p.set_column_taps(of_rows ? 1 : taps);
    add(p.mutable_row_source(), p.mutable_row_weight(), rows, of_rows ? taps : 1);
    add(p.mutable_column_source(), p.mutable_column_weight(), columns, of_rows ? 1 : taps);
    *op.add_output_shape() = make_shape({1, 70, rows, columns});
    return op;
  };
  constexpr int64_t kRows = 400;
  Network net = *layer_net(average(false, kRows), {{1, 70, kRows, 40}}, {});
  TensorOp other = average(true, kRows);
  other.set_name("z");
  other.add_bottom("x0");
  *other.add_input_shape() = *net.shape_of("x0");
  other.add_top("z");
  net.ops.insert(net.ops.end() - 1, other);
  net.ops.back().add_bottom("z");
  *net.ops.back().add_input_shape() = other.output_shape(0);
  expect_equal(net, random_inputs(net, 1));
}

// Matrices of bands, with more channels than lanes.
TEST(Lrn, HasTheValuesOfFloatExecution) {
  for (const int64_t channels : {7, 70, 131})
    for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
      TensorOp op;
      set_type(op, Op::lrn);
      op.mutable_tg_lrn_param()->set_alpha(0.3f);
      const auto network = layer_net(op, {{2, channels, 9, 5}}, {});
      ASSERT_TRUE(network.ok()) << network.status().message();
      const bm1684x::ScopedTarget scope(*target);
      EXPECT_EQ(compare(*network, DType::f32, 2e-5f, 1), "")
          << channels << " channels on the " << target->chip.name;
    }
}

}  // namespace
}  // namespace tputwin::net::testing
