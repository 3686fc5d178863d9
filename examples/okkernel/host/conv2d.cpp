// A tiled convolution, compared with plain loops. Inputs and weights are small whole numbers, whose
// sums are exact in any order, so the result must be equal.
#include <algorithm>
#include <chrono>

#include "conv2d.h"
#include "support.h"

namespace {

// Returns weights (output_c, input_c, k, k) in 2IC mode: pairs of input channels are adjacent, and
// the first dimension counts the pairs. The partner of an odd last channel is never used.
std::vector<float> in_2ic_mode(const std::vector<float>& weight, int output_c, int input_c,
                               int taps) {
  std::vector<float> packed((std::size_t)(input_c + 1) / 2 * output_c * taps * 2);
  for (int o = 0; o < output_c; o++)
    for (int i = 0; i < input_c; i++)
      for (int t = 0; t < taps; t++)
        packed[(((std::size_t)i / 2 * output_c + o) * taps + t) * 2 + i % 2] =
            weight[((std::size_t)o * input_c + i) * taps + t];
  return packed;
}

// Returns the sum of all taps inside the input, channel by channel and tap by tap.
std::vector<float> on_the_host(const conv2d_args_t& p, const std::vector<float>& input,
                               const std::vector<float>& weight, const std::vector<float>& bias,
                               int output_h, int output_w) {
  const std::size_t in_plane = (std::size_t)p.input_h * p.input_w;
  const std::size_t out_plane = (std::size_t)output_h * output_w;
  std::vector<float> output(p.n * p.output_c * out_plane);
  for (int n = 0; n < p.n; n++)
    for (int o = 0; o < p.output_c; o++) {
      float* out = &output[(n * p.output_c + o) * out_plane];
      std::fill(out, out + out_plane, bias[o]);
      for (int i = 0; i < p.input_c; i++)
        for (int ky = 0; ky < p.kernel; ky++)
          for (int kx = 0; kx < p.kernel; kx++) {
            const float* in = &input[(n * p.input_c + i) * in_plane];
            const float w =
                weight[(((std::size_t)o * p.input_c + i) * p.kernel + ky) * p.kernel + kx];
            for (int y = 0; y < output_h; y++) {
              const int h = y * p.stride + ky - p.padding;
              if (h < 0 || h >= p.input_h) continue;
              for (int x = 0; x < output_w; x++) {
                const int v = x * p.stride + kx - p.padding;
                if (0 <= v && v < p.input_w) out[y * output_w + x] += in[h * p.input_w + v] * w;
              }
            }
          }
    }
  return output;
}

bool run(Device& device, conv2d_args_t p) {
  typedef std::chrono::steady_clock Clock;
  const int taps = p.kernel * p.kernel;
  const int output_h = (p.input_h + 2 * p.padding - p.kernel) / p.stride + 1;
  const int output_w = (p.input_w + 2 * p.padding - p.kernel) / p.stride + 1;
  const std::vector<float> input =
      whole_numbers((std::size_t)p.n * p.input_c * p.input_h * p.input_w, 1);
  const std::vector<float> weight = whole_numbers((std::size_t)p.output_c * p.input_c * taps, 2);
  const std::vector<float> bias = whole_numbers(p.output_c, 3);
  const Clock::time_point start = Clock::now();
  const std::vector<float> expected = on_the_host(p, input, weight, bias, output_h, output_w);
  const double host = std::chrono::duration<double>(Clock::now() - start).count();
  Buffer in(device, input), out(device, expected.size()), biases(device, bias);
  Buffer weights(device, in_2ic_mode(weight, p.output_c, p.input_c, taps));
  p.input = in.address();
  p.weight = weights.address();
  p.bias = biases.address();
  p.output = out.address();
  const double seconds = device.run("conv2d", p);
  const std::vector<float> output = out.read();
  std::size_t equal = 0;
  for (std::size_t i = 0; i < output.size(); i++) equal += output[i] == expected[i];
  std::printf("conv2d (%d,%d,%d,%d) -> (%d,%d,%d,%d), %dx%d\n", p.n, p.input_c, p.input_h,
              p.input_w, p.n, p.output_c, output_h, output_w, p.kernel, p.kernel);
  const double mega = (double)expected.size() * p.input_c * taps * 2 / 1e6;
  std::printf("  tputwin: %.3f s for %.0f MFLOP; plain loops on the host: %.3f s\n", seconds, mega,
              host);
  std::printf("  %zu of %zu values equal the host's\n", equal, output.size());
  return equal == output.size();
}

}  // namespace

int main() {
  Device device;
  std::printf("OKKernel on the BM1684: fp32 convolutions, tiled through the L2-SRAM\n");
  // n, input c h w, output c, kernel, padding, stride; addresses are filled in by run()
  const conv2d_args_t large = {1, 80, 56, 80, 96, 3, 1, 1, 0, 0, 0, 0};
  const conv2d_args_t strips = {2, 67, 99, 120, 70, 3, 1, 2, 0, 0, 0, 0};
  const conv2d_args_t small = {1, 3, 9, 7, 5, 2, 0, 1, 0, 0, 0, 0};
  return run(device, large) && run(device, strips) && run(device, small) ? 0 : 1;
}
