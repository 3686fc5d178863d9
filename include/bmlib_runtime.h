/*
 * bmlib: the host side of programs for the BM1684 and the BM1684X. C99 and C++. Opens devices,
 * copies data to and from their memory and launches kernels (okk.h, tpu_kernel.h).
 *
 * Every function returns a code; tputwin/error.h returns the call, the argument, its value and the
 * rule that it breaks. All functions may be called from several threads. Handles of one device
 * share its memory and its queue of launches. Operations of one device happen in order: a copy or
 * an allocation waits for launches made before it.
 */
#ifndef BMLIB_RUNTIME_H_
#define BMLIB_RUNTIME_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef USING_CMODEL
#include <assert.h>
#include <stdlib.h>
#endif

#ifndef DECL_EXPORT
#define DECL_EXPORT
#endif
#ifndef DECL_IMPORT
#define DECL_IMPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef enum {
  BM_SUCCESS = 0,
  BM_ERR_DEVNOTREADY = 1, /* no such device, or a handle that is not open */
  /* A kernel did not run to its end, or any failure without another code. */
  BM_ERR_FAILURE = 2,
  /* A launch ran longer than bm_set_sync_timeout allows. */
  BM_ERR_TIMEOUT = 3,
  BM_ERR_PARAM = 4, /* an argument breaks a rule */
  BM_ERR_NOMEM = 5, /* device memory is used up */
  BM_ERR_DATA = 6,
  BM_ERR_BUSY = 7,
  BM_ERR_NOFEATURE = 8,
  /* The function exists for other devices, or the vendor removed it. */
  BM_NOT_SUPPORTED = 9
} bm_status_t;

/* Kind of memory that a memory descriptor describes. */
typedef enum {
  BM_MEM_TYPE_DEVICE = 0,
  BM_MEM_TYPE_HOST = 1,
  BM_MEM_TYPE_SYSTEM = 2,
  BM_MEM_TYPE_INT8_DEVICE = 3,
  BM_MEM_TYPE_INVALID = 4
} bm_mem_type_t;

typedef union {
  struct {
    bm_mem_type_t mem_type : 3;
    unsigned int gmem_heapid : 3;
    unsigned int reserved : 26;
  } u;
  unsigned int rawflags;
} bm_mem_flags_t;

#ifndef BM_MEM_DESC_T_
#define BM_MEM_DESC_T_
/* A range of device memory, or a host pointer. Passed by value. */
typedef struct bm_mem_desc {
  union {
    struct {
#ifdef __linux__
      unsigned long device_addr;
#else
      unsigned long long device_addr;
#endif
      unsigned int reserved;
      int dmabuf_fd;
    } device;
    struct {
      void* system_addr;
      unsigned int reserved0;
      int reserved1;
    } system;
  } u;
  bm_mem_flags_t flags;
  unsigned int size; /* bytes */
} bm_mem_desc_t;
typedef struct bm_mem_desc bm_device_mem_t;
typedef struct bm_mem_desc bm_system_mem_t;
#endif

#ifndef BM_MEM_DESC_U64_T_
#define BM_MEM_DESC_U64_T_
/* As bm_mem_desc with a size of 64 bits, for the functions that end in _u64. Passed by value. */
typedef struct bm_mem_desc_u64 {
  union {
    struct {
#ifdef __linux__
      unsigned long device_addr;
#else
      unsigned long long device_addr;
#endif
      unsigned int reserved;
      int dmabuf_fd;
    } device;
    struct {
      void* system_addr;
      unsigned int reserved0;
      int reserved1;
    } system;
  } u;
  bm_mem_flags_t flags;
  unsigned long long size; /* bytes */
} bm_mem_desc_u64_t;
typedef struct bm_mem_desc_u64 bm_device_mem_u64_t;
typedef struct bm_mem_desc_u64 bm_system_mem_u64_t;
#endif

/* An address outside any memory. */
#define BM_MEM_ADDR_NULL (0xfffffffff)

struct bm_context;
typedef struct bm_context* bm_handle_t;

/* Counters since the device was opened, and times in microseconds. Times are 0, except the time of
 * launches under TPUTWIN_TIME=chip: that is the time that the chip is predicted to take. */
