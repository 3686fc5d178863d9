// softmax in fp32 and bf16, compared with double precision on the host.
#include "softmax.h"

#include <tpu_defs.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support.h"

namespace {

// A bf16 number is the upper half of an fp32 number.
std::vector<float> pack_bf16(const std::vector<float>& values) {
  std::vector<float> packed((values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); i++)
    std::memcpy(reinterpret_cast<char*>(packed.data()) + i * 2,
                reinterpret_cast<const char*>(&values[i]) + 2, 2);
  return packed;
}

std::vector<float> unpack_bf16(const std::vector<float>& packed, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++)
    std::memcpy(reinterpret_cast<char*>(&values[i]) + 2,
                reinterpret_cast<const char*>(packed.data()) + i * 2, 2);
  return values;
}

bool run(Device& device, int rows, int width, data_type_t dtype) {
  const std::vector<float> input = whole_numbers((std::size_t)rows * width, 3);
  const bool narrow = dtype == DT_BFP16;
  const std::vector<float> bytes = narrow ? pack_bf16(input) : input;
  Buffer source(device, bytes), result(device, bytes.size());
  softmax_args_t args = {source.address(), result.address(), rows, width, dtype};
  const double seconds = device.run("softmax", args);
  const std::vector<float> output =
      narrow ? unpack_bf16(result.read(), input.size()) : result.read();
  double error = 0;
  for (std::size_t row = 0; row < input.size(); row += width) {
    double sum = 0;
    for (int i = 0; i < width; i++) sum += std::exp((double)input[row + i]);
    for (int i = 0; i < width; i++)
      error = std::max(error, std::fabs(output[row + i] - std::exp((double)input[row + i]) / sum));
  }
  const bool right = error <= (narrow ? 4e-3 : 1e-5);  // NaN must not pass
  std::printf("softmax %d x %d %s: largest error %.1e, %s, %.1f ms on this host\n", rows, width,
              narrow ? "bf16" : "fp32", error, right ? "right" : "wrong", seconds * 1e3);
  return right;
}

}  // namespace

int main() {
  Device device;
  const bool right = run(device, 300, 100, DT_FP32) && run(device, 3, 7000, DT_FP32) &&
                     run(device, 300, 100, DT_BFP16) && run(device, 1000, 11, DT_BFP16);
  return right ? 0 : 1;
}
