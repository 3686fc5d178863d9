/*
 * bmrt: loads bmodels of the BM1684 and the BM1684X and runs them. C99 and C++. Link with -lbmrt
 * -lbmlib.
 *
 * A call that fails returns false, NULL or nothing, and nothing is run. It prints one line on
 * standard error; tputwin/error.h returns the reason. All functions may be called from several
 * threads. Launches on one device run one after the other.
 */
#ifndef BMRUNTIME_INTERFACE_H_
#define BMRUNTIME_INTERFACE_H_

#include "bmdef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes and tensors ---- */

/* Returns the bytes of an element; 1 for the two types of 4 bits. */
size_t bmrt_data_type_size(bm_data_type_t dtype);
/* Fills *shape: 0 to 8 extents, each above 0. */
void bmrt_shape(bm_shape_t* shape, const int* dims, int num_dims);
/* Returns the product of the extents; 1 if there are none. */
uint64_t bmrt_shape_count(const bm_shape_t* shape);
bool bmrt_shape_is_same(const bm_shape_t* left, const bm_shape_t* right);
/* Fills *tensor and allocates its device memory, which the caller frees with bm_free_device. */
bool bmrt_tensor(bm_tensor_t* tensor, void* p_bmrt, bm_data_type_t dtype, bm_shape_t shape);
/* As bmrt_tensor, on the devid-th device of the runtime. */
bool bmrt_tensor_ex(bm_tensor_t* tensor, void* p_bmrt, int devid, bm_data_type_t dtype,
                    bm_shape_t shape);
/* Fills *tensor with existing memory, which must be large enough. */
void bmrt_tensor_with_device(bm_tensor_t* tensor, bm_device_mem_t device_mem, bm_data_type_t dtype,
                             bm_shape_t shape);
/* Returns the number of elements times the bytes of an element. */
size_t bmrt_tensor_bytesize(const bm_tensor_t* tensor);
/* Returns the size of its device memory. */
size_t bmrt_tensor_device_size(const bm_tensor_t* tensor);

/* ---- Runtimes ---- */

/* Creates a runtime on a device, or on several of one kind. Returns NULL if a handle is not
 * open. */
void* bmrt_create(bm_handle_t bm_handle);
void* bmrt_create_ex(bm_handle_t* bm_handles, int num_handles);
/* Waits for launches and frees the memory of the runtime. p_bmrt may be NULL. */
void bmrt_destroy(void* p_bmrt);
/* As bmrt_destroy, but device memory that the runtime allocated for weights stays allocated, with
 * its bytes, until the device is closed. Memory given to bmrt_load_bmodel_with_mem stays the
 * caller's with either function. */
void bmrt_destroy_without_coeff(void* p_bmrt);
/* Returns the handle of the (first) device. */
void* bmrt_get_bm_handle(void* p_bmrt);
/* bm_runtime_flag_t bits. */
void bmrt_set_flags(void* p_bmrt, uint32_t flags);
uint32_t bmrt_get_flags(void* p_bmrt);

/* ---- Nets ---- */

/* Adds the nets of a file; several files may be loaded. A net whose name is loaded already is not
 * loaded again, with a warning. The memory of _data may be freed afterwards. */
bool bmrt_load_bmodel(void* p_bmrt, const char* bmodel_path);
bool bmrt_load_bmodel_data(void* p_bmrt, const void* bmodel_data, size_t size);

/* ---- Loads into memory of the caller, encrypted bmodels ---- */

/* Fills *mem_info with the bytes of device memory that bmrt_load_bmodel takes in a runtime without
 * nets (bmrt_get_bmodel_data_info: that bmrt_load_bmodel_data takes). The sizes of neuron_mem,
 * coeff_mem and io_mem are multiples of 4096. The simulator keeps commands on the host, so that
 * instruction_mem and variable_instruction_mem have size 0. addr is 0, type 0 (device). No device
 * is needed.
 *
 * Returns false for a NULL pointer (TW-BRT-0001), a file that cannot be read (TW-SYS-0001) or is no
 * bmodel of these chips (TW-BRT-0101, TW-MOD-04xx), or a file with encrypted parts (TW-BRT-0113).
 * *mem_info is then unchanged. */
bool bmrt_get_bmodel_info(const char* bmodel_path, mem_info_t* mem_info);
bool bmrt_get_bmodel_data_info(const void* bmodel_data, size_t size, mem_info_t* mem_info);
/* As bmrt_load_bmodel and bmrt_load_bmodel_data, into memory of the caller. Neurons, weights, and
 * inputs and outputs are stored in neuron_mem, coeff_mem and io_mem of mem_info, and nothing is
 * allocated. Each block must satisfy:
 * - addr is a device address (bm_mem_get_device_addr_u64), a multiple of 4096;
 * - size is at least the size that bmrt_get_bmodel_info returns;
 * - type is 0;
 * - blocks share no bytes.
 *
 * Blocks that the load does not need, and both blocks of commands, are ignored. Otherwise the call
 * fails with TW-BRT-0114 or TW-BML-0208, and nothing is loaded. The caller keeps the memory and
 * frees it after bmrt_destroy. Runtimes whose launches do not interleave may share neuron_mem. */
bool bmrt_load_bmodel_with_mem(void* p_bmrt, const char* bmodel_path, mem_info_t* mem_info);
bool bmrt_load_bmodel_data_with_mem(void* p_bmrt, const void* bmodel_data, size_t size,
                                    mem_info_t* mem_info);