typedef struct bm_profile {
  unsigned long cdma_in_time;
  unsigned long cdma_in_counter; /* copies to the device */
  unsigned long cdma_out_time;
  unsigned long cdma_out_counter; /* copies from the device */
  unsigned long tpu_process_time;
  unsigned long sent_api_counter;      /* launches */
  unsigned long completed_api_counter; /* launches that have finished */
} bm_profile_t;

struct bm_misc_info {
  /* 0: PCIe card. 1: SoC, whose memory the host can map; always so here. */
  int pcie_soc_mode;
  int ddr_ecc_enable;
  long long ddr0a_size;
  long long ddr0b_size;
  long long ddr1_size;
  long long ddr2_size;
  unsigned int chipid;
#define BM1682_CHIPID_BIT_MASK (0x1 << 0)
#define BM1684_CHIPID_BIT_MASK (0x1 << 1)
#define BM1686_CHIPID_BIT_MASK (0x1 << 2)
  unsigned long chipid_bit_mask;
  unsigned int driver_version;
  int domain_bdf;
  int board_version;
  int a53_enable;
};
typedef struct bm_misc_info bm_misc_info;

/* Sizes in MiB. */
struct bm_heap_stat {
  unsigned int mem_total;
  unsigned int mem_avail;
  unsigned int mem_used;
};
/* Sizes in bytes. */
typedef struct bm_heap_stat_byte {
  unsigned int heap_id;
  unsigned long long mem_total;
  unsigned long long mem_avail;
  unsigned long long mem_used;
  unsigned long long mem_start_addr;
} bm_heap_stat_byte_t;
/* Sizes in MiB; tpu_util in percent, 100 while launches run. */
typedef struct bm_dev_stat {
  int mem_total;
  int mem_used;
  int tpu_util;
  int heap_num;
  struct bm_heap_stat heap_stat[4];
} bm_dev_stat_t;

typedef enum { PERF_MONITOR_GDMA = 0, PERF_MONITOR_TPU = 1 } PERF_MONITOR_ID;
typedef struct bm_perf_monitor {
  long long buffer_start_addr;
  int buffer_size;
  PERF_MONITOR_ID monitor_id;
} bm_perf_monitor_t;
typedef enum {
  MODULE_CDMA = 0,
  MODULE_GDMA = 1,
  MODULE_TPU = 2,
  MODULE_SMMU = 3,
  MODULE_SRAM = 4,
  MODULE_END = 5
} MODULE_ID;

/* ---- Devices ---- */

/* Fills *count with the number of devices: the environment variable TPUTWIN_DEVICES, or 1. Ids
 * count from 0. */
bm_status_t bm_dev_getcount(int* count);
/* Returns BM_SUCCESS if the device exists. */
bm_status_t bm_dev_query(int devid);
/* Opens a handle. Handles of one device share its memory and its queue. The device starts with its
 * first handle, with TPUTWIN_GLOBAL_BYTES of memory (4 GiB if it is not set), and ends with its
 * last. */
bm_status_t bm_dev_request(bm_handle_t* handle, int devid);
/* Waits for the launches of the handle and closes it. */
void bm_dev_free(bm_handle_t handle);
/* Returns -1 if the handle is not open. */
int bm_get_devid(bm_handle_t handle);
/* Returns 0x1684, or 0x1686 for a BM1684X. */
bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid);
bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info);
bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat);

/* ---- Device memory ---- */

/* Allocates size bytes at an address that is a multiple of 4096. Contents undefined. */
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size);
/* Allocates count elements of 4 bytes. */
bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count);
/* Allocates n * c * h * w elements of 4 bytes. */
bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w);
/* Allocates in heap 0, 1 or 2, which the descriptor then names. All heaps share one memory. */
bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size);
/* Allocates in the first heap of a mask; bit i stands for heap i. */
bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size);
/* Frees an allocation of one of the functions above, after the launches made so far. */
void bm_free_device(bm_handle_t handle, bm_device_mem_t mem);

/* ---- Device memory of 4 GiB and more ----
 *
 * The functions above with sizes and counts of 64 bits. A device has TPUTWIN_GLOBAL_BYTES of memory
 * (4 GiB if it is not set, at most 1 TiB). They return
 * - BM_ERR_PARAM for a size of 0 or a product of more than 64 bits (TW-BML-0214), a NULL pointer,
 *   or a heap that does not exist (TW-BML-0203, 0204);
 * - BM_ERR_NOMEM if no free range has that size (TW-BML-0202); *pmem is then unchanged. */

