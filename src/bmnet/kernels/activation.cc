// tg_activation, tg_prelu, tg_power, tg_clip: element by element.
#include "bmnet/kernels/lower_op.h"

namespace tputwin::net {
namespace {

class Relu : public ElementwiseKernel {
 public:
  int in_place_input() const override { return 0; }
  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output);
    Input in(o, 0);
    bmk1880_relu_param_t p{};
    p.ofmap = &out;
    p.ifmap = &in;
    program.check(bmk1880_tpu_relu(program.context(), &p));
  }
};

// rhu(max(x,0) * gt_scale, gt_shift) | rhu(min(x,0) * slope, le_shift): one side is always 0.
class LeakyRelu : public ElementwiseKernel {
 public:
  int gt_scale = 1, gt_shift = 0, le_scale = 0, le_shift = 0;
  bool has_slopes = false;  // one per channel, in weights[0]

  int64_t scratch_bytes(const Extents& out) const override { return aligned_bytes(out); }

  void emit(Program& program, const Operands& o) const override {
    tensor_lmem positive = tensor_of(o.output), negative = aligned_tensor(o.scratch, o.output.e);
    Input in(o, 0);
    bmk1880_max_const_param_t max{.max = &positive, .a = &in, .b = 0, .b_is_signed = true};
    program.check(bmk1880_tpu_max_const(program.context(), &max));
    emit_scale(program, positive, gt_scale, gt_shift);
    bmk1880_min_const_param_t min{.min = &negative, .a = &in, .b = 0, .b_is_signed = true};
    program.check(bmk1880_tpu_min_const(program.context(), &min));
    if (has_slopes)
      emit_slopes(program, negative, o.weights[0]);
    else
      emit_scale(program, negative, le_scale, le_shift);
    bmk1880_or_int8_param_t both{.res = &positive, .a = &positive, .b = &negative};
    program.check(bmk1880_tpu_or_int8(program.context(), &both));
  }

 private:
  static void emit_scale(Program& program, tensor_lmem& t, int factor, int shift) {
    bmk1880_mul_const_param_t p{};
    p.res_low = p.a = &t;
    p.b = static_cast<s8>(factor);
    p.b_is_signed = true;
    p.rshift_width = shift;
    program.check(bmk1880_tpu_mul_const(program.context(), &p));
  }
  void emit_slopes(Program& program, tensor_lmem& t, const Local& slopes) const {
    tensor_lmem weight = aligned_tensor(slopes.address, slopes.e);
    bmk1880_depthwise_param_t p{};
    p.ofmap = p.ifmap = &t;
    p.weight = &weight;
    p.stride_h = p.stride_w = 1;
    p.rshift_width = le_shift;
    program.check(bmk1880_tpu_depthwise(program.context(), &p));
  }
};

class Table : public Kernel {
 public:
  int in_place_input() const override { return 0; }
  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    tensor_lmem table = aligned_tensor(o.weights[0].address, {1, kLanes, 16, 16});
    bmk1880_lut_param_t p{.ofmap = &out, .ifmap = &in, .table = &table};
    program.check(bmk1880_tpu_lut(program.context(), &p));
  }
};

Result<std::vector<KernelPtr>> one(std::unique_ptr<Kernel> k, const TensorOp& op, bool by_channel) {
  k->inputs = {by_channel ? channel_view(op.bottom(0), op.input_shape(0))
                          : flat_view(op.bottom(0), op.input_shape(0))};
  k->output = by_channel ? channel_view(op.top(0), op.output_shape(0))
                         : flat_view(op.top(0), op.output_shape(0));
  std::vector<KernelPtr> kernels;
  kernels.push_back(std::move(k));
  return kernels;
}

Result<std::vector<KernelPtr>> lower_prelu(const Network& network, const TensorOp& op,
                                           const LayerIntegers& n) {
  const Blob& slopes = network.blobs.at(op.name())[0];
  if (Status s = check_integers(op, slopes, 127); !s.ok()) return s;
  auto k = std::make_unique<LeakyRelu>();
  k->gt_scale = n.gt_scale;
  k->gt_shift = n.gt_shift;
  k->le_shift = n.le_shift;
  const int64_t channels = extents(op.input_shape(0)).c;
  if (op.tg_prelu_param().channel_shared()) {
    k->le_scale = static_cast<int>(slopes.data[0]);
    return one(std::move(k), op, false);
  }
  k->has_slopes = true;
  k->weights.push_back({weight_bytes(slopes.data), {1, channels, 1, 1}, Weight::Layout::aligned});
  return one(std::move(k), op, true);
}

}  // namespace

Result<std::vector<KernelPtr>> lower_activation(const Network& network, const TensorOp& op,
                                                const LayerIntegers& n) {
  if (is(op, Op::prelu)) return lower_prelu(network, op, n);
  if (n.table) {
    auto k = std::make_unique<Table>();
    k->weights.push_back(table_weight(*n.table));
    return one(std::move(k), op, false);
  }
  if (op.tg_activation_param().activation_arg_size() == 0)
    return one(std::make_unique<Relu>(), op, false);
  auto k = std::make_unique<LeakyRelu>();
  k->gt_scale = n.gt_scale;
  k->gt_shift = n.gt_shift;
  k->le_scale = n.le_scale;
  k->le_shift = n.le_shift;
  return one(std::move(k), op, false);
}

}  // namespace tputwin::net