/* As bmrt_load_bmodel, for a bmodel whose parts may be encrypted. The format of encrypted parts is
 * not documented, so that such a file is refused (TW-BRT-0113) and f is not called. Any other file
 * loads as with bmrt_load_bmodel. f must not be NULL. In the _lib form, f is the function `decrypt`
 * that the shared library at decrypt_lib exports (TW-BRT-0115: it cannot be loaded, or exports
 * none). */
bool bmrt_load_bmodel_with_decrypt(void* p_bmrt, const char* bmodel_path, decrypt_func f);
bool bmrt_load_bmodel_with_decrypt_lib(void* p_bmrt, const char* bmodel_path,
                                       const char* decrypt_lib);

/* ---- Loaded nets ---- */

/* Prints the names of the nets. */
void bmrt_show_neuron_network(void* p_bmrt);
int bmrt_get_network_number(void* p_bmrt);
/* Fills *network_names with an array from malloc, which the caller frees. The runtime owns the
 * strings. */
void bmrt_get_network_names(void* p_bmrt, const char*** network_names);
/* Returns NULL if there is no such net. The result is valid until bmrt_destroy. */
const bm_net_info_t* bmrt_get_network_info(void* p_bmrt, const char* net_name);
/* Returns the number of a net, in the order of bmrt_get_network_names; -1 if there is none of that
 * name. */
int bmrt_get_network_index(void* p_bmrt, const char* net_name);
/* Returns the number of stages of a net (stage_num); -1 and TW-BRT-0201 if there is no such net. */
int bmrt_get_stage_size(void* p_bmrt, const char* net_name);
/* Returns the number of the stage that a launch with inputs of these shapes runs. input_tensors has
 * as many elements as the net has inputs; only their shapes are read. Returns -1 if no stage has
 * these shapes, or, with an error, if there is no such net (TW-BRT-0201) or a shape is invalid
 * (TW-BRT-0208). */
int bmrt_get_stage_index(void* p_bmrt, const char* net_name, bm_tensor_t* input_tensors);
void bmrt_print_network_info(const bm_net_info_t* net_info);
/* Verifies the check codes of the weights in device memory; prints the loaded nets. */
void bmrt_trace(void* p_bmrt);

/* ---- Launches ---- */

/* Runs the first stage with the given input shapes. A net of one stage also takes shapes with
 * equal numbers of elements. Asynchronous: bm_thread_sync waits and returns the status. Fills in
 * dtype, shape and st_mode (1N) of the outputs and allocates their device memory, which the
 * caller frees. */
bool bmrt_launch_tensor(void* p_bmrt, const char* net_name, const bm_tensor_t input_tensors[],
                        int input_num, bm_tensor_t output_tensors[], int output_num);
/* user_mem: the caller provides the device memory of the outputs. user_stmode: the caller also sets
 * their st_mode; 4N only for 8-bit types. */
bool bmrt_launch_tensor_ex(void* p_bmrt, const char* net_name, const bm_tensor_t input_tensors[],
                           int input_num, bm_tensor_t output_tensors[], int output_num,
                           bool user_mem, bool user_stmode);
/* Takes inputs from and writes outputs to host memory, 1N; returns when the launch has finished.
 * Without user_mem the outputs come from malloc. */
bool bmrt_launch_data(void* p_bmrt, const char* net_name, void* const input_datas[],
                      const bm_shape_t input_shapes[], int input_num, void* output_datas[],
                      bm_shape_t output_shapes[], int output_num, bool user_mem);
/* Launches on cores. These chips have one core: the list must be empty, NULL, or {0}. */
bool bmrt_launch_tensor_multi_cores(void* p_bmrt, const char* net_name,
                                    const bm_tensor_t input_tensors[], int input_num,
                                    bm_tensor_t output_tensors[], int output_num, bool user_mem,
                                    bool user_stmode, const int* core_list, int core_num);
bool bmrt_launch_data_multi_cores(void* p_bmrt, const char* net_name, void* const input_datas[],
                                  const bm_shape_t input_shapes[], int input_num,
                                  void* output_datas[], bm_shape_t output_shapes[], int output_num,
                                  bool user_mem, const int* core_list, int core_num);
/* Checks its arguments: the neuron memory of a stage exists since the net was loaded. */
bool bmrt_pre_alloc_neuron_multi_cores(void* p_bmrt, const char* net_name, int stage_idx,
                                       const int* core_list, int core_num);

/* ---- Copies on the devices of a runtime ---- */

/* Copy tensor_num[d] tensors for device d of device_num, taken from the arrays in order. Offsets
 * and sizes in bytes, strides in elements. */
bool bmrt_memcpy_s2d_parallel(void* p_bmrt, bm_tensor_t tensors[], void* datas[], int tensor_num[],
                              int device_num);
bool bmrt_memcpy_d2s_parallel(void* p_bmrt, void* datas[], bm_tensor_t tensors[], int tensor_num[],
                              int device_num);
bool bmrt_memcpy_d2d_byte_parallel(void* p_bmrt, bm_tensor_t dst_tensors[], size_t dst_offsets[],
                                   bm_tensor_t src_tensors[], size_t src_offsets[], size_t sizes[],
                                   int tensor_num[], int device_num);
bool bmrt_memcpy_d2d_stride_ex_parallel(void* p_bmrt, bm_tensor_t dst_tensors[],
                                        size_t dst_offsets[], bm_shape_t dst_strides[],
                                        bm_tensor_t src_tensors[], size_t src_offsets[],
                                        bm_shape_t src_strides[], bm_shape_t shapes[],
                                        int tensor_num[], int device_num);

#ifdef __cplusplus
}
#endif

#endif
