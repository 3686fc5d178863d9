// Names of operations and calls that are more than element-wise.
#include "insight/timing/recorded_names.h"

namespace tputwin::insight {
namespace {

struct Row {
  std::string_view name;
  Arithmetic arithmetic;
};
constexpr Row kRows[] = {
    // Calls of the OKKernel API.
    {"okk_bdc_conv2d", Arithmetic::convolution},
    {"okk_bdc_depthwise2d", Arithmetic::window},
    {"okk_bdc_avg_pool2d", Arithmetic::window},
    {"okk_bdc_max_pool2d", Arithmetic::window},
    {"okk_bdc_matmul", Arithmetic::product},
    // Operations: the results of name(const Operation&).
    {"conv", Arithmetic::convolution},
    {"conv_f32", Arithmetic::convolution},
    {"conv_int8", Arithmetic::convolution},
    {"conv2d_float", Arithmetic::convolution},
    {"conv2d_quant", Arithmetic::convolution},
    {"winograd", Arithmetic::convolution},
    {"winograd_int8", Arithmetic::convolution},
    {"depthwise", Arithmetic::window},
    {"depthwise_f32", Arithmetic::window},
    {"depthwise_int8", Arithmetic::window},
    {"depthwise2d_float", Arithmetic::window},
    {"depthwise2d_quant", Arithmetic::window},
    {"mean_int8", Arithmetic::window},
    {"max_pooling", Arithmetic::window},
    {"avg_pooling", Arithmetic::window},
    {"max_pooling_f32", Arithmetic::window},
    {"avg_pooling_f32", Arithmetic::window},
    {"max_pooling_int8", Arithmetic::window},
    {"max_pool2d_float", Arithmetic::window},
    {"avg_pool2d_float", Arithmetic::window},
    {"max_pool2d_quant", Arithmetic::window},
    {"avg_pool2d_quant", Arithmetic::window},
    {"matrix_mac", Arithmetic::product},
    {"matrix_mac_2", Arithmetic::product},
    {"matmul_f32", Arithmetic::product},
    {"matmul_int8", Arithmetic::product},
    {"matmul_float", Arithmetic::product},
    {"matmul_grouped", Arithmetic::product},
    {"matmul_int", Arithmetic::product},
};

}  // namespace

Arithmetic arithmetic_named(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.arithmetic;
  return Arithmetic::elements;
}

}  // namespace tputwin::insight
