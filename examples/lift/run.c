/* Runs the kernel conv_relu, lifted or changed, on one input, and prints its output.
 *
 *   lift_before layers-conv-fp16.bmodel
 *
 * The host program that `tputwin lift --host` writes does this with files. */
#include <bmlib_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Offsets of weights, input and output, as in main.c of `tputwin lift --host`. */
enum {
  WEIGHTS_IN_FILE = 31056,
  WEIGHT_BYTES = 16384,
  NEURON_BYTES = 12288,
  OUTPUT_OFFSET = 0x1000,
  INPUTS = 1 * 3 * 13 * 17,
  OUTPUTS = 1 * 16 * 13 * 17,
  SHOWN = 8
};

typedef struct {
  unsigned long long weights, neurons;
} conv_relu_args_t;

static void check(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  fprintf(stderr, "%s failed with status %d\n", what, (int)status);
  exit(1);
}

static void* read_weights(const char* model) {
  void* weights = malloc(WEIGHT_BYTES);
  FILE* file = fopen(model, "rb");
  if (file == NULL || fseek(file, WEIGHTS_IN_FILE, SEEK_SET) != 0 ||
      fread(weights, 1, WEIGHT_BYTES, file) != WEIGHT_BYTES) {
    fprintf(stderr, "%s cannot be read\n", model);
    exit(1);
  }
  fclose(file);
  return weights;
}

/* Returns fp16 numbers of both signs with magnitudes in [1, 2). */
static unsigned short number(unsigned i) {
  const unsigned random = i * 2654435761u >> 16;
  return (unsigned short)(0x3c00 | (random & 0x83ff));
}

/* Converts normal fp16 numbers and zeros. */
static double to_double(unsigned short bits) {
  double value = 1 + (bits & 0x3ff) / 1024.0;
  int exponent = (bits >> 10 & 0x1f) - 15;
  if ((bits & 0x7fff) == 0) return 0;
  for (; exponent > 0; exponent--) value *= 2;
  for (; exponent < 0; exponent++) value /= 2;
  return bits >> 15 ? -value : value;
}

int main(int argc, char** argv) {
  bm_handle_t handle;
  bm_device_mem_t weights, neurons;
  conv_relu_args_t args;
  unsigned short input[INPUTS], output[OUTPUTS];
  void* data;
  unsigned i, negative = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: %s MODEL\n", argv[0]);
    return 2;
  }
  check(bm_dev_request(&handle, 0), "bm_dev_request");
  check(bm_malloc_device_byte(handle, &weights, WEIGHT_BYTES), "bm_malloc_device_byte");
  check(bm_malloc_device_byte(handle, &neurons, NEURON_BYTES), "bm_malloc_device_byte");
  data = read_weights(argv[1]);
  check(bm_memcpy_s2d(handle, weights, data), "bm_memcpy_s2d");
  free(data);
  for (i = 0; i < INPUTS; i++) input[i] = number(i);
  check(bm_memcpy_s2d_partial(handle, neurons, input, sizeof input), "bm_memcpy_s2d_partial");
  args.weights = bm_mem_get_device_addr(weights);
  args.neurons = bm_mem_get_device_addr(neurons);
  check(tpu_kernel_launch_sync(handle, "conv_relu", &args, sizeof args), "conv_relu");
  check(bm_memcpy_d2s_partial_offset(handle, output, neurons, sizeof output, OUTPUT_OFFSET),
        "bm_memcpy_d2s_partial_offset");
  for (i = 0; i < OUTPUTS; i++) negative += to_double(output[i]) < 0;
  for (i = 0; i < SHOWN; i++) printf("%8.4f", to_double(output[i]));
  printf("  ... %u of %u are negative\n", negative, (unsigned)OUTPUTS);
  bm_free_device(handle, weights);
  bm_free_device(handle, neurons);
  bm_dev_free(handle);
  return 0;
}
