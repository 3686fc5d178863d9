// softmax over w and over c, compared with double precision on the host.
#include <algorithm>
#include <cmath>

#include "softmax.h"
#include "support.h"

namespace {

// Returns the largest error of the softmax of `count` values, `step` apart, from `first` on.
double largest_error(const std::vector<float>& x, const std::vector<float>& y, std::size_t first,
                     int count, std::size_t step) {
  double most = -INFINITY, sum = 0, error = 0;
  for (int i = 0; i < count; i++) most = std::max(most, (double)x[first + i * step]);
  for (int i = 0; i < count; i++) sum += std::exp(x[first + i * step] - most);
  for (int i = 0; i < count; i++) {
    const double expected = std::exp(x[first + i * step] - most) / sum;
    error = std::max(error, std::fabs(y[first + i * step] - expected));
  }
  return error;
}

bool run(Device& device, int n, int c, int h, int w, int axis) {
  std::vector<float> input = whole_numbers((std::size_t)n * c * h * w, 3);
  for (std::size_t i = 0; i < input.size(); i++) input[i] *= 12.5f;  // far beyond the range of exp
  Buffer source(device, input), result(device, input.size());
  softmax_args_t args = {n, c, h, w, axis, source.address(), result.address()};
  const double seconds = device.run("softmax", args);
  const std::vector<float> output = result.read();
  double error = 0;
  const std::size_t plane = (std::size_t)h * w;
  if (axis == SOFTMAX_OVER_W) {
    for (std::size_t first = 0; first < output.size(); first += w)
      error = std::max(error, largest_error(input, output, first, w, 1));
  } else {
    for (int image = 0; image < n; image++)
      for (std::size_t position = 0; position < plane; position++)
        error =
            std::max(error, largest_error(input, output, image * c * plane + position, c, plane));
  }
  // the chip divides with an error of some units in the last place; NaN must not pass
  const bool right = error <= 1e-5;
  std::printf("softmax (%d,%d,%d,%d) over %c: largest error %.1e, %s, %.1f ms on this host\n", n, c,
              h, w, axis == SOFTMAX_OVER_W ? 'w' : 'c', error, right ? "right" : "wrong",
              seconds * 1e3);
  return right;
}

}  // namespace

int main() {
  Device device;
  const bool right =
      run(device, 2, 3, 50, 100, SOFTMAX_OVER_W) && run(device, 1, 70, 1, 1000, SOFTMAX_OVER_W) &&
      run(device, 40, 16, 20, 5, SOFTMAX_OVER_W) && run(device, 2, 21, 37, 41, SOFTMAX_OVER_C) &&
      run(device, 8, 1000, 1, 1, SOFTMAX_OVER_C);
  return right ? 0 : 1;
}
