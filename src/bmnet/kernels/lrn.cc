// tg_lrn across channels. Squares and the power of the sum are look-up tables; shifted copies are
// added up to the sum over neighbouring channels; a product follows.
#include "bmnet/kernels/lower_op.h"

namespace tputwin::net {
namespace {

class Lrn : public Kernel {
 public:
  int local_size = 5;
  LrnIntegers integers;

  // The DMA engine shifts channels.
  bool is_compute_only() const override { return false; }
  // squares, their shifted copy, low and high bytes of the sum
  int64_t scratch_bytes(const Extents& out) const override { return 4 * aligned_bytes(out); }

  void emit(Program& program, const Operands& o) const override {
    const Extents& e = o.output.e;
    const uint32_t plane = static_cast<uint32_t>(aligned_bytes(e));
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    tensor_lmem square = aligned_tensor(o.scratch, e), moved = aligned_tensor(o.scratch + plane, e);
    tensor_lmem low = aligned_tensor(o.scratch + 2 * plane, e);
    tensor_lmem high = aligned_tensor(o.scratch + 3 * plane, e);
    emit_table(program, square, in, o.weights[0]);
    std::vector<int> steps = {0};
    for (int j = 1; j <= local_size / 2; ++j)
      if (j < e.c) steps.insert(steps.end(), {-j, j});
    for (size_t i = 0; i < steps.size(); ++i) {
      tensor_lmem* term = &square;
      if (steps[i] != 0) {
        program.check(bmk1880_gdma_lrn_shift(program.context(), &moved, &square, steps[i] < 0,
                                             std::abs(steps[i])));
        term = &moved;
      }
      emit_term(program, term, &low, &high, i == 0, i + 1 == steps.size());
    }
    emit_table(program, moved, low, o.weights[1]);
    bmk1880_mul_param_t p{};
    p.res_low = &out;
    p.a = &in;
    p.b = &moved;
    p.rshift_width = integers.right_shift;
    program.check(bmk1880_tpu_mul(program.context(), &p));
  }

 private:
  static void emit_table(Program& program, tensor_lmem& out, tensor_lmem& in, const Local& weight) {
    tensor_lmem table = aligned_tensor(weight.address, {1, kLanes, 16, 16});
    bmk1880_lut_param_t p{.ofmap = &out, .ifmap = &in, .table = &table};
    program.check(bmk1880_tpu_lut(program.context(), &p));
  }
  void emit_term(Program& program, tensor_lmem* term, tensor_lmem* low, tensor_lmem* high,
                 bool is_first, bool is_last) const {
    if (is_first) {
      bmk1880_mul_const_param_t p{};
      p.res_high = is_last ? nullptr : high;
      p.res_low = low;
      p.a = term;
      p.b = static_cast<s8>(integers.sum_multiplier);
      p.b_is_signed = true;
      p.rshift_width = is_last ? integers.sum_shift : 0;
      program.check(bmk1880_tpu_mul_const(program.context(), &p));
      return;
    }
    bmk1880_mac_const_param_t p{};
    p.res_high = high;
    p.res_low = low;
    p.res_is_int8 = is_last;
    p.a = term;
    p.b = static_cast<s8>(integers.sum_multiplier);
    p.b_is_signed = true;
    p.rshift_width = is_last ? integers.sum_shift : 0;
    program.check(bmk1880_tpu_mac_const(program.context(), &p));
  }
};

}  // namespace

Result<std::vector<KernelPtr>> lower_lrn(const Network&, const TensorOp& op,
                                         const LayerIntegers& n) {
  auto k = std::make_unique<Lrn>();
  k->local_size = static_cast<int>(op.tg_lrn_param().local_size());
  if (Status s = check_field(op, "local_size", k->local_size / 2, 15); !s.ok()) return s;
  k->integers = *n.lrn;
  k->inputs = {view_of(op.bottom(0), op.input_shape(0))};
  k->output = view_of(op.top(0), op.output_shape(0));
  k->weights = {table_weight(n.lrn->square), table_weight(n.lrn->power)};
  std::vector<KernelPtr> kernels;
  kernels.push_back(std::move(k));
  return kernels;
}

}  // namespace tputwin::net
