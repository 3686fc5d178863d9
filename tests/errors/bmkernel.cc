// TW-BMK: calls of the BMKernel API that break its rules.
#include <bmkernel/bm1880/bmkernel_1880.h>

#include <string>

#include "base/errors/bmkernel.h"
#include "base/errors/ops.h"
#include "base/last_error.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

// Returns the last error that this thread recorded while `program` ran, or else its first warning.
template <class Program>
Status outcome(Program program) {
  thread_diagnostics().clear();
  program();
  if (auto error = thread_diagnostics().last_error()) return *error;
  auto warnings = thread_diagnostics().warnings();
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

bmk1880_context_t* context_on(u8* buffer, u32 bytes, u32 version = 1880) {
  bmk1880_info_t info{};
  info.chip_version = version;
  info.cmdbuf = buffer;
  info.cmdbuf_size = bytes;
  return bmk1880_register(&info);
}

// Returns the outcome of a program with a context whose buffer holds a few commands.
template <class Program>
auto with_context(Program program) {
  return [program]() -> Status {
    u8 buffer[1024] = {};
    bmk1880_context_t* ctx = context_on(buffer, sizeof buffer);
    Status status = outcome([&] { program(ctx); });
    bmk1880_cleanup(ctx);
    return status;
  };
}
#define TW_CALL(...) with_context([]([[maybe_unused]] bmk1880_context_t* ctx) { __VA_ARGS__; })

const shape_t kShape = shape_t4(1, 4, 4, 4);

tensor_lmem* tensor(bmk1880_context_t* ctx, laddr_t address = 0, shape_t shape = kShape,
                    fmt_t fmt = FMT_I8, bool aligned = true) {
  return aligned ? bmk1880_tl_prealloc_align(ctx, address, shape, fmt)
                 : bmk1880_tl_prealloc(ctx, address, shape, fmt);
}

bmk1880_op_t* relu(bmk1880_context_t* ctx, tensor_lmem* in, tensor_lmem* out) {
  bmk1880_relu_param_t p{};
  p.ofmap = out;
  p.ifmap = in;
  return bmk1880_tpu_relu(ctx, &p);
}
bmk1880_op_t* relu(bmk1880_context_t* ctx, tensor_lmem* t) { return relu(ctx, t, t); }

// Returns a valid 1x1 convolution, which triggers then break.
bmk1880_conv_param_t conv(bmk1880_context_t* ctx) {
  bmk1880_conv_param_t p{};
  p.ifmap = tensor(ctx);
  p.ofmap = tensor(ctx, 0x100);
  p.weight = tensor(ctx, 0x200, shape_t4(4, 4, 1, 1), FMT_I8, false);
  p.bias = tensor(ctx, 0x300, shape_t4(2, 4, 1, 1), FMT_I8, false);
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  return p;
}

// Returns a valid product of (2,16) and (16,16).
bmk1880_matrix_mac_param_t product(bmk1880_context_t* ctx) {
  bmk1880_matrix_mac_param_t p{};
  p.left = tensor(ctx, 0, shape_t2(2, 16));
  p.right = tensor(ctx, 0x100, shape_t2(16, 16));
  p.bias = tensor(ctx, 0x300, shape_t2(2, 16));
  p.res = tensor(ctx, 0x400, shape_t2(2, 16));
  p.res_is_int8 = true;
  return p;
}

bmk1880_mul_param_t product_16bit(bmk1880_context_t* ctx) {
  bmk1880_mul_param_t p{};
  p.a = p.b = tensor(ctx);
  p.res_low = tensor(ctx, 0x100);
  p.res_high = tensor(ctx, 0x200);
  return p;
}

tensor_gmem global(shape_t shape) {
  tensor_gmem t{};
  t.shape = shape;
  t.stride = shape.dim == 2 ? stride_t2(static_cast<int>(shape.col), 1) : stride_t4(64, 16, 4, 1);
  return t;
}

// Contexts and command buffers.
TW_TRIGGER(bmk_null_context, [] { return outcome([] { bmk1880_reset(nullptr); }); });
TW_TRIGGER(bmk_null_argument, TW_CALL(bmk1880_tpu_mul(ctx, nullptr)));
TW_TRIGGER(bmk_chip_version, [] {
  u8 buffer[64];
  return outcome([&] { context_on(buffer, 64, 1684); });
});
TW_TRIGGER(bmk_cmdbuf_size, [] {
  u8 buffer[64];
  return outcome([&] { context_on(buffer, 0); });
});
TW_TRIGGER(bmk_cmdbuf_full, TW_CALL(for (int i = 0; i < 9; ++i) relu(ctx, tensor(ctx))));
TW_TRIGGER(bmk_context_failed,
           TW_CALL(u32 size; relu(ctx, nullptr); bmk1880_acquire_cmdbuf(ctx, &size)));

// Execution modes.
TW_TRIGGER(bmk_streams_exist,
           TW_CALL(bmk1880_create_streams(ctx, 2); bmk1880_create_streams(ctx, 2)));
TW_TRIGGER(bmk_streams_missing, TW_CALL(bmk1880_destroy_streams(ctx)));
TW_TRIGGER(bmk_stream_index, TW_CALL(bmk1880_create_streams(ctx, 2); bmk1880_set_stream(ctx, 2)));
TW_TRIGGER(bmk_stream_count, TW_CALL(bmk1880_create_streams(ctx, 0)));
TW_TRIGGER(bmk_mixed_modes, TW_CALL(bmk1880_create_streams(ctx, 2); bmk1880_parallel_enable(ctx)));
TW_TRIGGER(bmk_foreign_op, TW_CALL(bmk1880_op_t* op = relu(ctx, tensor(ctx)); bmk1880_reset(ctx);
                                   bmk1880_add_dependency(ctx, op, op)));
TW_TRIGGER(bmk_dependency_order, TW_CALL(bmk1880_op_t* first = relu(ctx, tensor(ctx));
                                         bmk1880_op_t* second = relu(ctx, tensor(ctx));
                                         bmk1880_add_dependency(ctx, second, first)));
TW_TRIGGER(bmk_cpu_op_name, TW_CALL(bmk1880_cpu_op(ctx, "sixteen_letters_", nullptr, 0)));
TW_TRIGGER(bmk_cpu_op_size,
           TW_CALL(char params[200] = {}; bmk1880_cpu_op(ctx, "softmax", params, 177)));

// Local memory.
TW_TRIGGER(bmk_lmem_full,
           TW_CALL(bmk1880_tl_alloc(ctx, shape_t4(1, 33, 256, 256), FMT_I8, CTRL_AL)));
TW_TRIGGER(bmk_bank_id, TW_CALL(bmk1880_tl_alloc_bank(ctx, 8, kShape, FMT_I8, CTRL_AL)));
TW_TRIGGER(bmk_bank_taken, TW_CALL(bmk1880_tl_alloc(ctx, kShape, FMT_I8, CTRL_AL);
                                   bmk1880_tl_alloc_bank(ctx, 0, kShape, FMT_I8, CTRL_AL)));
TW_TRIGGER(bmk_free_unknown, TW_CALL(tensor_lmem mine{}; bmk1880_tl_free(ctx, &mine)));
TW_TRIGGER(bmk_free_order,
           TW_CALL(tensor_lmem* t = bmk1880_tl_alloc(ctx, kShape, FMT_I8, CTRL_AL);
                   bmk1880_tl_alloc(ctx, kShape, FMT_I8, CTRL_AL); bmk1880_tl_free(ctx, t)));
TW_TRIGGER(bmk_free_above_stack,
           TW_CALL(tensor_lmem* t = bmk1880_tl_alloc(ctx, kShape, FMT_I8, CTRL_AL);
                   tensor_lmem* u = bmk1880_tl_alloc(ctx, kShape, FMT_I8, CTRL_AL);
                   bmk1880_tl_free(ctx, t); bmk1880_tl_free(ctx, u)));

// Operands.
TW_TRIGGER(bmk_shape_dim, TW_CALL(shape_t s = kShape; s.dim = 5; relu(ctx, tensor(ctx, 0, s))));
TW_TRIGGER(bmk_shape_extent, TW_CALL(relu(ctx, tensor(ctx, 0, shape_t4(1, 0, 4, 4)))));
TW_TRIGGER(bmk_fmt, TW_CALL(relu(ctx, tensor(ctx, 0, kShape, FMT_I16))));
TW_TRIGGER(bmk_lmem_address, TW_CALL(relu(ctx, tensor(ctx, LADDR_INVALID))));
TW_TRIGGER(bmk_not_a_tensor, TW_CALL(tensor_lmem* m = tensor(ctx, 0, shape_t2(2, 16));
                                     bmk1880_gdma_copy_lmem(ctx, m, m)));
TW_TRIGGER(ops_overlap,
           TW_CALL(const shape_t rows = shape_t4(1, 4, 4, 16);
                   bmk1880_gdma_copy_lmem(ctx, tensor(ctx, 16, rows), tensor(ctx, 0, rows))));
TW_TRIGGER(bmk_not_a_matrix,
           TW_CALL(auto p = product(ctx); p.left = tensor(ctx); bmk1880_tpu_matrix_mac(ctx, &p)));
TW_TRIGGER(bmk_not_unaligned,
           TW_CALL(auto p = conv(ctx); p.weight->aligned = true; bmk1880_tpu_conv(ctx, &p)));
TW_TRIGGER(bmk_layout_ignored,
           TW_CALL(shape_t s = shape_t4(1, 4, 3, 3);
                   relu(ctx, tensor(ctx, 0, s, FMT_I8, false), tensor(ctx, 0x100, s))));
TW_TRIGGER(bmk_pair_fmt, TW_CALL(auto p = product_16bit(ctx); p.res_high->fmt = FMT_U8;
                                 bmk1880_tpu_mul(ctx, &p)));
TW_TRIGGER(bmk_pair_shape,
           TW_CALL(auto p = product_16bit(ctx); p.res_high->shape.h = 5; bmk1880_tpu_mul(ctx, &p)));
TW_TRIGGER(bmk_result_sign_ignored, TW_CALL(bmk1880_max_const_param_t p{}; p.a = tensor(ctx);
                                            p.max = tensor(ctx, 0x100, kShape, FMT_U8);
                                            p.b_is_signed = true; bmk1880_tpu_max_const(ctx, &p)));
TW_TRIGGER(bmk_relu_unsigned, TW_CALL(relu(ctx, tensor(ctx, 0, kShape, FMT_U8))));

// Parameters of computations.
TW_TRIGGER(bmk_rshift, TW_CALL(auto p = conv(ctx); p.rshift_width = 32; bmk1880_tpu_conv(ctx, &p)));
TW_TRIGGER(bmk_bias_shape,
           TW_CALL(auto p = conv(ctx); p.bias->shape.n = 1; bmk1880_tpu_conv(ctx, &p)));
TW_TRIGGER(bmk_bias_layout,
           TW_CALL(auto p = conv(ctx); p.bias->aligned = true; bmk1880_tpu_conv(ctx, &p)));
TW_TRIGGER(bmk_matrix_rows,
           TW_CALL(auto p = product(ctx); p.res_is_int8 = false; bmk1880_tpu_matrix_mac(ctx, &p)));
TW_TRIGGER(bmk_matrix_bias,
           TW_CALL(auto p = product(ctx); p.bias->shape.row = 1; bmk1880_tpu_matrix_mac(ctx, &p)));
TW_TRIGGER(bmk_matrix_unsigned_add,
           TW_CALL(auto p = product(ctx); p.res = tensor(ctx, 0x400, shape_t2(4, 16), FMT_U8);
                   p.left->fmt = p.right->fmt = p.bias->fmt = FMT_U8; p.ctrls = CTRL_RA;
                   bmk1880_tpu_matrix_mac(ctx, &p)));
TW_TRIGGER(bmk_mdsum_result,
           TW_CALL(bmk1880_mdsum_param_t p{}; p.a = tensor(ctx, 0, shape_t4(1, 40, 4, 4));
                   p.res_low = tensor(ctx, 0x100, shape_t4(1, 40, 1, 1));
                   bmk1880_tpu_mdsum(ctx, &p)));
TW_TRIGGER(bmk_mdsum_input,
           TW_CALL(bmk1880_mdsum_param_t p{};
                   p.a = tensor(ctx, 0, shape_t4(2, 4, 3, 3), FMT_I8, false);
                   p.res_low = tensor(ctx, 0x100, shape_t4(1, 4, 1, 1), FMT_I8, false);
                   bmk1880_tpu_mdsum(ctx, &p)));

// Data movement.
TW_TRIGGER(bmk_transpose, TW_CALL(tensor_gmem m = global(shape_t2(4, 4));
                                  bmk1880_gdma_copy_gmem(ctx, &m, &m, CTRL_TP)));
TW_TRIGGER(bmk_two_bases,
           TW_CALL(bmk1880_gdma_load(ctx, tensor(ctx), 0, CTRL_NEURON | CTRL_WEIGHT)));
TW_TRIGGER(bmk_ctrl_ignored, TW_CALL(bmk1880_gdma_load(ctx, tensor(ctx), 0, CTRL_RELU)));
TW_TRIGGER(bmk_kinds_differ,
           TW_CALL(tensor_gmem m = global(shape_t2(8, 8)); tensor_gmem t = global(kShape);
                   bmk1880_gdma_copy_gmem(ctx, &m, &t, CTRL_NULL)));
TW_TRIGGER(bmk_w_stride, TW_CALL(bmk1880_gdma_load_stride(ctx, tensor(ctx), 0,
                                                          stride_st4(64, 16, 4, 2), CTRL_NULL)));

}  // namespace
}  // namespace tputwin::testing