/* Allocates size bytes at an address that is a multiple of 4096. Contents undefined. */
bm_status_t bm_malloc_device_byte_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                      unsigned long long size);
/* Allocates count elements of 4 bytes. */
bm_status_t bm_malloc_device_dword_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                       unsigned long long count);
/* Allocates n * c * h * w elements of 4 bytes. */
bm_status_t bm_malloc_neuron_device_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                        unsigned long long n, unsigned long long c,
                                        unsigned long long h, unsigned long long w);
/* Allocates size bytes in heap 0, 1 or 2, which the descriptor then names. */
bm_status_t bm_malloc_device_byte_heap_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                           int heap_id, unsigned long long size);
/* Allocates size bytes in the first heap of a mask; bit i stands for heap i. */
bm_status_t bm_malloc_device_byte_heap_mask_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                                int heap_id_mask, unsigned long long size);
/* Frees an allocation of any of the functions above, _u64 or not, after the launches made so far.
 * Memory that is not allocated, or was freed already, gives TW-BML-0205 and changes nothing. */
void bm_free_device_u64(bm_handle_t handle, bm_device_mem_u64_t mem);
/* Fills *heapid with the heap that the descriptor names. */
bm_status_t bm_get_gmem_heap_id_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                    unsigned int* heapid);

/* Return the address and the size of a controller's private memory; release does nothing. */
unsigned long long bm_gmem_arm_reserved_request(bm_handle_t handle);
void bm_gmem_arm_reserved_release(bm_handle_t handle);

/* Heaps. */
bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid);
bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num);
bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id);

/* ---- Memory descriptors ---- */

bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem);
unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem);
void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr);
unsigned int bm_mem_get_device_size(struct bm_mem_desc mem);
void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size);
/* Makes *pmem a descriptor of device memory. */
void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr);
/* Returns a descriptor of device memory, also of a part of an allocation. */
bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, unsigned int len);
/* Returns a descriptor of host memory. */
bm_system_mem_t bm_mem_from_system(void* system_addr);
void* bm_mem_get_system_addr(struct bm_mem_desc mem);
void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr);
/* Returns a descriptor of nothing, type BM_MEM_TYPE_INVALID. */
bm_device_mem_t bm_mem_null(void);

/* As the functions above, for descriptors with sizes of 64 bits. A NULL pointer gives TW-BML-0001
 * and changes nothing. */
bm_mem_type_t bm_mem_get_type_u64(struct bm_mem_desc_u64 mem);
unsigned long long bm_mem_get_device_addr_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_device_addr_u64(struct bm_mem_desc_u64* pmem, unsigned long long addr);
/* Returns the size in bytes. */
unsigned long long bm_mem_get_device_size_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_device_size_u64(struct bm_mem_desc_u64* pmem, unsigned long long size);
/* Makes *pmem a descriptor of size bytes of device memory. */
void bm_set_device_mem_u64(bm_device_mem_u64_t* pmem, unsigned long long size,
                           unsigned long long addr);
/* Returns a descriptor of len bytes of device memory, also of a part of an allocation. */
bm_device_mem_u64_t bm_mem_from_device_u64(unsigned long long device_addr, unsigned long long len);
/* mem must be a descriptor of host memory. */
void* bm_mem_get_system_addr_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_system_addr_u64(struct bm_mem_desc_u64* pmem, void* addr);

/* ---- Copies ---- */

/* Copies from host to device: the whole descriptor, its first size bytes, or size bytes from byte
 * offset on. */
bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src);
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size);
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset);
/* Copies from device to host. */
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src);
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size);
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset);
/* As the functions above with sizes and offsets of 64 bits, in bytes. The range must be in the
 * descriptor (TW-BML-0207) and in device memory (TW-BML-0208). */
bm_status_t bm_memcpy_s2d_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src);
bm_status_t bm_memcpy_s2d_partial_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src,
                                      unsigned long long size);
bm_status_t bm_memcpy_s2d_partial_offset_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src,
                                             unsigned long long size, unsigned long long offset);
bm_status_t bm_memcpy_d2s_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src);
bm_status_t bm_memcpy_d2s_partial_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src,
                                      unsigned long long size);
