// tg_eltwise (sums, products, maxima; the second factor may have one value per channel), and the
// rescaling of inputs of tg_concat.
#include "bmnet/kernels/lower_op.h"

namespace tputwin::net {
namespace {

class Sum : public ElementwiseKernel {
 public:
  std::vector<int> multiplier;
  int right_shift = 0;

  // The running sum has 16 bits: its low bytes become the result, its high bytes are scratch.
  int64_t scratch_bytes(const Extents& out) const override { return aligned_bytes(out); }
  bool is_scratch_above() const override { return true; }
  int in_place_input() const override { return 0; }

  void emit(Program& program, const Operands& o) const override {
    tensor_lmem low = tensor_of(o.output), high = aligned_tensor(o.scratch, o.output.e);
    {
      Input in(o, 0);
      bmk1880_mul_const_param_t first{};
      first.res_high = &high;
      first.res_low = &low;
      first.a = &in;
      first.b = static_cast<s8>(multiplier[0]);
      first.b_is_signed = true;
      program.check(bmk1880_tpu_mul_const(program.context(), &first));
    }
    for (size_t i = 1; i < inputs.size(); ++i) {
      const bool is_last = i + 1 == inputs.size();
      Input in(o, i);
      bmk1880_mac_const_param_t next{};
      next.res_high = &high;
      next.res_low = &low;
      next.res_is_int8 = is_last;
      next.a = &in;
      next.b = static_cast<s8>(multiplier[i]);
      next.b_is_signed = true;
      next.rshift_width = is_last ? right_shift : 0;
      program.check(bmk1880_tpu_mac_const(program.context(), &next));
    }
    if (do_relu) emit_relu(program, o.output);
  }
};

// Emits rhu(x * multiplier, right_shift) with a signed or an unsigned byte.
void emit_scaled(Program& program, tensor_lmem* out, tensor_lmem* in, int multiplier,
                 bool is_signed, int right_shift) {
  bmk1880_mul_const_param_t p{};
  p.res_low = out;
  p.a = in;
  p.b = static_cast<s8>(multiplier);
  p.b_is_signed = is_signed;
  p.rshift_width = right_shift;
  program.check(bmk1880_tpu_mul_const(program.context(), &p));
}

class Maximum : public ElementwiseKernel {
 public:
  std::vector<int> multiplier;
  int right_shift = 0;

  int64_t scratch_bytes(const Extents& out) const override { return aligned_bytes(out); }

  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output), other = aligned_tensor(o.scratch, o.output.e);
    for (size_t i = 0; i < inputs.size(); ++i) {
      Input in(o, i);
      emit_scaled(program, i == 0 ? &out : &other, &in, multiplier[i], true, right_shift);
      if (i == 0) continue;
      bmk1880_max_param_t p{.max = &out, .a = &out, .b = &other};
      program.check(bmk1880_tpu_max(program.context(), &p));
    }
    if (do_relu) emit_relu(program, o.output);
  }
};

// x*y is exact in 16 bits: high*256 + low. It is multiplied by the multiplier m in two steps. First
// high*m, again in 16 bits because |high| <= 64. Then low*m + (high*m << 8), which is shifted and
// saturated once.
class Product : public ElementwiseKernel {
 public:
  int multiplier = 1, right_shift = 0;

  int64_t scratch_bytes(const Extents& out) const override { return 3 * aligned_bytes(out); }
  bool is_scratch_above() const override { return true; }

  void emit(Program& program, const Operands& o) const override {
    const uint32_t plane = static_cast<uint32_t>(aligned_bytes(o.output.e));
    // The low bytes of the second product are stored in the result, its high bytes above the
    // scratch planes of the first.
    tensor_lmem low = aligned_tensor(o.scratch, o.output.e);
    tensor_lmem high = aligned_tensor(o.scratch + plane, o.output.e);
    tensor_lmem out = tensor_of(o.output),
                out_high = aligned_tensor(o.scratch + 2 * plane, o.output.e);
    tensor_lmem spread = aligned_tensor(o.scratch + 2 * plane, o.output.e);
    const bool is_spread = has_factor_at(program, o, o.scratch + 2 * plane);
    Input x(o, 0), y(o, 1);
    bmk1880_mul_param_t product{};
    product.res_high = &high;
    product.res_low = &low;
    product.a = &x;
    product.b = is_spread ? &spread : &y;
    program.check(bmk1880_tpu_mul(program.context(), &product));
    bmk1880_mul_const_param_t upper{};
    upper.res_high = &out_high;
    upper.res_low = &out;
    upper.a = &high;
    upper.b = static_cast<s8>(multiplier);
    upper.b_is_signed = true;
    program.check(bmk1880_tpu_mul_const(program.context(), &upper));
    low.fmt = FMT_U8;
    bmk1880_mac_const_param_t all{};
    all.res_high = &out_high;
    all.res_low = &out;
    all.res_is_int8 = true;
    all.a = &low;
    all.b = static_cast<s8>(multiplier);
    all.b_is_signed = true;
    all.lshift_width = 8;
    all.rshift_width = right_shift;
    program.check(bmk1880_tpu_mac_const(program.context(), &all));
    if (do_relu) emit_relu(program, o.output);
  }

