/*
 * BMRuntime: devices, contexts, device memory, copies and command buffers.
 *
 * Sources: BMRuntime Library User Guide (chapters "System API", "Memory API"), BMNNSDK API v1. C99
 * and C++11.
 *
 * Behaviour of this implementation:
 * - Handles are checked on every call. A handle that does not exist, or was closed or freed, is an
 *   error with a text (see <tputwin/error.h>), never a crash.
 * - Every bm_device_open, and so every bm_init, creates a chip with its own memory. Contexts bound
 *   to one bmdev_t share its chip and its memory handles.
 * - Commands run when they are sent; waiting only returns how they ended.
 */
#ifndef LIBBMRUNTIME_BMRUNTIME_H
#define LIBBMRUNTIME_BMRUNTIME_H

#include <bmkernel/bm_kernel.h>
#include <bmkernel/bm_kernel_legacy.h>
#include <libbmruntime/bmruntime_config.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bm_context* bmctx_t;
typedef struct bm_device* bmdev_t;
typedef struct bm_memory* bmmem_t;
typedef bmmem_t bmmem_device_t;
typedef bmmem_t bmmem_host_t;
typedef bmmem_t bmmem_system_t;

typedef bmk_chip_info_t bm_devinfo_t;
typedef void bmkernel_handle_t;

/* Most devices that bm_enum_devices returns; devinfo must have as many elements. */
#define BM_DEVICE_MAX_NUM 8

/* Element formats of device memory shapes. */
typedef enum {
  BM_FMT_FP32 = 0,
  BM_FMT_FP16 = 1,
  BM_FMT_INT16 = 2,
  BM_FMT_INT8 = 3,
  BM_FMT_MAX = 4
} bmfmt_t;

/* Bits per element. */
static const int bmfmt_bpp[BM_FMT_MAX] = {32, 16, 16, 8};
#define BM_FMT_BPP(fmt) (bmfmt_bpp[fmt])

#define BM_SHAPE_MAX_DIM 4

typedef struct {
  bmfmt_t fmt;
  int dim_size;
  int dim[BM_SHAPE_MAX_DIM];
} bmshape_t;

/* Initializers of a bmshape_t. */
#define BM_TENSOR_WITH_FMT(n, c, h, w, fmt_) \
  { .fmt = (fmt_), .dim_size = 4, .dim = {(n), (c), (h), (w)} }
#define BM_TENSOR_FP32(n, c, h, w) BM_TENSOR_WITH_FMT(n, c, h, w, BM_FMT_FP32)
#define BM_TENSOR_INT16(n, c, h, w) BM_TENSOR_WITH_FMT(n, c, h, w, BM_FMT_INT16)
#define BM_TENSOR_INT8(n, c, h, w) BM_TENSOR_WITH_FMT(n, c, h, w, BM_FMT_INT8)
#define BM_MATRIX_WITH_FMT(l, r, fmt_) \
  { .fmt = (fmt_), .dim_size = 2, .dim = {(l), (r)} }
#define BM_MATRIX_FP32(l, r) BM_MATRIX_WITH_FMT(l, r, BM_FMT_FP32)
#define BM_MATRIX_INT16(l, r) BM_MATRIX_WITH_FMT(l, r, BM_FMT_INT16)
#define BM_MATRIX_INT8(l, r) BM_MATRIX_WITH_FMT(l, r, BM_FMT_INT8)

/* ---- Devices and contexts ---- */

/* Fills *count with the number of devices (1; the environment variable TPUTWIN_DEVICES may raise it
 * to 8) and devinfo with their descriptions. */
void bm_enum_devices(int* count, bm_devinfo_t devinfo[]);
bmerr_t bm_device_open(int index, bmdev_t* dev);
/* Contexts that are bound to the device are unbound. */
void bm_device_close(bmdev_t dev);
/* Always returns BM_ERR_NOT_SUPPORTED. */
bmerr_t bm_device_query(bmdev_t dev, int id, void* buf);
/* Always returns BM_ERR_NOT_SUPPORTED. */
bmerr_t bm_device_config(bmdev_t dev, int id, void* buf);
bm_devinfo_t bm_device_get_info(bmdev_t dev);
/* Returns the bytes of global memory. */
u64 bm_device_get_gmem_size(bmdev_t dev);
/* Returns 1880. */
int bm_device_get_chip_ver(bmdev_t dev);

/* Creates a context without a device. */
bmerr_t bm_context_create(bmctx_t* ctx);
/* Frees the remaining kernels, networks and memory of the context. */
void bm_context_destroy(bmctx_t ctx);
bmerr_t bm_bind_device(bmctx_t ctx, bmdev_t dev);
void bm_unbind_device(bmctx_t ctx);
/* Returns NULL if the context is unbound. */
bmdev_t bm_get_device(bmctx_t ctx);

/* Opens a device, creates a context and binds them. `index` is not used so far: pass 0. */
bmerr_t bm_init(int index, bmctx_t* ctx);
/* Unbinds, destroys and closes. Must be called last. */
void bm_exit(bmctx_t ctx);

/* Sets the buffer that the context's kernel may use. Kernels of this implementation own theirs. The
 * pointer is kept until bm_free_cmdbuf, and neither read nor freed. */
void bm_set_cmdbuf(bmctx_t ctx, u8* cmdbuf);
void bm_free_cmdbuf(bmctx_t ctx);

