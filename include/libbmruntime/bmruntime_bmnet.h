/*
 * BMRuntime: compiled networks. (BMRuntime Library User Guide 4.29-4.49, BMNNSDK API v1; C99 and
 * C++11)
 *
 * A network has one variety per set of input shapes that it was compiled for. Inputs and outputs
 * are raw NCHW bytes; x = q * threshold / 128 for int8. Layers reuse neuron memory, so that the
 * input must be loaded before each run. Returned arrays belong to the network and are valid until
 * bmnet_cleanup.
 *
 * Threads: several threads may call every function at the same time, also on one network. Calls on
 * networks of one device run one after the other. bmnet_inference is one call, so that its outputs
 * belong to its inputs. The selected variety and the neuron memory belong to the network, not to
 * the thread. Threads that call bmnet_load_input, bmnet_run and bmnet_store_output one after the
 * other, or select different varieties, each need a network of their own or a lock around the
 * sequence.
 */
#ifndef LIBBMRUNTIME_BMRUNTIME_BMNET_H
#define LIBBMRUNTIME_BMRUNTIME_BMNET_H

#include <libbmruntime/bmruntime.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bmnet_context* bmnet_t;

/* The parts of a network compiled for one shape. */
typedef struct {
  uint32_t batch_size;
  uint8_t* weight;
  size_t weight_size;
  uint8_t* cmdbuf;
  size_t cmdbuf_size;
  size_t neuron_size;
  size_t input_size;
  uint64_t output_offset; /* in neuron memory */
  size_t output_size;
} bmnet_info_t;

typedef struct {
  size_t input_size; /* bytes of all inputs */
  size_t input_num;
  shape_t* shape_array;
  float* threshold_array;
  size_t* size_array;  /* bytes of each */
  uint32_t* fmt_array; /* FMT_* */
} bmnet_input_info_t;

typedef struct {
  size_t output_size; /* bytes of all outputs */
  size_t output_num;
  char** name_array;
  shape_t* shape_array;
  float* threshold_array;
  size_t* size_array;
  uint32_t* fmt_array;
} bmnet_output_info_t;

typedef struct {
  char* net_name;
  uint32_t chip;
  uint32_t command_num;                   /* varieties */
  bmnet_input_info_t* input_info_array;   /* one per variety */
  bmnet_output_info_t* output_info_array; /* one per variety */
} bmnet_model_info_t;

/* ---- Registration ---- */

/* Allocates memory, relocates, loads. The parts may be freed afterwards. */
bmerr_t bmnet_register(bmctx_t ctx, bmnet_info_t* info, bmnet_t* net);
/* Registers without weight and neuron memory: import both, then call bmnet_load_cmdbuf. */
bmerr_t bmnet_register_noalloc(bmctx_t ctx, bmnet_info_t* info, bmnet_t* net);
bmerr_t bmnet_register_bmodel(bmctx_t ctx, const char* bmodel, bmnet_t* net);
bmerr_t bmnet_register_bmodel_data(bmctx_t ctx, uint8_t* data, size_t size, bmnet_t* net);
/* Frees all memory except imported memory. */
void bmnet_cleanup(bmnet_t net);

/* Imported memory stays the caller's; own memory that it replaces is freed. bmnet_load_cmdbuf must
 * follow. */
bmerr_t bmnet_import_weight_devmem(bmnet_t net, bmmem_device_t weight_mem);
bmerr_t bmnet_import_neuron_devmem(bmnet_t net, bmmem_device_t neuron_mem);
/* Relocates commands to the current memory and makes them those of the selected variety. */
bmerr_t bmnet_load_cmdbuf(bmnet_t net, const uint8_t* cmdbuf, int size);

/* ---- Shapes ---- */

/* Selects the variety with this input shape. If there is none, the call fails and the selection
 * stays. A network with one variety is selected from the start. */
bmerr_t bmnet_set_input_shape(bmnet_t net, shape_t input_shape);
/* Selects the variety with exactly these `num` input shapes. */
bmerr_t bmnet_set_input_shape2(bmnet_t net, shape_t* input_shape, int num);
/* Fills in the first `num` input shapes of the selected variety. */
bmerr_t bmnet_get_input_shape(bmnet_t net, shape_t* input_shape, int num);
bmerr_t bmnet_get_output_info(bmnet_t net, bmnet_output_info_t* output_info);
/* Describe the selected variety, before a selection the first. They return NULL on error. */
bmnet_input_info_t* bmnet_get_input_info(bmnet_t net);
bmnet_model_info_t* bmnet_get_model_info(bmnet_t net);
/* Returns the threshold of the (first) input. */
float bmnet_get_input_threshold(bmnet_t net);
/* As bmnet_get_input_threshold, in the spelling of some releases. */
float bmmet_get_input_threshold(bmnet_t net);

/* ---- Running ---- */

/* Loads all inputs, one after the other. */
bmerr_t bmnet_load_input(bmnet_t net, uint8_t* input);
/* Loads only the first `size` bytes of the inputs. */
bmerr_t bmnet_load_part_input(bmnet_t net, uint8_t* input, size_t size);
bmerr_t bmnet_run(bmnet_t net);
/* Stores all outputs, one after the other. */
bmerr_t bmnet_store_output(bmnet_t net, uint8_t* output);
/* Load, run, store. */
bmerr_t bmnet_inference(bmnet_t net, uint8_t* input, uint8_t* output);
/* Register, inference, cleanup. */
bmerr_t bmnet_inference_once(bmctx_t ctx, uint8_t* input, uint8_t* output, uint32_t batch_size,
                             uint8_t* weight, size_t weight_size, uint8_t* cmdbuf,
                             size_t cmdbuf_size, size_t neuron_size, size_t input_size,
                             uint64_t output_offset, size_t output_size);

bmerr_t bmnet_load_neuron(bmnet_t net, uint64_t neuron_offset, int neuron_size, uint8_t* neuron);
bmerr_t bmnet_store_neuron(bmnet_t net, uint64_t neuron_offset, int neuron_size, uint8_t* neuron);

/* Return handles; input and output are views of neuron memory for the selected variety. */
bmmem_device_t bmnet_weight_devmem(bmnet_t net);
bmmem_device_t bmnet_neuron_devmem(bmnet_t net);
bmmem_device_t bmnet_input_devmem(bmnet_t net);
bmmem_device_t bmnet_output_devmem(bmnet_t net);

/* Helpers of another chip (BM1682): return BM_ERR_NOT_SUPPORTED. */
int bmnet_data_transition(bmctx_t ctx, u64 gaddr_a, int n, int c, int h, int w, int stride_n,
                          int stride_c, int stride_h, float S, float B, u64 gaddr_r);
int bmnet_data_copy_u8(bmctx_t ctx, u64 gaddr_s, int n, int c, int h, int w, int stride_n,
                       int stride_c, int stride_h, u64 gaddr_d);

#ifdef __cplusplus
}
#endif

#endif
