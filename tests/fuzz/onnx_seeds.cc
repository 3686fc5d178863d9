// Small ONNX models: nets of several layers, parts of nets that the host computes, and a model of
// each form of each operator.
#include "fuzz/onnx_seeds.h"

#include <onnx/defs/parser.h>

#include <stdexcept>

#include "bmnet_onnx/form_models.h"

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

// Integers, extents of the run, positions and bounds that are tensors.
constexpr const char* kHostModels[] = {
    R"(<ir_version: 8, opset_import: ["" : 13]>
detector (float[1,4,4] boxes, float[1,2,4] scores) => (float[n,4] y) {
  most = Constant<value = int64[1] {3}>()
  iou = Constant<value = float[1] {0.5}>()
  least = Constant<value = float[1] {0.3}>()
  found = NonMaxSuppression(boxes, scores, most, iou, least)
  column = Constant<value = int64 {2}>()
  box = Gather<axis = 1>(found, column)
  first = Constant<value = int64[1] {0}>()
  rows = Squeeze(boxes, first)
  y = Gather(rows, box)
})",
    R"(<ir_version: 8, opset_import: ["" : 18]>
positions (float[2,6] x, int64[2,3] i, float[2,3] u) => (float[2,6] y, float[2,3] z) {
  six = Constant<value = int64 {6}>()
  p = Mod(i, six)
  y = ScatterElements<axis = 1, reduction = "add">(x, p, u)
  z = GatherElements<axis = 1>(y, p)
})",
    R"(<ir_version: 8, opset_import: ["" : 18]>
scattered (float[4,3] x, int64[2,1] i, float[2,3] u) => (float[4,3] y) {
  four = Constant<value = int64 {4}>()
  p = Mod(i, four)
  s = Sigmoid(x)
  y = ScatterND<reduction = "max">(s, p, u)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
found (float[1,2,3,4] x) => (int64[4,n] i, float[n] y, float[k] z) {
  c = Relu(x)
  i = NonZero(c)
  t = Transpose<perm = [1,0]>(i)
  y = GatherND(c, t)
  s = Shape(y)
  f = ConstantOfShape<value = float[1] {2}>(s)
  m = Mul(y, f)
  minus = Constant<value = int64[1] {-1}>()
  z = Reshape(m, minus)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
parts (float[1,2,3] x) => (float[n,a] y, int64[b,c] w) {
  i = NonZero(x)
  parts = Constant<value = int64[2] {1,2}>()
  w, v = Split<axis = 0>(i, parts)
  y = Cast<to = 1>(v)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
text (int64[1,3] ids) => (float[1,3,2] y, int64[1,3] sums, int64[1,3] whole) {
  table = Constant<value = float[5,2] {0,1,10,11,20,21,30,31,40,41}>()
  five = Constant<value = int64 {5}>()
  axis = Constant<value = int64 {1}>()
  rest = Mod(ids, five)
  whole = Div(ids, five)
  rows = Gather(table, rest)
  sums = CumSum(rest, axis)
  mask = Cast<to = 1>(rest)
  last = Constant<value = int64[1] {2}>()
  column = Unsqueeze(mask, last)
  y = Mul(rows, column)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
best (float[2,9] x) => (float[2,3] y, int64[2,3] i, int64[2,1] a) {
  k = Constant<value = int64[1] {3}>()
  y, i = TopK(x, k)
  a = ArgMax<axis = 1>(x)
})",
    R"(<ir_version: 8, opset_import: ["" : 16]>
samples (float[1,3,4,4] m, float[1,2,2,2] g, float[2,4] r) => (float[1,3,2,2] s, float[2,3,2,2] q) {
  s = GridSample<padding_mode = "border">(m, g)
  b = Constant<value = int64[2] {0,0}>()
  q = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = 2>(s, r, b)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
computed (float[1,2,6,6] x, float[3,2,3,3] w, float low, float high) => (float[1,3,4,4] y) {
  c = Conv(x, w)
  y = Clip(c, low, high)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
chosen (float[2,3] x, float[1] c) => (float[2,3] y) {
  half = Constant<value = float {0.5}>()
  condition = Greater(c, half)
  y = If<then_branch = t () => (float[2,3] p) { p = Exp(x) },
         else_branch = e () => (float[2,3] q) { q = Neg(x) }>(condition)
})",
    R"(<ir_version: 8, opset_import: ["" : 13]>
long (float[1,1,1,4096] x) => (float[1,1,1,4096] y, float[1,1,1,2048] z) {
  s = Softmax(x)
  axis = Constant<value = int64 {3}>()
  y = CumSum(s, axis)
  z = MaxPool<kernel_shape = [1,2], strides = [1,2]>(y)
})"};

void add_models(std::vector<Bytes>& seeds, std::span<const char* const> texts) {
  for (const char* text : texts) {
    onnx::ModelProto model;
    onnx::OnnxParser parser(text);
    const auto status = parser.Parse(model);
    if (!status.IsOK()) throw std::runtime_error(std::string(text) + "\n" + status.ErrorMessage());
    seeds.push_back(bytes_of(model));
  }
}

}  // namespace

std::vector<Bytes> onnx_seeds() {
  std::vector<Bytes> seeds = form_onnx_seeds();
  std::erase_if(seeds, [](const Bytes& seed) { return !is_onnx(seed); });
  add_models(seeds, kModels);
  return seeds;
}

std::vector<Bytes> host_onnx_seeds() {
  std::vector<Bytes> seeds;
  add_models(seeds, kModels);
  add_models(seeds, kHostModels);
  return seeds;
}

// The opsets of a form's first and last use have the same nodes: one of them is a seed.
std::vector<Bytes> form_onnx_seeds() {
  std::vector<Bytes> seeds;
  const std::vector<test::FormModel> models = test::form_models();
  for (size_t i = 0; i < models.size(); ++i) {
    const bool is_last = i + 1 == models.size() || models[i + 1].type != models[i].type;
    if (is_last) seeds.push_back(bytes_of(models[i].model));
  }
  return seeds;
}

}  // namespace tputwin::fuzz
