// A tiled matrix product, compared with plain loops. The matrices hold small whole numbers, whose
// sums are exact in any order, so the result must be equal.
#include "matmul.h"
#include "support.h"

namespace {

bool run(Device& device, int rows, int inner, int cols) {
  const std::vector<float> left = whole_numbers((std::size_t)rows * inner, 1);
  const std::vector<float> right = whole_numbers((std::size_t)inner * cols, 2);
  std::vector<float> expected((std::size_t)rows * cols);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < inner; k++)
      for (int j = 0; j < cols; j++)
        expected[(std::size_t)i * cols + j] +=
            left[(std::size_t)i * inner + k] * right[(std::size_t)k * cols + j];
  Buffer a(device, left), b(device, right), product(device, expected.size());
  matmul_args_t args = {rows, inner, cols, a.address(), b.address(), product.address()};
  const double seconds = device.run("matmul", args);
  const bool equal = product.read() == expected;
  std::printf("matmul %dx%d * %dx%d: %s, %.1f ms on this host\n", rows, inner, inner, cols,
              equal ? "all values equal the host's" : "wrong", seconds * 1e3);
  return equal;
}

}  // namespace

int main() {
  Device device;
  const bool right = run(device, 1, 1, 1) && run(device, 17, 65, 63) && run(device, 64, 64, 64) &&
                     run(device, 150, 300, 2100);
  return right ? 0 : 1;
}
