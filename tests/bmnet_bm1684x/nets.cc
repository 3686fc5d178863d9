// The nets of one layer.
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

using Cases = std::vector<LayerCase>;

std::string convolution(const std::string& parameters) {
  return "type: \"Convolution\" convolution_param { " + parameters + " }";
}
std::string pooling(const std::string& parameters) {
  return "type: \"Pooling\" pooling_param { " + parameters + " }";
}
std::string deconvolution(const std::string& parameters) {
  return "type: \"Deconvolution\" convolution_param { " + parameters + " }";
}

Cases convolutions_cases() {
  return {
      LayerCase{"plain", convolution("num_output: 4 kernel_size: 3"), {{4, 6, 3, 3}, {4}}},
      LayerCase{"strided",
                convolution("num_output: 4 kernel_size: 3 stride: 2 pad: 1"),
                {{4, 6, 3, 3}, {4}}},
      LayerCase{"many channels",
                convolution("num_output: 130 kernel_size: 3 pad: 1"),
                {{130, 70, 3, 3}, {130}},
                {1, 70, 12, 13}},
      LayerCase{
          "rectangular",
          convolution(
              "num_output: 5 kernel_h: 2 kernel_w: 5 stride_h: 1 stride_w: 2 pad_h: 0 pad_w: 3"),
          {{5, 6, 2, 5}, {5}}},
      LayerCase{
          "wide pad", convolution("num_output: 4 kernel_size: 1 pad: 1"), {{4, 6, 1, 1}, {4}}},
      LayerCase{"stride beyond the fields",
                convolution("num_output: 4 kernel_h: 18 kernel_w: 2 stride_h: 16 stride_w: 1"),
                {{4, 6, 18, 2}, {4}},
                {1, 6, 33, 3}},
      LayerCase{
          "grouped", convolution("num_output: 9 kernel_size: 3 group: 3"), {{9, 2, 3, 3}, {9}}},
      LayerCase{"depthwise",
                convolution("num_output: 6 kernel_size: 3 group: 6 pad: 1"),
                {{6, 1, 3, 3}, {6}}},
      LayerCase{"depthwise of many channels",
                convolution("num_output: 150 kernel_size: 5 group: 150 pad: 2 stride: 2"),
                {{150, 1, 5, 5}, {150}},
                {2, 150, 13, 14}},
      LayerCase{"dilated",
                convolution("num_output: 4 kernel_size: 3 dilation: 2 pad: 2 bias_term: false"),
                {{4, 6, 3, 3}}},
      LayerCase{"large map",
                convolution("num_output: 20 kernel_size: 3 pad: 1"),
                {{20, 16, 3, 3}, {20}},
                {1, 16, 300, 310}},
      LayerCase{"deconvolution",
                deconvolution("num_output: 4 kernel_size: 4 stride: 2 pad: 1"),
                {{6, 4, 4, 4}, {4}}},
      LayerCase{"deconvolution of step 1",
                deconvolution("num_output: 4 kernel_size: 3 stride: 1"),
                {{6, 4, 3, 3}, {4}}},
      LayerCase{"inner product",
                "type: \"InnerProduct\" inner_product_param { num_output: 70 }",
                {{70, 594}, {70}}}};
}

Cases groups_cases() {
  return {
      LayerCase{"small groups",
                convolution("num_output: 80 kernel_size: 3 group: 10 pad: 1"),
                {{80, 8, 3, 3}, {80}},
                {2, 80, 9, 7}},
      LayerCase{"groups across blocks",
                convolution("num_output: 168 kernel_size: 3 group: 7 stride: 2 bias_term: false"),
                {{168, 24, 3, 3}},
                {2, 168, 7, 6}},
      LayerCase{"groups with more results",
                convolution("num_output: 240 kernel_size: 1 group: 12"),
                {{240, 5, 1, 1}, {240}},
                {1, 60, 6, 5}},
      LayerCase{"groups with fewer results",
                convolution("num_output: 80 kernel_size: 3 group: 20 pad: 1 dilation: 2"),
                {{80, 16, 3, 3}, {80}},
                {1, 320, 6, 5}}};
}

Cases pools_cases() {
  return {LayerCase{"max", pooling("pool: MAX kernel_size: 2 stride: 2"), {}},
          LayerCase{"max padded", pooling("pool: MAX kernel_size: 3 stride: 2 pad: 1"), {}},
          LayerCase{"average", pooling("pool: AVE kernel_size: 3 stride: 1"), {}},
          LayerCase{"average padded", pooling("pool: AVE kernel_size: 3 stride: 1 pad: 1"), {}},
          LayerCase{"average cut at the edge",
                    pooling("pool: AVE kernel_size: 3 stride: 2"),
                    {},
                    {1, 5, 8, 8}},
          LayerCase{"average of large maps",
                    pooling("pool: AVE global_pooling: true"),
                    {},
                    {2, 70, 120, 110}},
          LayerCase{"average of many channels",
                    pooling("pool: AVE global_pooling: true"),
                    {},
                    {2, 300, 60, 60}},
          LayerCase{"global average", pooling("pool: AVE global_pooling: true"), {}}};
}

Cases functions_cases() {
  return {
      LayerCase{"relu", "type: \"ReLU\"", {}},
      LayerCase{"leaky relu", "type: \"ReLU\" relu_param { negative_slope: 0.1 }", {}},
      LayerCase{"prelu", "type: \"PReLU\"", {{6}}},
      LayerCase{"sigmoid", "type: \"Sigmoid\"", {}},
      LayerCase{"tanh", "type: \"TanH\"", {}},
      LayerCase{"absolute", "type: \"AbsVal\"", {}},
      LayerCase{"elu", "type: \"ELU\"", {}},
      LayerCase{"power", "type: \"Power\" power_param { power: 2 scale: 0.5 shift: 1.5 }", {}},
      LayerCase{"root", "type: \"Power\" power_param { power: 0.5 scale: 0.5 shift: 1.5 }", {}},
      LayerCase{"fraction", "type: \"Power\" power_param { power: 0.7 scale: 0.5 shift: 1.5 }", {}},
      LayerCase{
          "reciprocal", "type: \"Power\" power_param { power: -1 scale: 0.5 shift: 1.5 }", {}}};
}

Cases moves_cases() {
  return {
      LayerCase{
          "permute", "type: \"Permute\" permute_param { order: 0 order: 2 order: 3 order: 1 }", {}},
      LayerCase{"permute rows",
                "type: \"Permute\" permute_param { order: 0 order: 3 order: 1 order: 2 }",
                {}},
      LayerCase{"reorg", "type: \"Reorg\" reorg_param { stride: 2 }", {}, {2, 8, 6, 8}}};
}

}  // namespace

const Cases& layer_cases() {
  static const Cases all = [] {
    Cases cases;
    for (const Cases& some :
         {convolutions_cases(), groups_cases(), pools_cases(), functions_cases(), moves_cases()})
      cases.insert(cases.end(), some.begin(), some.end());
    return cases;
  }();
  return all;
}

std::string net_of(const LayerCase& c) {
  std::string shape;
  for (const int64_t dim : c.input) shape += " dim: " + std::to_string(dim);
  return "name: \"net\" layer { name: \"data\" type: \"Input\" top: \"data\" input_param { shape "
         "{" +
         shape + " } } } layer { name: \"y\" bottom: \"data\" top: \"y\" " + c.layer + " }";
}

}  // namespace tputwin::net::testing