bm_status_t bm_memcpy_d2s_partial_offset_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src,
                                             unsigned long long size, unsigned long long offset);
/* Copies inside a device. Offsets count bytes, len counts elements of 4 bytes. */
bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len);
/* As bm_memcpy_d2d with all sizes in bytes. */
bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size);
/* Copies count elements of format_size 1, 2 or 4 bytes; strides count elements. dst_stride must be
 * 1, or 4 with src_stride and format_size of 1. */
bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size);
/* Copies from one device to another; src and dst must have equal sizes. force_dst_cdma has no
 * effect. */
bm_status_t bm_memcpy_c2c(bm_handle_t src_handle, bm_handle_t dst_handle, bm_device_mem_t src,
                          bm_device_mem_t dst, bool force_dst_cdma);
/* Fills with the 32-bit value. */
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem);
/* Repeats the first `mode` (1 to 4) bytes of *value; mode must divide the size. */
bm_status_t bm_memset_device_ext(bm_handle_t handle, void* value, int mode, bm_device_mem_t mem);

/* Allocate device memory of n * c * h * w (coeff_count) elements of 4 bytes, or bytes in the _byte
 * forms, and copy sys_mem to it if need_copy. */
bm_status_t bm_mem_convert_system_to_device_neuron(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                   struct bm_mem_desc sys_mem, bool need_copy,
                                                   int n, int c, int h, int w);
bm_status_t bm_mem_convert_system_to_device_neuron_byte(bm_handle_t handle,
                                                        struct bm_mem_desc* dev_mem,
                                                        struct bm_mem_desc sys_mem, bool need_copy,
                                                        int n, int c, int h, int w);
bm_status_t bm_mem_convert_system_to_device_coeff(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                  struct bm_mem_desc sys_mem, bool need_copy,
                                                  int coeff_count);
bm_status_t bm_mem_convert_system_to_device_coeff_byte(bm_handle_t handle,
                                                       struct bm_mem_desc* dev_mem,
                                                       struct bm_mem_desc sys_mem, bool need_copy,
                                                       int coeff_count);

/* ---- Mapping: device memory is host memory here ---- */

/* Fills *vmem with the host address of the memory. */
bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem);
/* As bm_mem_mmap_device_mem: there is no cache. */
bm_status_t bm_mem_mmap_device_mem_no_cache(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned long long* vmem);
bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size);
/* Fills in the device address of a mapped address. */
bm_status_t bm_mem_vir_to_phy(bm_handle_t handle, unsigned long long vmem,
                              unsigned long long* device_mem);
/* There are no caches: these functions only check their arguments. */
bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len);
bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len);

/* As the functions above with sizes and offsets of 64 bits, in bytes. An address outside mapped
 * device memory gives TW-BML-0213. */
bm_status_t bm_mem_mmap_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                       unsigned long long* vmem);
bm_status_t bm_mem_mmap_device_mem_no_cache_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                unsigned long long* vmem);
bm_status_t bm_mem_unmap_device_mem_u64(bm_handle_t handle, void* vmem, unsigned long long size);
bm_status_t bm_mem_flush_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem);
bm_status_t bm_mem_flush_partial_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                unsigned long long offset, unsigned long long len);
bm_status_t bm_mem_invalidate_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem);
bm_status_t bm_mem_invalidate_partial_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                     unsigned long long offset,
                                                     unsigned long long len);

/* ---- Synchronization. The functions return the failure of a launch that they waited for. ---- */

/* Wait for the launches of the calling thread through the handle. */
void bm_flush(bm_handle_t handle);
bm_status_t bm_thread_sync(bm_handle_t handle);
/* As bm_thread_sync; core_id must be 0. */
bm_status_t bm_thread_sync_from_core(bm_handle_t handle, int core_id);
/* Waits for launches through the handle. */
bm_status_t bm_handle_sync(bm_handle_t handle);
/* Waits for all launches of the device. Failures of launches through other handles are returned to
 * those handles. */
bm_status_t bm_device_sync(bm_handle_t handle);

