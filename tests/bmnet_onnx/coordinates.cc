// Extents and positions that ONNX does not define exactly, whose expected values are those of ONNX
// Runtime 1.30 (CPU, optimization off). Slices with steps, by the formula of ONNX.
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

std::vector<float> result_of(const ModelBuilder& builder, const std::vector<float>& x) {
  auto network = import(builder.model);
  if (!network.ok()) return ADD_FAILURE() << network.status().message(), std::vector<float>();
  const std::vector<int64_t> dims = net::dims(*network->shape_of("x"));
  auto result = run_float(*network, {{"x", {dims, x}}});
  if (!result.ok()) return ADD_FAILURE() << result.status().message(), std::vector<float>();
  return result->begin()->second.data;
}

void expect_near(const std::vector<float>& got, const std::vector<float>& expected,
                 const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5) << what << " " << i;
}

// ---- Resize and Upsample of one row; element i is i squared ----

struct Row {
  const char* name;
  int64_t opset, size;
  float scale;
  std::vector<std::pair<const char*, const char*>> attributes;
  std::vector<float> expected;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class Resized : public ::testing::TestWithParam<Row> {};

TEST_P(Resized, AsOnnxRuntime) {
  const Row& row = GetParam();
  ModelBuilder builder(row.opset);
  builder.input("x", {1, 1, 1, row.size});
  builder.weights("s", {4}, {1, 1, 1, row.scale});
  auto& node = row.opset == 9    ? builder.node("Upsample", {"x", "s"}, {"y"})
               : row.opset == 10 ? builder.node("Resize", {"x", "s"}, {"y"})
                                 : builder.node("Resize", {"x", "", "s"}, {"y"});
  for (const auto& [name, value] : row.attributes) builder.set(node, name, std::string(value));
  builder.output("y");
  std::vector<float> x;
  for (int64_t i = 0; i < row.size; ++i) x.push_back(static_cast<float>(i * i));
  expect_near(result_of(builder, x), row.expected, row.name);
}

constexpr const char *kCoordinates = "coordinate_transformation_mode", *kNearest = "nearest_mode";

INSTANTIATE_TEST_SUITE_P(
    Rows, Resized,
    ::testing::Values(
        // 10 * double(1.3f) is a little less than 13.
        Row{"extent", 13, 10, 1.3f, {}, {0, 1, 1, 4, 9, 16, 16, 25, 36, 49, 64, 64, 81}},
        Row{"five_thirds", 13, 3, 5.0f / 3, {}, {0, 0, 1, 4, 4}},
        // Element 11: 11 / 1.1 is 10 in float; with double(1.1f) it is a little less.
        Row{"asymmetric",
            13,
            13,
            1.1f,
            {{kCoordinates, "asymmetric"}, {kNearest, "floor"}},
            {0, 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 100, 121}},
        Row{"for_nn",
            13,
            10,
            0.7f,
            {{kCoordinates, "tf_half_pixel_for_nn"}, {kNearest, "floor"}},
            {0, 4, 9, 25, 36, 49, 81}},
        // A factor of 1 copies the input in every mode.
        Row{"same",
            13,
            3,
            1,
            {{kCoordinates, "tf_half_pixel_for_nn"}, {kNearest, "ceil"}},
            {0, 1, 4}},
        // A factor that keeps the extents does the same.
        Row{"copied", 13, 7, 1.1f, {{kNearest, "floor"}}, {0, 1, 4, 9, 16, 25, 36}},
        Row{"ties_up", 13, 10, 0.5f, {{kNearest, "round_prefer_ceil"}}, {1, 9, 25, 49, 81}},
        Row{"next_to_a_tie",
            13,
            9,
            1.2f,
            {{kCoordinates, "asymmetric"}, {kNearest, "round_prefer_ceil"}},
            {0, 1, 4, 9, 9, 16, 25, 36, 49, 64}},
        Row{"linear", 13, 3, 5.0f / 3, {{"mode", "linear"}}, {0, 0.4f, 1, 2.8f, 4}},
        Row{"pytorch",
            13,
            7,
            0.3f,
            {{"mode", "linear"}, {kCoordinates, "pytorch_half_pixel"}},
            {1.5f, 20.5f}},
        // Before opset 11, factors below 1 round positions up.
        Row{"first_down", 10, 10, 0.7f, {}, {0, 4, 9, 25, 36, 64, 81}},
        Row{"first_up", 9, 10, 1.3f, {}, {0, 0, 1, 4, 9, 9, 16, 25, 36, 36, 49, 64, 81}}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- ConvTranspose with output_shape: kernel 1, 2, 3, ..., input 1, 10, 100 ----

struct Transposed {
  int64_t kernel, stride, extent, output_padding;
  const char* auto_pad;
  std::vector<float> expected;
};

TEST(OutputShape, PutsTheLargerPartOfPadsBefore) {
  for (const Transposed& c : {
           Transposed{3, 2, 6, 0, "NOTSET", {2, 13, 20, 130, 200, 300}},
           Transposed{3, 2, 6, 1, "NOTSET", {2, 13, 20, 130, 200, 300}},
           Transposed{3, 2, 5, 0, "NOTSET", {2, 13, 20, 130, 200}},
           Transposed{3, 2, 4, 0, "NOTSET", {13, 20, 130, 200}},
           Transposed{5, 2, 6, 1, "NOTSET", {13, 24, 135, 240, 350, 400}},
           Transposed{3, 2, 6, 0, "VALID", {2, 13, 20, 130, 200, 300}},
           Transposed{3, 2, 6, 0, "SAME_LOWER", {2, 13, 20, 130, 200, 300}},
           Transposed{3, 2, 6, 0, "SAME_UPPER", {1, 2, 13, 20, 130, 200}},
           Transposed{3, 2, 8, 0, "NOTSET", {1, 2, 13, 20, 130, 200, 300, 0}},
           Transposed{1, 2, 6, 0, "SAME_LOWER", {1, 0, 10, 0, 100, 0}},
       }) {
    ModelBuilder builder;
    builder.input("x", {1, 1, 1, 3});
    std::vector<float> weights;
    for (int64_t i = 1; i <= c.kernel; ++i) weights.push_back(static_cast<float>(i));
    builder.weights("w", {1, 1, 1, c.kernel}, weights);
    auto& node = builder.node("ConvTranspose", {"x", "w"}, {"y"});
    builder.set(node, "strides", std::vector<int64_t>{1, c.stride});
    builder.set(node, "output_shape", std::vector<int64_t>{1, c.extent});
    if (c.output_padding != 0)
      builder.set(node, "output_padding", std::vector<int64_t>{0, c.output_padding});
    builder.set(node, "auto_pad", std::string(c.auto_pad));
    builder.output("y");
    expect_near(result_of(builder, {1, 10, 100}), c.expected,
                std::string(c.auto_pad) + " to " + std::to_string(c.extent));
  }
}

// ---- Slices ----

using Places = std::vector<int64_t>;

struct Stepped {
  Places dims, starts, ends, steps;  // of all axes
};

// Returns the elements that ONNX's formula gives, and their dims.
net::Blob sliced(const Stepped& c, const std::vector<float>& x) {
  net::Blob y;
  std::vector<Places> taken;
  for (size_t a = 0; a < c.dims.size(); ++a) {
    taken.emplace_back();
    const int64_t step = c.steps[a], end = c.ends[a];
    for (int64_t i = c.starts[a]; step > 0 ? i < end : i > end; i += step) taken[a].push_back(i);
    y.shape.push_back(static_cast<int64_t>(taken[a].size()));
  }
  int64_t count = 1;
  for (const int64_t extent : y.shape) count *= extent;
  for (int64_t k = 0; k < count; ++k) {
    int64_t from = 0, run = 1, rest = k;
    for (size_t a = c.dims.size(); a-- > 0; run *= c.dims[a]) {
      from += run * taken[a][static_cast<size_t>(rest % y.shape[a])];
      rest /= y.shape[a];
    }
    y.data.push_back(x[static_cast<size_t>(from)]);
  }
  return y;
}

TEST(Slices, HaveStepsOnEveryAxis) {
  const Stepped cases[] = {
      {{4, 5, 6, 7, 8}, {0, 1, 0, 2, 1}, {4, 5, 6, 7, 8}, {2, 2, 3, 2, 3}},
      {{3, 4, 5, 6, 2, 3}, {2, 3, 4, 0, 1, 2}, {-1, 0, -1, 6, -1, -1}, {-2, -2, -1, 5, -1, -2}},
      {{2, 3, 2, 2, 5}, {0, 0, 0, 0, 0}, {2, 3, 2, 2, 5}, {1, 1, 1, 1, 2}},
      {{300}, {299}, {-1}, {-2}},
      {{2, 200}, {0, 1}, {2, 200}, {1, 2}},
      {{1, 150, 3, 40}, {0, 149, 0, 3}, {1, -1, 3, 40}, {1, -2, 2, 17}},
  };
  for (const Stepped& c : cases) {
    ModelBuilder b(13);
    b.input("x", c.dims);
    const auto rank = static_cast<int64_t>(c.dims.size());
    // An end before the first element counts from the end.
    Places axes, ends = c.ends;
    for (int64_t a = 0; a < rank; ++a) axes.push_back(a);
    for (int64_t& end : ends) end = end < 0 ? -1000 : end;
    b.integers("starts", {rank}, c.starts);
    b.integers("ends", {rank}, ends);
    b.integers("axes", {rank}, axes);
    b.integers("steps", {rank}, c.steps);
    b.node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"});
    b.output("y");
    size_t count = 1;
    for (const int64_t extent : c.dims) count *= static_cast<size_t>(extent);
    const std::vector<float> x = random_values(count, 7);
    const net::Blob expected = sliced(c, x);
    auto network = import(b.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto results = run_float(*network, {{"x", {c.dims, x}}});
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_EQ(results->at(network->outputs()[0]).data, expected.data) << c.dims.size() << " axes";
  }
}

}  // namespace
}  // namespace tputwin::test
