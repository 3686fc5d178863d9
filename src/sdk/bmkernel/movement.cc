// bmk1880_gdma_*: data movement.
#include "base/errors/bmkernel.h"
#include "isa/bm1880_descriptor.h"
#include "sdk/bmkernel/call.h"

namespace tputwin::bmkernel {
namespace {

// DMA moves bytes, for all formats.
constexpr DType kByte = DType::i8;

// A transfer between local and global memory in either direction.
struct Transfer {
  bool load;
  Arg t;
  uint64_t address;
  std::optional<stride_t> stride;  // of the global side, if the caller gives it
  ctrl_t ctrls;
  bool transpose() const { return ctrls & CTRL_TP; }
};

bool controls(Call& call, const Transfer& x) {
  ctrl_t known = CTRL_TP | CTRL_NEURON | CTRL_WEIGHT;
  if (x.load && !x.stride) known |= CTRL_WINOGRAD;
  if (x.ctrls & known & CTRL_WINOGRAD) known |= CTRL_WINOGRAD_SCALE_FACTOR * 15;
  bool both = (x.ctrls & CTRL_NEURON) && (x.ctrls & CTRL_WEIGHT);
  return call.require(!both, errors::bmk_two_bases, "ctrls", x.ctrls) &&
         call.require((x.ctrls & ~known) == 0, errors::bmk_ctrl_ignored, "ctrls", x.ctrls);
}

uint8_t record_flags(ctrl_t ctrls) {
  return ctrls & CTRL_NEURON   ? isa::kFlagNeuron
         : ctrls & CTRL_WEIGHT ? isa::kFlagWeight
                               : isa::kFlagNone;
}

std::optional<Operation> tensor_transfer(Call& call, const Transfer& x) {
  const Chip& chip = call.chip();
  TensorView local = view(chip, *x.t.tensor, kByte);
  Shape shape = local.shape;
  if (x.transpose()) std::swap(shape.n, shape.c);
  TensorView global = global_tensor(x.address, shape);
  bool plain_layout = x.t->stride == nullptr && x.t->aligned;
  // The reference model uses the strides of the untransposed shape for an unaligned transposing
  // store, which leaves gaps in global memory.
  if (x.transpose() && !x.load && !plain_layout) global.stride = global_stride(local.shape);
  if (x.stride) {
    global.stride = to_stride(*x.stride);
    if (!call.require(x.stride->w == 1, errors::bmk_w_stride, "stride", x.stride->w)) return {};
  }
  return DmaTensor{.dst = x.load ? local : global,
                   .src = x.load ? global : local,
                   .transpose_nc = x.transpose(),
                   .explicit_strides = x.stride.has_value() || !plain_layout};
}

std::optional<Operation> matrix_transfer(Call& call, const Transfer& x) {
  uint32_t rows = x.t->shape.row, cols = x.t->shape.col;
  MatrixView local = local_matrix(call.chip(), x.t->operand.laddr, rows, cols, kByte);
  local.tensor.stride = strides(call.chip(), *x.t.tensor);
  if (x.transpose()) std::swap(rows, cols);
  uint32_t row_stride = x.stride ? x.stride->row : cols;
  if (!call.require(!x.stride || x.stride->col == 1, errors::bmk_w_stride, "stride",
                    x.stride ? x.stride->col : 1))
    return {};
  MatrixView global = global_matrix(x.address, rows, cols, row_stride, kByte);
  return DmaMatrix{.dst = x.load ? local : global,
                   .src = x.load ? global : local,
                   .transpose = x.transpose(),
                   .explicit_strides = x.stride.has_value() || x.t->stride != nullptr};
}

// 3x3 kernels (1,OC,IC,9) become (1,OC,IC,16).
std::optional<Operation> winograd_load(Call& call, const Transfer& x) {
  const Chip& chip = call.chip();
  TensorView local = view(chip, *x.t.tensor, kByte);
  if (!call.require(!x.transpose(), errors::bmk_transpose, "ctrls", x.ctrls)) return {};
  Shape kernels = local.shape;
  kernels.w = 9;
  return DmaWinogradKernel{.dst = local,
                           .src = global_tensor(x.address, kernels),
                           .scale = x.ctrls / CTRL_WINOGRAD_SCALE_FACTOR};
}

std::optional<Operation> build(Call& call, const Transfer& x) {
  if (!(call.usable(x.t) && controls(call, x))) return {};
  if (x.load && !x.stride && (x.ctrls & CTRL_WINOGRAD)) {
    if (!call.is_tensor(x.t)) return {};
    return winograd_load(call, x);
  }
  return is_matrix(x.t->shape) ? matrix_transfer(call, x) : tensor_transfer(call, x);
}

bmk1880_op_t* issue(bmk1880_context_t* ctx, std::string_view name, const Transfer& x) {
  if (!has_context(ctx, name)) return nullptr;
  Call call(*ctx, name);
  std::optional<Operation> op = build(call, x);
  return op ? call.emit(*op, record_flags(x.ctrls)) : nullptr;
}

bool usable(Call& call, std::string_view name, const tensor_gmem* t) {
  if (!call.require(t != nullptr, errors::bmk_null_argument, name, "NULL")) return false;
  return call.require(t->shape.dim >= 1 && t->shape.dim <= 4, errors::bmk_shape_dim, name,
                      t->shape) &&
         call.require(t->stride.w == 1, errors::bmk_w_stride, name, t->stride.w);
}

TensorView global_view(const tensor_gmem& t) {
  TensorView v = global_tensor(t.addr, {t.shape.n, t.shape.c, t.shape.h, t.shape.w});
  v.stride = to_stride(t.stride);
  return v;
}
MatrixView global_matrix_view(const tensor_gmem& t) {
  return global_matrix(t.addr, t.shape.row, t.shape.col, t.stride.row, kByte);
}

std::optional<Operation> copy_global(Call& call, const tensor_gmem* dst, const tensor_gmem* src,
                                     ctrl_t ctrls) {
  if (!(usable(call, "dst", dst) && usable(call, "src", src))) return {};
  bool matrices = is_matrix(src->shape), transpose = ctrls & CTRL_TP;
  if (!(call.require(is_matrix(dst->shape) == matrices, errors::bmk_kinds_differ, "dst",
                     dst->shape) &&
        call.require(!(matrices && transpose), errors::bmk_transpose, "ctrls", ctrls) &&
        call.require((ctrls & ~CTRL_TP) == 0, errors::bmk_ctrl_ignored, "ctrls", ctrls)))
    return {};
  if (matrices)
    return DmaMatrix{
        .dst = global_matrix_view(*dst), .src = global_matrix_view(*src), .explicit_strides = true};
  return DmaTensor{.dst = global_view(*dst),
                   .src = global_view(*src),
                   .transpose_nc = transpose,
                   .explicit_strides = true};
}

}  // namespace
}  // namespace tputwin::bmkernel

