// Integers against floats: with the documented quantization, the two differ by little.
#include <random>

#include "bmnet_int8/net.h"

namespace tputwin::test {
namespace {

std::vector<float> random_values(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& v : values) v = uniform(engine);
  return values;
}

// A 3x3 convolution in float, padded by 1, of (1,c,size,size).
std::vector<float> convolve(const std::vector<float>& in, const std::vector<float>& weight, int c,
                            int size) {
  std::vector<float> out(in.size());
  for (int oc = 0; oc < c; ++oc)
    for (int h = 0; h < size; ++h)
      for (int w = 0; w < size; ++w) {
        float sum = 0;
        for (int k = 0; k < c * 9; ++k) {
          const int y = h + k / 3 % 3 - 1, x = w + k % 3 - 1;
          if (y >= 0 && y < size && x >= 0 && x < size)
            sum += weight[static_cast<size_t>(oc * c * 9 + k)] *
                   in[static_cast<size_t>((k / 9 * size + y) * size + x)];
        }
        out[static_cast<size_t>((oc * size + h) * size + w)] = sum;
      }
  return out;
}

TEST(Sanity, AConvolutionIsCloseToItsFloat) {
  const int c = 8, size = 6;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto in = random_values(c * size * size, seed);
    const auto weight = random_values(c * c * 9, seed + 1000);
    const auto expected = convolve(in, weight, c, size);
    float largest = 0;
    for (float v : expected) largest = std::max(largest, std::fabs(v));
    // The rule would choose 64 <= max|w| / largest * 2^8 < 128; here any shift is sufficient.
    const int shift = 8;
    const float factor = 1 / largest * 256;
    ASSERT_LT(factor, 128);
    OneLayer layer("tg_convolution");
    auto* param = layer.op.mutable_tg_convolution_param();
    for (int i = 0; i < 2; ++i) param->add_kernel_size(3), param->add_pad(1);
    Values quantized;
    for (float v : in) quantized.push_back(std::clamp(static_cast<int>(v * 128 + 0.5F), -128, 127));
    layer.input({1, c, size, size}, quantized).output({1, c, size, size});
    layer.blobs = {blob(weight)};
    for (float& v : layer.blobs[0].data) v = std::floor(v * factor + 0.5F);
    layer.integers.right_shift = shift;
    const Values result = layer.run();
    double squares = 0, errors = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const double difference = result[i] * largest / 128 - expected[i];
      squares += expected[i] * expected[i];
      errors += difference * difference;
    }
    EXPECT_LT(errors, squares * 0.001);
  }
}

}  // namespace
}  // namespace tputwin::test
