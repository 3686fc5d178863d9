/* Net conv-fp16-3x3 stage 0 of layers-conv-fp16.bmodel, lifted by tputwin: each call is one
 * command of the compiled network. */
#include <stdbool.h>
#include <stddef.h>
#include <tpu_kernel.h>

/* The addresses of the memories of the net. */
typedef struct {
  unsigned long long weights; /* 16384 bytes: the weights, as they are in the model */
  unsigned long long neurons; /* 12288 bytes: inputs, outputs and what is between them */
} conv_relu_args_t;
static const conv_relu_args_t* net;

/* Tensors in global memory. */
#define in0 (net->neurons + 0x0) /* fp16 (1, 3, 13, 17) "in0" */
#define out0 (net->neurons + 0x1000) /* fp16 (1, 16, 13, 17) "out0" */
#define w0 (net->weights + 0x0) /* fp16 (1, 16, 9, 32) */
#define w1 (net->weights + 0x3000) /* fp32 (1, 16, 1, 1) */

#define DIMS(n, c, h, w) (&(const dim4){n, c, h, w})
#define HW(h, w) (&(const dim2){h, w})
#define PAD(top, bottom, left, right) (&(const padding_t){top, bottom, left, right})
#define F16(x) ((scalar_t){.u16 = x})

/* From w0, w1, in0 to out0. */
static void part_0(void) {
  const local_addr_t l_w0 = 0x0; /* fp16 (1, 16, 9, 32) */
  const local_addr_t l_w1 = 0x240; /* fp32 (1, 16, 1, 1) */
  const local_addr_t l_in0 = 0x4000; /* fp16 (1, 3, 13, 17) */
  const local_addr_t l_out0 = 0xc000; /* fp16 (1, 16, 13, 17) */
  tpu_gdma_cpy_S2L(l_w0, w0, DIMS(1, 16, 9, 32), NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(l_w1, w1, DIMS(1, 16, 1, 1), NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(l_in0, in0, DIMS(1, 3, 13, 17), NULL, NULL, DT_FP16);
  tpu_bdc_fp_conv2d(l_out0, l_in0, l_w0, l_w1, DIMS(1, 3, 13, 17), NULL, 16, HW(3, 3),
      PAD(1, 1, 1, 1), HW(1, 1), HW(1, 1), DT_FP16, DT_FP16, true, false);
  tpu_bdc_prelu(l_out0, l_out0, F16(0x3000 /* 0.125 */), DIMS(1, 16, 13, 17), DT_FP16);
  tpu_gdma_cpy_L2S(out0, l_out0, DIMS(1, 16, 13, 17), NULL, NULL, DT_FP16);
}

void conv_relu(const void* args) {
  net = (const conv_relu_args_t*)args;
  tpu_initialize();
  part_0();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(conv_relu)
