// Random models of one operator, for the comparison with ONNX Runtime.
#pragma once

#include <set>

#include "bmnet_onnx/support.h"
#include "selftest/rng.h"

namespace tputwin::test {

struct RandomOperator {
  onnx::ModelProto model;
  Blobs inputs;
  std::string about;  // "Conv opset 13 (1,6,9,7)"
};

// Draws operator, opset, shapes and attributes. Opsets are 7 to 26, as far as the operator has
// them.
RandomOperator random_operator(tputwin::testing::Rng& rng);
// Draws graphs, and forms of operators that the other seldom or never draws.
RandomOperator random_wide_operator(tputwin::testing::Rng& rng);

}  // namespace tputwin::test