 protected:
  // If the second factor needs the result's layout, writes it to the free space at `place` and
  // returns true.
  virtual bool has_factor_at(Program& program, const Operands& o, uint32_t place) const {
    (void)program, (void)o, (void)place;
    return false;
  }
};

// x(n,c,h,w) * y(n,c). All operands of a product have one layout, so a copy with source stride 0
// repeats y over the plane. Copies have no stride along w, so the plane is seen as one column along
// h, in parts of at most kMaxHeight.
class ChannelProduct : public Product {
 public:
  Span input_rows(size_t input, Span rows) const override { return input == 0 ? rows : Span{0, 1}; }

 protected:
  bool has_factor_at(Program& program, const Operands& o, uint32_t place) const override {
    constexpr int64_t kMaxHeight = 1024;
    const Extents& e = o.output.e;
    const auto blocks = static_cast<int>(ceil_div(e.c, kLanes));
    const auto plane = static_cast<int>(align_up_to(e.h * e.w, kUnits));
    for (int64_t at = 0; at < e.h * e.w; at += kMaxHeight) {
      const Extents part = {e.n, e.c, std::min(kMaxHeight, e.h * e.w - at), 1};
      tensor_lmem to = aligned_tensor(place + static_cast<uint32_t>(at), part);
      tensor_lmem from = aligned_tensor(o.inputs[1].address, part);
      bmk1880_copy_with_stride_param_t p{
          .dst = &to,
          .dst_stride = stride_st4(blocks * plane, plane, 1, 1),
          .src = &from,
          .src_stride = stride_st4(blocks * static_cast<int>(kUnits), kUnits, 0, 1)};
      program.check(bmk1880_tpu_copy_with_stride(program.context(), &p));
    }
    return true;
  }
};

class Rescale : public ElementwiseKernel {
 public:
  int multiplier = 128, right_shift = 7;
  int in_place_input() const override { return 0; }
  void emit(Program& program, const Operands& o) const override {
    tensor_lmem out = tensor_of(o.output);
    Input in(o, 0);
    emit_scaled(program, &out, &in, multiplier, false, right_shift);
  }
};

}  // namespace

Result<std::vector<KernelPtr>> lower_eltwise(const Network&, const TensorOp& op,
                                             const LayerIntegers& n) {
  std::vector<KernelPtr> kernels;
  const auto& param = op.tg_eltwise_param();
  switch (param.operation()) {
    case ::bmnet::TGEltwiseParameter::SUM: {
      auto k = std::make_unique<Sum>();
      k->multiplier = n.multiplier;
      k->right_shift = n.right_shift;
      kernels.push_back(std::move(k));
      break;
    }
    case ::bmnet::TGEltwiseParameter::MAX: {
      auto k = std::make_unique<Maximum>();
      k->multiplier = n.multiplier;
      k->right_shift = n.right_shift;
      kernels.push_back(std::move(k));
      break;
    }
    case ::bmnet::TGEltwiseParameter::PROD: {
      std::unique_ptr<Product> k =
          is_channel_product(op) ? std::make_unique<ChannelProduct>() : std::make_unique<Product>();
      k->multiplier = n.multiplier[0];
      k->right_shift = n.right_shift;
      kernels.push_back(std::move(k));
      break;
    }
  }
  TiledKernel& k = *kernels.back();
  const auto view = is_channel_product(op) ? view_of : flat_view;
  for (int i = 0; i < op.bottom_size(); ++i)
    k.inputs.push_back(view(op.bottom(i), op.input_shape(i)));
  k.output = view(op.top(0), op.output_shape(0));
  k.do_relu = param.do_activation();
  return kernels;
}

// Returns one kernel per input if the inputs are rescaled, otherwise none: then the inputs are
// copied, or their producers write them in place.
Result<std::vector<KernelPtr>> lower_rescale(const Network&, const TensorOp& op,
                                             const LayerIntegers& n) {
  std::vector<KernelPtr> kernels;
  if (n.multiplier.empty()) return kernels;
  int64_t offset = 0;
  for (int i = 0; i < op.bottom_size(); ++i) {
    auto k = std::make_unique<Rescale>();
    k->multiplier = n.multiplier[static_cast<size_t>(i)];
    k->right_shift = n.shift[static_cast<size_t>(i)];
    k->inputs = {flat_view(op.bottom(i), op.input_shape(i))};
    k->output = k->inputs[0];
    k->output.tensor = op.top(0);
    k->output.offset = offset;
    const Extents& e = k->output.e;
    offset += e.c * e.h * e.w;
    kernels.push_back(std::move(k));
  }
  return kernels;
}

}  // namespace tputwin::net