using namespace tputwin::bmkernel;

extern "C" {

bmk1880_op_t* bmk1880_gdma_load(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr, ctrl_t ctrls) {
  return issue(ctx, __func__, Transfer{true, {"t", t}, gaddr, {}, ctrls});
}

bmk1880_op_t* bmk1880_gdma_store(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr, ctrl_t ctrls) {
  return issue(ctx, __func__, Transfer{false, {"t", t}, gaddr, {}, ctrls});
}

bmk1880_op_t* bmk1880_gdma_load_stride(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr,
                                       stride_t stride, ctrl_t ctrls) {
  return issue(ctx, __func__, Transfer{true, {"t", t}, gaddr, stride, ctrls});
}

bmk1880_op_t* bmk1880_gdma_store_stride(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr,
                                        stride_t stride, ctrl_t ctrls) {
  return issue(ctx, __func__, Transfer{false, {"t", t}, gaddr, stride, ctrls});
}

bmk1880_op_t* bmk1880_gdma_copy_gmem(bmk1880_context_t* ctx, tensor_gmem* dst, tensor_gmem* src,
                                     ctrl_t ctrls) {
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  std::optional<tputwin::Operation> op = copy_global(call, dst, src, ctrls);
  return op ? call.emit(*op) : nullptr;
}

bmk1880_op_t* bmk1880_gdma_copy_lmem(bmk1880_context_t* ctx, tensor_lmem* dst, tensor_lmem* src) {
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  Arg to{"dst", dst}, from{"src", src};
  if (!(call.is_tensor(to) && call.is_tensor(from))) return nullptr;
  return call.emit(tputwin::DmaTensor{.dst = view(call.chip(), *dst, kByte),
                                      .src = view(call.chip(), *src, kByte)});
}

bmk1880_op_t* bmk1880_gdma_lrn_shift(bmk1880_context_t* ctx, tensor_lmem* dst, tensor_lmem* src,
                                     bool right_shift, int lrn_step) {
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  Arg to{"dst", dst}, from{"src", src};
  if (!(call.is_tensor(to) && call.is_tensor(from))) return nullptr;
  return call.emit(tputwin::DmaLrnShift{.dst = view(call.chip(), *dst, kByte),
                                        .src = view(call.chip(), *src, kByte),
                                        .right = right_shift,
                                        .step = static_cast<uint32_t>(lrn_step)});
}

}  // extern "C"