/* Limits the time of launches through this handle, in milliseconds, from now on and for launches
 * that are queued or running. 0, the default, means no limit. Time counts from when the device
 * begins the launch.
 *
 * A call that waits for the device (a synchronization, a synchronous launch, a copy, an allocation)
 * ends a launch that exceeds its limit. That launch fails with BM_ERR_TIMEOUT and TW-BML-0317,
 * which names the kernel or net, the number of the launch and the device. What it has written
 * stays, and the next launch runs. A launch that waits longer than its limit for one launch of a
 * handle without a limit does not run, with the same error.
 *
 * A kernel ends when it calls a function of this library, or in its own code; a net ends between
 * two commands. A kernel that waits in a function of another library cannot be ended: the device is
 * lost. Then launches on it, kernels on all devices, and bm_dev_request fail with
 * BM_ERR_DEVNOTREADY and TW-BML-0104. Its memory can still be read and written.
 *
 * Returns BM_ERR_PARAM for a timeout below 0 (TW-BML-0319). docs/okkernel.md: time limits */
bm_status_t bm_set_sync_timeout(bm_handle_t handle, int timeout);

/* ---- Information ---- */

bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile);
/* Fill in the simulator's own names: "TPUTWIN0000000000" and "tputwin BM1684X" (of device 0). The
 * buffers must have 18 and 40 bytes. */
bm_status_t bm_get_sn(bm_handle_t handle, char* sn);
bm_status_t bm_get_board_name(bm_handle_t handle, char* name);
/* Degrees Celsius. The simulator has no sensors and returns 40 and 45. */
bm_status_t bm_get_board_temp(bm_handle_t handle, unsigned int* board_temp);
bm_status_t bm_get_chip_temp(bm_handle_t handle, unsigned int* chip_temp);
/* Percent of each unit, 0 here. The BM1684 has 5 and the BM1684X 3 video decoders; both have 2
 * post-processors. */
bm_status_t bm_get_vpu_instant_usage(bm_handle_t handle, int* vpu_usage);
bm_status_t bm_get_vpp_instant_usage(bm_handle_t handle, int* vpp_usage);
/* Returns BM_NOT_SUPPORTED: the vendor removed it. Under TPUTWIN_TIME=chip it returns the time of
 * the last launch. */
bm_status_t bm_get_last_api_process_time_us(bm_handle_t handle, unsigned long* time_us);
/* MHz. The number is kept and has no effect. */
bm_status_t bm_set_clk_tpu_freq(bm_handle_t handle, int freq);
bm_status_t bm_get_clk_tpu_freq(bm_handle_t handle, int* freq);

/* ---- Log ---- */

#define BMLIB_LOG_QUIET (-8)
#define BMLIB_LOG_PANIC 0
#define BMLIB_LOG_FATAL 8
#define BMLIB_LOG_ERROR 16
#define BMLIB_LOG_WARNING 24
#define BMLIB_LOG_INFO 32
#define BMLIB_LOG_VERBOSE 40
#define BMLIB_LOG_DEBUG 48
#define BMLIB_LOG_TRACE 56
/* Level of the log: messages above it are dropped. BMLIB_LOG_INFO at first. */
int bmlib_log_get_level(void);
void bmlib_log_set_level(int level);
/* Sets the function that receives tag, level, format and arguments. NULL restores the default,
 * which writes to stdout. */
void bmlib_log_set_callback(void (*callback)(const char*, int, const char*, va_list args));
void bmlib_log(const char* tag, int level, const char* fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Kept, without effect. */
void bm_set_debug_mode(bm_handle_t handle, int mode);
/* Sets a function that is called after every launch that finished, with device id, 0, the launch's
 * bm_status_t and the kernel's name. */
void bmlib_set_api_dbg_callback(void (*callback)(int, int, int, const char*));

/* ---- Kernels ---- */

/* The kernels are in the program: succeeds for any file names. */
bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* firmware_tcm,
                                   const char* firmware_ddr);
#define bmkernel_load_firmware okkernel_load_firmware
/* Runs the kernel registered as func_name (OKKERNEL_FUNC_REGISTER) with a copy of the size bytes at
 * args and returns when it has finished. Names have at most 64 characters. Returns BM_ERR_PARAM if
 * there is no such kernel, BM_ERR_FAILURE if it broke a rule. */
bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size);
/* Returns at once; okkernel_sync returns the status of the launch. */
bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size);
/* Waits for the launches of the handle. */
bm_status_t okkernel_sync(bm_handle_t handle);
/* Another name of okkernel_launch_sync. */
bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                   unsigned int size);
/* Launches the only registered kernel, asynchronously; bm_thread_sync waits for it. */
bm_status_t bmkernel_launch(bm_handle_t handle, const void* args, unsigned int size);
/* Copies a table to the lookup table area, which no okk_* function reads. */
bm_status_t bmkernel_load_lookup_table(bm_handle_t handle, const void* table, unsigned int size);

/* ---- Kernels in modules: the BM1684X ---- */

/* A library of device code, built for this machine. md5 is not filled. */
typedef struct bm_module {
  char lib_name[64];
  unsigned char md5[16];
} bm_module;
typedef struct bm_module* tpu_kernel_module_t;
typedef int tpu_kernel_function_t;
typedef struct {
  int core_id; /* 0 */
  tpu_kernel_function_t func_id;
  void* param_data;
  unsigned int param_size;
} tpu_launch_param_t;

/* Loads a shared library from a file, or from length bytes in memory. Its constructors register
 * the kernels. A file that this machine cannot load (built for the chip) gives a warning; it
 * then stands for the kernels registered already and those of the library that
 * TPUKERNEL_FIRMWARE_PATH names. Returns NULL if there are no such file and no kernels. core_id
 * must be 0; key is ignored. */
tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* module_file);
tpu_kernel_module_t tpu_kernel_load_module_file_key(bm_handle_t handle, const char* module_file,
                                                    const char* key, int size);
tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* data, size_t length);
tpu_kernel_module_t tpu_kernel_load_module_to_core(bm_handle_t handle, const char* data,
                                                   size_t length, int core_id);
/* Returns the number of the kernel registered under that name or exported by the module, -1 if
 * there is none. */
tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module,
                                              const char* function);
tpu_kernel_function_t tpu_kernel_get_function_from_core(bm_handle_t handle,
                                                        tpu_kernel_module_t module,
                                                        const char* function, int core_id);
/* Run a kernel with a copy of the size bytes at args. The async forms return at once, and
 * tpu_kernel_sync returns the status of their launches. */
bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                              size_t size);
bm_status_t tpu_kernel_launch_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                        void* args, size_t size, int core_id);
bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                                    size_t size);
bm_status_t tpu_kernel_launch_async_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                              void* args, size_t size, int core_id);
/* Launches one kernel per entry, asynchronously and in order, up to the first that fails. */
bm_status_t tpu_kernel_launch_async_multicores(bm_handle_t handle, tpu_launch_param_t* param_list,
                                               int param_num);
bm_status_t tpu_kernel_sync(bm_handle_t handle);
/* Removes the library with its kernels; free_module also frees the descriptor. */
bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t p_module);
bm_status_t tpu_kernel_unload_module_from_core(bm_handle_t handle, tpu_kernel_module_t p_module,
                                               int core_id);
bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t p_module);

/* ---- Macros ---- */

/* Evaluates a call. If it failed, logs that, and in simulation asserts and exits, otherwise returns
 * its status from the function. */
#ifdef USING_CMODEL
#define BM_CHECK_RET(call)                                                                       \
  do {                                                                                           \
    const bm_status_t bm_check_ret_ = (call);                                                    \
    if (bm_check_ret_ != BM_SUCCESS) {                                                           \
      bmlib_log("bmlib", BMLIB_LOG_ERROR, "%s:%d %s: %s failed, ret = %d\n", __FILE__, __LINE__, \
                __func__, #call, (int)bm_check_ret_);                                            \
      assert(0);                                                                                 \
      exit(-(int)bm_check_ret_);                                                                 \
    }                                                                                            \
  } while (0)
#else
#define BM_CHECK_RET(call)                                                                       \
  do {                                                                                           \
    const bm_status_t bm_check_ret_ = (call);                                                    \
    if (bm_check_ret_ != BM_SUCCESS) {                                                           \
      bmlib_log("bmlib", BMLIB_LOG_ERROR, "%s:%d %s: %s failed, ret = %d\n", __FILE__, __LINE__, \
                __func__, #call, (int)bm_check_ret_);                                            \
      return bm_check_ret_;                                                                      \
    }                                                                                            \
  } while (0)
#endif

#ifdef __cplusplus
}
#endif

#endif
