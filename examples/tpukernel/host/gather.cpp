// Rows of a table by their indices, some of which do not exist.
#include "gather.h"

#include <cstring>

#include "support.h"

int main() {
  Device device;
  const int rows = 1000, width = 33, count = 5000;
  const std::vector<float> table = whole_numbers((std::size_t)rows * width, 5);
  std::vector<unsigned> numbers(count);
  unsigned seed = 9;
  for (unsigned& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = (seed >> 8) % (rows + 10);
  }
  std::vector<float> bytes(count);
  std::memcpy(bytes.data(), numbers.data(), count * sizeof(unsigned));
  Buffer source(device, table), index(device, bytes), result(device, (std::size_t)count * width);
  const gather_args_t args = {
      source.address(), index.address(), result.address(), rows, width, count};
  const double seconds = device.run("gather", args);
  const std::vector<float> output = result.read();
  int wrong = 0;
  for (int i = 0; i < count; i++)
    for (int w = 0; w < width; w++) {
      const float expected =
          numbers[i] < (unsigned)rows ? table[(std::size_t)numbers[i] * width + w] : -1.0f;
      wrong += output[(std::size_t)i * width + w] != expected;
    }
  std::printf("gather of %d rows: %d wrong, %.1f ms on this host\n", count, wrong, seconds * 1e3);
  return wrong == 0 ? 0 : 1;
}
