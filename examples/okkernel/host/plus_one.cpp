// Runs the four kernels that add one to a tensor, from the simplest to the one that uses the chip.
#include "plus_one.h"
#include "support.h"

namespace {

bool run(Device& device, const char* kernel, int n, int c, int h, int w) {
  const std::vector<float> input = whole_numbers((std::size_t)n * c * h * w, 1);
  Buffer source(device, input), result(device, input.size());
  plus_one_args_t args = {n, c, h, w, source.address(), result.address()};
  const double seconds = device.run(kernel, args);
  const std::vector<float> output = result.read();
  for (std::size_t i = 0; i < output.size(); i++)
    if (output[i] != input[i] + 1) {
      std::printf("%-18s (%d,%d,%d,%d): element %zu is %g, not %g\n", kernel, n, c, h, w, i,
                  output[i], input[i] + 1);
      return false;
    }
  std::printf("%-18s (%d,%d,%d,%d): all %zu values right, %.1f ms on this host\n", kernel, n, c, h,
              w, output.size(), seconds * 1e3);
  return true;
}

}  // namespace

int main() {
  Device device;
  // small images, which each of the four kernels supports
  bool right = run(device, "plus_one_serial", 6, 3, 200, 300) &&
               run(device, "plus_one_parallel", 6, 3, 200, 300) &&
               run(device, "plus_one_pipeline", 6, 3, 200, 300) &&
               run(device, "plus_one_reshaped", 6, 3, 200, 300);
  // images that exceed an NPU's memory, and odd extents
  right = right && run(device, "plus_one_pipeline", 2, 3, 700, 801) &&
          run(device, "plus_one_reshaped", 2, 3, 700, 801) &&
          run(device, "plus_one_reshaped", 1, 1, 5, 7);
  return right ? 0 : 1;
}
