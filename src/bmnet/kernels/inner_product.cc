// tg_inner_product: a matrix command if the weights of a column block fit in the lanes. Otherwise a
// convolution whose window is the whole input; it also accumulates any length in 32 bits.
#include <optional>

#include "bmnet/kernels/lower_op.h"

namespace tputwin::net {
namespace {

class MatrixProduct : public Kernel {
 public:
  int right_shift = 0;
  bool has_bias = false;

  bool can_split_rows() const override { return false; }
  bool can_split_channels() const override { return true; }

  void emit(Program& program, const Operands& o) const override {
    tensor_lmem res = tensor_of(o.output), left = tensor_of(o.inputs[0]);
    tensor_lmem right = matrix_tensor(o.weights[0].address, inputs[0].e.c, o.output.e.c);
    tensor_lmem bias{};
    bmk1880_matrix_mac_param_t p{};
    p.res = &res;
    p.left = &left;
    p.right = &right;
    if (has_bias) {
      bias = matrix_tensor(o.weights[1].address, 2, o.output.e.c);
      p.bias = &bias;
    }
    p.rshift_width = right_shift;
    p.res_is_int8 = true;
    p.ctrls = CTRL_NULL;
    program.check(bmk1880_tpu_matrix_mac(program.context(), &p));
    if (do_relu) emit_relu(program, o.output);
  }
};

class WholeWindow : public Kernel {
 public:
  int right_shift = 0;
  bool has_bias = false;

  Span input_rows(size_t, Span) const override { return {0, inputs[0].e.h}; }
  bool can_split_rows() const override { return false; }
  bool can_split_channels() const override { return true; }

  void emit(Program& program, const Operands& o) const override {
    const Extents& in = inputs[0].e;
    tensor_lmem out = tensor_of(o.output), map = tensor_of(o.inputs[0]);
    tensor_lmem weight = unaligned_tensor(o.weights[0].address, {in.c, o.output.e.c, in.h, in.w});
    tensor_lmem bias{};
    bmk1880_conv_param_t p{};
    p.ofmap = &out;
    p.ifmap = &map;
    p.weight = &weight;
    if (has_bias) {
      bias = unaligned_tensor(o.weights[1].address, {2, o.output.e.c, 1, 1});
      p.bias = &bias;
    }
    p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
    p.rshift_width = right_shift;
    program.check(bmk1880_tpu_conv(program.context(), &p));
    if (do_relu) emit_relu(program, o.output);
  }
};

constexpr int64_t kMaxInputs = 4095, kMaxWindow = 16;

// Returns a window (channels, h, w) with at least as many elements as `in`, and as few more as
// possible. Returns the map's own extents if they are within the limits.
std::optional<Extents> window_for(const Extents& in) {
  if (in.c <= kMaxInputs && in.h <= kMaxWindow && in.w <= kMaxWindow)
    return Extents{1, in.c, in.h, in.w};
  const int64_t length = in.c * in.h * in.w;
  std::optional<Extents> best;
  for (int64_t h = 1; h <= kMaxWindow; ++h)
    for (int64_t w = h; w <= kMaxWindow; ++w) {
      const Extents e{1, ceil_div(length, h * w), h, w};
      if (e.c <= kMaxInputs && (!best || e.count() < best->count())) best = e;
    }
  return best;
}

uint8_t byte_of(float value) { return static_cast<uint8_t>(static_cast<int>(value)); }

// Converts (N, K) to (K, N) as bytes.
std::vector<uint8_t> transposed(std::span<const float> matrix, size_t n, size_t k) {
  std::vector<uint8_t> bytes(n * k);
  for (size_t j = 0; j < k; ++j)
    for (size_t i = 0; i < n; ++i) bytes[j * n + i] = byte_of(matrix[i * k + j]);
  return bytes;
}

// Converts (N, K) to (N, taps, channels), with zeros after K.
std::vector<uint8_t> as_window(std::span<const float> matrix, size_t n, size_t k,
                               const Extents& e) {
  const size_t taps = static_cast<size_t>(e.h * e.w), channels = static_cast<size_t>(e.c);
  std::vector<uint8_t> bytes(n * channels * taps, 0);
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < taps; ++t) {
      uint8_t* to = &bytes[(i * taps + t) * channels];
      const float* from = &matrix[i * k];
      for (size_t c = 0; c * taps + t < k && c < channels; ++c) to[c] = byte_of(from[c * taps + t]);
    }
  return bytes;
}

// A block of 1024 columns may take half of local memory. The rest is for the next block and the
// operands.
bool suits_matrix(int64_t samples, int64_t k) {
  return samples <= 4095 && k <= 4095 && k * 32 <= kLaneBytes / 2 &&
         aligned_bytes(matrix_extents(samples, k)) <= kLaneBytes / 8;
}

}  // namespace

Result<std::vector<KernelPtr>> lower_inner_product(const Network& network, const TensorOp& op,
                                                   const LayerIntegers& integers) {
  const auto& param = op.tg_inner_product_param();
  const std::vector<Blob>& blobs = network.blobs.at(op.name());
  if (Status s = check_integers(op, blobs[0], 127); !s.ok()) return s;
  if (param.bias_term())
    if (Status s = check_integers(op, blobs[1], 32767); !s.ok()) return s;
  std::vector<float> rearranged;
  std::span<const float> matrix = blobs[0].data;
  if (!param.weight_transpose()) matrix = rearranged = inner_product_matrix(op, blobs[0]);
  const Extents in = extents(op.input_shape(0));
  const int64_t k_length = in.c * in.h * in.w, n = param.num_output();

  std::vector<KernelPtr> kernels;
  if (suits_matrix(in.n, k_length)) {
    auto k = std::make_unique<MatrixProduct>();
    k->right_shift = integers.right_shift;
    k->has_bias = param.bias_term();
    k->inputs = {{op.bottom(0), {in.n, k_length, 1, 1}, 0, true}};
    k->output = {op.top(0), {in.n, n, 1, 1}, 0, true};
    k->weights.push_back({transposed(matrix, static_cast<size_t>(n), static_cast<size_t>(k_length)),
                          {k_length, n, 1, 1},
                          Weight::Layout::matrix});
    if (param.bias_term())
      k->weights.push_back({bias_bytes(blobs[1].data), {2, n, 1, 1}, Weight::Layout::matrix});
    kernels.push_back(std::move(k));
  } else {
    std::optional<Extents> window = window_for(in);
    if (!window) return check_field(op, "inputs of a neuron", k_length, kMaxInputs * 256).error();
    auto k = std::make_unique<WholeWindow>();
    k->right_shift = integers.right_shift;
    k->has_bias = param.bias_term();
    k->inputs = {{op.bottom(0), {in.n, window->c, window->h, window->w}}};
    k->output = {op.top(0), {in.n, n, 1, 1}};
    k->weights.push_back(
        {as_window(matrix, static_cast<size_t>(n), static_cast<size_t>(k_length), *window),
         {1, n, window->h * window->w, window->c}});
    if (param.bias_term()) k->weights.push_back(bias_weight(blobs[1].data));
    kernels.push_back(std::move(k));
  }
  kernels.back()->do_relu = param.do_activation();
  return kernels;
}

}  // namespace tputwin::net
