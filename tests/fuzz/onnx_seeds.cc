// Small ONNX models that use most operators.
#include "fuzz/onnx_seeds.h"

#include <onnx/defs/parser.h>

namespace tputwin::fuzz {
namespace {

constexpr const char* kModels[] = {
    R"(<ir_version: 8, opset_import: ["" : 13]>
plain (float[1,4,8,8] x) => (float[1,6] y) {
  w = Constant<value = float[4,2,1,1] {1,2,3,4,5,6,7,8}>()
  v = Constant<value = float[4] {1,2,3,4}>()
  c = Conv<group = 2, strides = [2,2], pads = [0,1,1,0]>(x, w, v)
  b = BatchNormalization(c, v, v, v, v)
  r = LeakyRelu<alpha = 0.1>(b)
  p = MaxPool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>(r)
  a = AveragePool<kernel_shape = [3,3], pads = [1,1,1,1]>(p)
  d = ConvTranspose<strides = [2,2], group = 2, output_padding = [1,0]>(a, w)
  g = GlobalAveragePool(d)
  f = Flatten(g)
  m = Constant<value = float[6,4] {1,2,3,4,1,2,3,4,1,2,3,4,1,2,3,4,1,2,3,4,1,2,3,4}>()
  h = Gemm<transB = 1>(f, m)
  y = Softmax(h)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
moves (float[1,6,4,4] x) => (float[1,6,8,8] y, float[1,6] z) {
  shape = Shape(x)
  four = Constant<value = int64[4] {1,6,4,4}>()
  flat = Constant<value = int64[5] {1,2,3,4,4}>()
  s = Reshape(x, flat)
  t = Transpose<perm = [0,2,1,3,4]>(s)
  u = Reshape(t, four)
  parts = Constant<value = int64[2] {2,4}>()
  a, b = Split<axis = 1>(u, parts)
  c = Concat<axis = 1>(b, a)
  e = Sigmoid(c)
  k = Mul(e, c)
  pads = Constant<value = int64[8] {0,0,1,1,0,0,1,1}>()
  q = Pad<mode = "reflect">(k, pads)
  begin = Constant<value = int64[2] {1,1}>()
  end = Constant<value = int64[2] {5,5}>()
  axes = Constant<value = int64[2] {2,3}>()
  o = Slice(q, begin, end, axes)
  roi = Constant<value = float[0] {}>()
  scales = Constant<value = float[4] {1,1,2,2}>()
  y = Resize<mode = "linear">(o, roi, scales)
  i = Constant<value = int64[2] {0,2}>()
  n = Gather<axis = 2>(o, i)
  z = ReduceMax<axes = [2,3], keepdims = 0>(n)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
quantized (float[1,1,2,2] x) => (float[1,1,2,2] y) {
  s = Constant<value = float {0.5}>()
  zero = Constant<value = int8 {0}>()
  w = Constant<value = int8[1,1,1,1] {3}>()
  q = QuantizeLinear(x, s, zero)
  c = QLinearConv(q, s, zero, w, s, zero, s, zero)
  y = DequantizeLinear(c, s, zero)
})"};

}  // namespace

std::vector<Bytes> onnx_seeds() {
  std::vector<Bytes> seeds;
  for (const char* text : kModels) {
    onnx::ModelProto model;
    onnx::OnnxParser parser(text);
    if (!parser.Parse(model).IsOK()) continue;
    const std::string bytes = model.SerializeAsString();
    seeds.emplace_back(bytes.begin(), bytes.end());
  }
  return seeds;
}

}  // namespace tputwin::fuzz
