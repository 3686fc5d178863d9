// e^x from the chip's tables and with its function: equal bits, and close to the host's.
#include <cmath>
#include <cstring>

#include "elementwise.h"
#include "support.h"

int main() {
  Device device;
  std::vector<float> input(100003);
  for (std::size_t i = 0; i < input.size(); i++)
    input[i] = -87.0f + 175.0f * (float)i / (float)(input.size() - 1);
  Buffer source(device, input), tables(device, input.size()), function(device, input.size());
  elementwise_args_t args = {source.address(), tables.address(), (int)input.size()};
  const double seconds = device.run("exp_from_tables", args);
  args.output = function.address();
  device.run("exp_function", args);
  const std::vector<float> y = tables.read(), same = function.read();
  double error = 0;
  for (std::size_t i = 0; i < input.size(); i++)
    error = std::fmax(error, std::fabs(y[i] / std::exp((double)input[i]) - 1));
  const bool equal = std::memcmp(y.data(), same.data(), y.size() * sizeof(float)) == 0;
  const bool right = equal && error < 1e-6;
  std::printf(
      "exp of %zu numbers: largest relative error %.1e, %s the chip's function, %.1f ms on "
      "this host\n",
      y.size(), error, equal ? "bit for bit" : "unlike", seconds * 1e3);
  return right ? 0 : 1;
}
