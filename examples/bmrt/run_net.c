/* Runs a net of a BM1684X bmodel on synthetic input, on host memory and on device memory, and
 * compares the results.
 *
 *   run_net MODEL.bmodel [NET] */
#include <bmruntime_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tputwin/error.h>

#define MOST_TENSORS 16

static unsigned next_number(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Returns small numbers of the tensor's type. */
static void* make_input(const bm_tensor_t* tensor, unsigned* state) {
  size_t bytes = bmrt_tensor_bytesize(tensor), i;
  unsigned char* data = (unsigned char*)malloc(bytes);
  for (i = 0; i < bytes; i++) data[i] = (unsigned char)(next_number(state) & 0x3f);
  return data;
}

static int run(void* bmrt, bm_handle_t device, const bm_net_info_t* net) {
  bm_tensor_t inputs[MOST_TENSORS], outputs[MOST_TENSORS];
  bm_shape_t shapes[MOST_TENSORS];
  void *datas[MOST_TENSORS], *results[MOST_TENSORS];
  unsigned state = 1;
  int i, differs = 0;
  for (i = 0; i < net->input_num; i++) {
    if (!bmrt_tensor(&inputs[i], bmrt, net->input_dtypes[i], net->stages[0].input_shapes[i]))
      return 1;
    shapes[i] = inputs[i].shape;
    datas[i] = make_input(&inputs[i], &state);
    if (bm_memcpy_s2d_partial(device, inputs[i].device_mem, datas[i],
                              (unsigned)bmrt_tensor_bytesize(&inputs[i])) != BM_SUCCESS)
      return 1;
  }
  if (!bmrt_launch_tensor(bmrt, net->name, inputs, net->input_num, outputs, net->output_num))
    return 1;
  if (bm_thread_sync(device) != BM_SUCCESS) return 1;
  {
    bm_shape_t result_shapes[MOST_TENSORS];
    if (!bmrt_launch_data(bmrt, net->name, datas, shapes, net->input_num, results, result_shapes,
                          net->output_num, false))
      return 1;
  }
  for (i = 0; i < net->output_num; i++) {
    size_t bytes = bmrt_tensor_bytesize(&outputs[i]);
    void* copy = malloc(bytes);
    if (bm_memcpy_d2s_partial(device, copy, outputs[i].device_mem, (unsigned)bytes) != BM_SUCCESS)
      return 1;
    if (memcmp(copy, results[i], bytes) != 0) differs = 1;
    printf("%s: %s, %lu bytes, %s\n", net->name, net->output_names[i], (unsigned long)bytes,
           differs ? "differs between the two ways" : "equal in both ways");
    free(copy);
    free(results[i]);
    bm_free_device(device, outputs[i].device_mem);
  }
  for (i = 0; i < net->input_num; i++) {
    free(datas[i]);
    bm_free_device(device, inputs[i].device_mem);
  }
  return differs;
}

int main(int argc, char** argv) {
  bm_handle_t device;
  void* bmrt;
  const char** names = NULL;
  const bm_net_info_t* net = NULL;
  int failed = 1;
  if (argc < 2) {
    fprintf(stderr, "usage: run_net MODEL.bmodel [NET]\n");
    return 2;
  }
  if (bm_dev_request(&device, 0) != BM_SUCCESS) return 1;
  bmrt = bmrt_create(device);
  if (bmrt != NULL && bmrt_load_bmodel(bmrt, argv[1])) {
    bmrt_get_network_names(bmrt, &names);
    net = bmrt_get_network_info(bmrt, argc > 2 ? argv[2] : names[0]);
    free((void*)names);
    if (net != NULL && net->input_num <= MOST_TENSORS && net->output_num <= MOST_TENSORS) {
      bmrt_print_network_info(net);
      failed = run(bmrt, device, net);
    }
  }
  if (failed) fprintf(stderr, "%s\n", tputwin_last_error());
  bmrt_destroy(bmrt);
  bm_dev_free(device);
  return failed;
}