/* Base registers 0..7 belong to later chips; here they keep the written values. */
void bm_device_set_base_reg(bmctx_t ctx, u32 inx, u64 addr);
u64 bm_device_read_base_reg(bmctx_t ctx, u32 inx);

/* Returns the flavour of the library: "cmodel". */
const char* bm_library_type(void);

/* ---- Memory ---- */

/* Allocate device memory. They return NULL if there is not enough. Blocks start at multiples of
 * 4096. */
bmmem_device_t bmmem_device_alloc_raw(bmctx_t ctx, size_t size);
bmmem_device_t bmmem_device_alloc(bmctx_t ctx, bmshape_t* shape);
/* Returns a view of [offset, offset + size) of `mem`, which must be inside `mem`. */
bmmem_device_t bmmem_device_prealloc_raw(bmctx_t ctx, bmmem_device_t mem, uint64_t offset,
                                         size_t size);
bmmem_device_t bmmem_device_prealloc(bmctx_t ctx, bmmem_device_t mem, uint64_t offset,
                                     bmshape_t* shape);
/* Frees a block or a view. Freeing a view keeps its block; freeing a block invalidates its
 * views. */
void bmmem_device_free(bmctx_t ctx, bmmem_device_t mem);
size_t bmmem_device_size(bmctx_t ctx, bmmem_device_t mem);
/* Returns the address for gdma_load and gdma_store: a byte offset in global memory. */
uint64_t bmmem_device_addr(bmctx_t ctx, bmmem_device_t mem);
/* Returns the host address of the memory. */
uint8_t* bmmem_device_v_addr(bmctx_t ctx, bmmem_device_t mem);

/* Host memory shared with the device does not exist: the functions return NULL, nothing, 0. */
bmmem_host_t bmmem_host_alloc(bmctx_t ctx, bmshape_t* shape);
void bmmem_host_free(bmctx_t ctx, bmmem_host_t mem);
void* bmmem_host_v_addr(bmctx_t ctx, bmmem_host_t mem);
uint64_t bmmem_host_p_addr(bmctx_t ctx, bmmem_host_t mem);

/* On-chip memory of other chips: the functions return NULL, nothing. */
bmmem_device_t bmmem_device_tsm_alloc(bmctx_t ctx, bmshape_t* shape);
bmmem_device_t bmmem_device_tsm_alloc_raw(bmctx_t ctx, size_t size);
void bmmem_device_tsm_free(bmctx_t ctx, bmmem_device_t mem);

/* ---- Copies ---- */

/* Copy between system and device memory, the whole size of the device memory. */
bmerr_t bm_memcpy_s2d(bmctx_t ctx, bmmem_device_t dst, uint8_t* src);
bmerr_t bm_memcpy_d2s(bmctx_t ctx, uint8_t* dst, bmmem_device_t src);
/* Copy the range [offset, offset + size) of the device memory. */
bmerr_t bm_memcpy_s2d_ex(bmctx_t ctx, bmmem_device_t dst, uint8_t* src, uint64_t offset,
                         size_t size);
bmerr_t bm_memcpy_d2s_ex(bmctx_t ctx, uint8_t* dst, bmmem_device_t src, uint64_t offset,
                         size_t size);
/* Always return BM_ERR_NOT_SUPPORTED. */
bmerr_t bm_memcpy_h2d(bmctx_t ctx, bmmem_device_t dst, bmmem_host_t src, uint32_t src_host_offset);
bmerr_t bm_memcpy_d2h(bmctx_t ctx, bmmem_host_t dst, bmmem_device_t src, uint32_t dst_host_offset);
bmerr_t bm_memcpy_s2t(bmctx_t ctx, bmmem_device_t dst, uint8_t* src);
bmerr_t bm_memcpy_t2s(bmctx_t ctx, uint8_t* dst, bmmem_device_t src);

/* ---- Command buffers ---- */

/* Checks a command buffer and stores it in device memory in the device's form (dmabuf). The caller
 * frees the memory. */
bmerr_t bm_load_cmdbuf(bmctx_t ctx, uint8_t* cmdbuf, size_t sz, bmmem_device_t* cmdbuf_mem);
/* Starts a loaded command buffer; *seq_no is the number to wait for. */
bmerr_t bm_run_cmdbuf(bmctx_t ctx, bmmem_device_t cmdbuf_mem, uint16_t* seq_no);
/* Loads and runs a command buffer. */
bmerr_t bm_send_cmdbuf(bmctx_t ctx, uint8_t* cmdbuf, size_t sz, uint16_t* seq_no);
bmerr_t bm_wait_cmdbuf_done(bmctx_t ctx, uint16_t seq_no);
/* Runs a command buffer to its end without storing it in device memory. */
bmerr_t bm_run_cmdbuf_pio(bmctx_t ctx, uint8_t* cmdbuf, size_t sz);

/* Helpers of another chip (BM1682): return BM_ERR_NOT_SUPPORTED. */
int bm_data_copy_u8(bmctx_t ctx, u64 gaddr_s, int n, int c, int h, int w, int stride_n,
                    int stride_c, int stride_h, u64 gaddr_d);
int bm_data_transition(bmctx_t ctx, u64 gaddr_a, int n, int c, int h, int w, int stride_n,
                       int stride_c, int stride_h, float S, float B, u64 gaddr_r);

#ifdef __cplusplus
}
#endif

#endif
