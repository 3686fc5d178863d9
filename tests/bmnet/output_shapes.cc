// Shapes that a bmodel gives its outputs.
#include <gtest/gtest.h>

#include "bmnet/support.h"

namespace tputwin::testing {
namespace {

using Shape = std::vector<uint32_t>;

const std::string kInput =
    "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 3 dim: 4 dim: 2 "
    "dim: 2 } } }";
const std::string kProduct =
    "layer { name: 'ip' type: 'InnerProduct' bottom: 'data' top: 'ip' inner_product_param { "
    "num_output: 10 } }";

Shape output_shape(const std::string& text) {
  auto model = random_model(text, 1);
  if (!model.ok()) return ADD_FAILURE() << model.error().message(), Shape{};
  auto compiled = net::compile(model->network, model->integers);
  if (!compiled.ok()) return ADD_FAILURE() << compiled.error().message(), Shape{};
  return compiled->outputs.at(0).shape;
}

// Matches the vendor's models.
TEST(OutputShapes, RowsOfValuesAreHeightAndWidth) {
  EXPECT_EQ(output_shape(kInput + kProduct), (Shape{1, 1, 3, 10}));
  EXPECT_EQ(
      output_shape(kInput + kProduct + "layer { name: 'p' type: 'Softmax' bottom: 'ip' top: 'p' }"),
      (Shape{1, 1, 3, 10}));
  EXPECT_EQ(output_shape(kInput + "layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' }"),
            (Shape{3, 4, 2, 2}));
}

}  // namespace
}  // namespace tputwin::testing
