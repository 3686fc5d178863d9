// A tiled fp16 product of small whole numbers, which is exact, compared with the host's.
#include "matmul.h"

#include <cstring>

#include "support.h"

namespace {

// fp16 of a whole number of at most 11 bits.
unsigned short half(int value) {
  const unsigned sign = value < 0 ? 0x8000 : 0;
  unsigned magnitude = (unsigned)(value < 0 ? -value : value), exponent = 25;
  if (magnitude == 0) return 0;
  while (magnitude < 0x400) magnitude <<= 1, exponent--;
  return (unsigned short)(sign | exponent << 10 | (magnitude & 0x3ff));
}

std::vector<float> pack(const std::vector<int>& values) {
  std::vector<float> packed((values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); i++) {
    const unsigned short bits = half(values[i]);
    std::memcpy(reinterpret_cast<char*>(packed.data()) + i * 2, &bits, 2);
  }
  return packed;
}

std::vector<int> small_numbers(int count, unsigned seed) {
  std::vector<int> values(count);
  for (int& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = (int)(seed >> 30) - 1;
  }
  return values;
}

bool run(Device& device, int rows, int depth, int cols) {
  const std::vector<int> left = small_numbers(rows * depth, 1),
                         right = small_numbers(depth * cols, 2);
  Buffer a(device, pack(left)), b(device, pack(right)), c(device, (rows * cols + 1) / 2);
  const matmul_args_t args = {a.address(), b.address(), c.address(), rows, depth, cols};
  const double seconds = device.run("matmul", args);
  const std::vector<float> result = c.read();
  int wrong = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int sum = 0;
      for (int k = 0; k < depth; k++) sum += left[i * depth + k] * right[k * cols + j];
      const unsigned short expected = half(sum);
      const char* at =
          reinterpret_cast<const char*>(result.data()) + ((std::size_t)i * cols + j) * 2;
      wrong += std::memcmp(at, &expected, 2) != 0;
    }
  std::printf("matmul %dx%dx%d fp16: %d wrong, %.1f ms on this host\n", rows, depth, cols, wrong,
              seconds * 1e3);
  return wrong == 0;
}

}  // namespace

int main() {
  Device device;
  return run(device, 5, 7, 3) && run(device, 200, 700, 600) && run(device, 129, 513, 40) ? 0 : 1;
}
