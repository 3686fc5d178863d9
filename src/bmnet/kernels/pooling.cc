// tg_pooling: the window command, then the rescaling of a maximum. An average command has one
// multiplier for all windows. The last windows may reach beyond the input and divide by fewer taps.
// Then the tile is also pooled into scratch with their multiplier, and their row or column is
// copied.
#include "bmnet/kernels/lower_op.h"
#include "bmnet/kernels/window_rows.h"

#include <algorithm>

namespace tputwin::net {
namespace {

class Pooling : public Kernel {
 public:
  Window2d window;
  bool is_average = false;
  int multiplier = 0, right_shift = 0;  // for a maximum, multiplier 0 means none
  Overhang overhang;
  std::vector<Multiplier> overhanging;  // last column, last row, both

  Span input_rows(size_t, Span rows) const override {
    return tile_axis(rows_of(window, inputs[0].e), rows).input;
  }
  bool accepts_rows(size_t, Span rows, Span held) const override {
    return serves(tile_axis(rows_of(window, inputs[0].e), rows), held);
  }

  int64_t scratch_bytes(const Extents& out) const override {
    return overhang.any() ? aligned_bytes(out) : 0;
  }

  void emit(Program& program, const Operands& o) const override {
    if (is_single()) return emit_single(program, o);
    if (is_average) return emit_average(program, o);
    bmk1880_max_pooling_param_t p{};
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    fill(p, o, &out, &in);
    program.check(bmk1880_tpu_max_pooling(program.context(), &p));
    if (multiplier != 0) emit_rescale(program, o.output, o.output);
  }

 private:
  // Returns true for a window of one element, which the pooling commands do not accept.
  bool is_single() const { return window.kernel_h * window.kernel_w == 1; }

  void emit_average(Program& program, const Operands& o) const {
    emit_average(program, o, o.output.address, {multiplier, right_shift});
    const int64_t rows = o.rows.count(), columns = output.e.w;
    const bool has_last_row = overhang.h > 0 && o.rows.end == output.e.h;
    auto emit_part = [&](const Multiplier& scale, Span part_rows, Span part_columns) {
      emit_average(program, o, o.scratch, scale);
      emit_copy(program, o, part_rows, part_columns);
    };
    if (overhang.w > 0) emit_part(overhanging[0], {0, rows}, {columns - 1, columns});
    if (has_last_row) emit_part(overhanging[1], {rows - 1, rows}, {0, columns});
    if (overhang.w > 0 && has_last_row)
      emit_part(overhanging[2], {rows - 1, rows}, {columns - 1, columns});
  }

  void emit_average(Program& program, const Operands& o, uint32_t to,
                    const Multiplier& scale) const {
    bmk1880_avg_pooling_param_t p{};
    tensor_lmem out = aligned_tensor(to, o.output.e), in = tensor_of(o.inputs[0]);
    fill(p, o, &out, &in);
    p.avg_pooling_const = static_cast<u8>(scale.multiplier);
    p.rshift_width = scale.shift;
    program.check(bmk1880_tpu_avg_pooling(program.context(), &p));
  }

  // Copies a part of the tile from scratch to the result.
  static void emit_copy(Program& program, const Operands& o, Span rows, Span columns) {
    const Extents& e = o.output.e;
    const auto plane = static_cast<int>(align_up_to(e.h * e.w, kUnits));
    const stride_t strides = stride_st4(static_cast<int>(ceil_div(e.c, kLanes)) * plane, plane,
                                        static_cast<int>(e.w), 1);
    const auto offset = static_cast<uint32_t>(rows.begin * e.w + columns.begin);
    const Extents part = {e.n, e.c, rows.count(), columns.count()};
    tensor_lmem to = aligned_tensor(o.output.address + offset, part);
    tensor_lmem from = aligned_tensor(o.scratch + offset, part);
    bmk1880_copy_with_stride_param_t p{
        .dst = &to, .dst_stride = strides, .src = &from, .src_stride = strides};
    program.check(bmk1880_tpu_copy_with_stride(program.context(), &p));
  }

  // For a window of one element, a depthwise command takes every stride-th element.
  void emit_single(Program& program, const Operands& o) const {
    tensor_lmem out = tensor_of(o.output), in = tensor_of(o.inputs[0]);
    tensor_lmem ones = aligned_tensor(o.weights[0].address, {1, output.e.c, 1, 1});
    bmk1880_depthwise_param_t p{};
    p.ofmap = &out;
    p.ifmap = &in;
    p.weight = &ones;
    set_window(p, window, inputs[0].e, o.rows, output.e.w);
    program.check(bmk1880_tpu_depthwise(program.context(), &p));
    if (multiplier != 0) emit_rescale(program, o.output, o.output);
  }

  void emit_rescale(Program& program, const Local& to, const Local& from) const {
    tensor_lmem out = tensor_of(to), in = tensor_of(from);
    bmk1880_mul_const_param_t p{};
    p.res_low = &out;
    p.a = &in;
    p.b = static_cast<s8>(multiplier);
    p.rshift_width = right_shift;
    program.check(bmk1880_tpu_mul_const(program.context(), &p));
  }

  template <class Param>
  void fill(Param& p, const Operands& o, tensor_lmem* out, tensor_lmem* in) const {
    p.ofmap = out;
    p.ifmap = in;
    p.kh = static_cast<u8>(window.kernel_h);
    p.kw = static_cast<u8>(window.kernel_w);
    set_window(p, window, inputs[0].e, o.rows, output.e.w);
  }
};

// Channels of a kernel. The window of one row of results, of a block of channels, must leave half
// of local memory to results and to the next tile.
int64_t block_of_channels(const Window2d& w, const Extents& in) {
  const int64_t rows = std::min<int64_t>(w.kernel_h, in.h);
  const int64_t plane = align_up_to(rows * in.w, kUnits);
  return std::max<int64_t>(1, kLaneBytes / 2 / plane) * kLanes;
}

}  // namespace

Result<std::vector<KernelPtr>> lower_pooling(const Network&, const TensorOp& op,
                                             const LayerIntegers& integers) {
  Pooling whole;
  whole.window = pooling_window(op);
  const Window2d& w = whole.window;
  if (Status s = check_field(op, "kernel_size", std::max(w.kernel_h, w.kernel_w), 255); !s.ok())
    return s;
  whole.is_average = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::AVE;
  whole.multiplier = integers.multiplier.empty() ? 0 : integers.multiplier[0];
  whole.right_shift = integers.right_shift;
  whole.overhang = average_overhang(op);
  whole.overhanging = integers.overhanging;
  const View in = view_of(op.bottom(0), op.input_shape(0));
  const View out = view_of(op.top(0), op.output_shape(0));
  if (Status s = fit_window(op, whole.window, in.e, out.e); !s.ok()) return s;
  whole.do_relu = false;
  std::vector<KernelPtr> kernels;
  const int64_t block = block_of_channels(w, in.e);
  for (int64_t begin = 0; begin < in.e.c; begin += block) {
    const Span channels{begin, std::min(begin + block, in.e.c)};
    auto k = std::make_unique<Pooling>(whole);
    k->inputs = {channels_of(in, channels)};
    k->output = channels_of(out, channels);
    if (w.kernel_h * w.kernel_w == 1)
      k->weights.push_back({std::vector<uint8_t>(static_cast<size_t>(channels.count()), 1),
                            {1, channels.count(), 1, 1},
                            Weight::Layout::aligned});
    kernels.push_back(std::move(k));
  }
  return kernels;
}

}  // namespace tputwin::net
