// How compiled random nets agree with float execution.
#pragma once

#include <cmath>

#include "bmnet_bm1684x/support.h"
#include "onnx_runtime/random_operator.h"

namespace tputwin::test {

// Fp16 rounds inputs, weights and every result, bf16 to an eighth of its digits.
inline constexpr double kTolerance32 = 1e-4, kTolerance16 = 5e-2, kMostRatio = 40;
// Bytes have steps of the largest value / 128.
inline constexpr double kToleranceBytes = 0.5;

struct Agreement {
  Status read, compiled;  // refusals by the import or float execution, and by the compiler
  Status run;
  double difference = 0;
  bool are_alike = true;  // values that are not finite
  std::string worst;      // element

  bool is_complete() const { return read.ok() && compiled.ok(); }
  // Returns "", or what differs if `tolerance` is allowed.
  std::string wrong(double tolerance) const;
};

// Compiles a model for the thread's target and runs it. A wide one may have parts on the host, and
// in fp32 values that are not finite must be alike.
Agreement agreement(RandomOperator one, DType type, bool is_wide);

// Functions with jumps, across which bytes may be rounded.
bool has_jumps(const std::string& about);
// Rounds inputs to numbers of all types, so that functions with steps have equal results.
RandomOperator rounded(RandomOperator one);
Result<net::Network> network_of(const RandomOperator& one, bool has_subnets = false);

using Outputs = std::vector<std::vector<float>>;
Result<Outputs> floats_of(const net::Network& network, const net::testing::Values& inputs);
// The largest difference in units of the largest magnitude, of values below `end`.
double difference(const std::vector<float>& actual, const std::vector<float>& expected,
                  double end = INFINITY);

}  // namespace tputwin::test
