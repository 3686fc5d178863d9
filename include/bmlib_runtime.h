/*
 * bmlib: the host side of programs for the BM1684. C99 and C++. Opens devices, copies data to and
 * from their memory and launches kernels (okk.h).
 *
 * Every function returns a code; what it is about says tputwin/error.h: which call, which argument,
 * its value and the rule it breaks. All functions may be called from several threads; handles of
 * one device share its memory and its queue of launches. What belongs to one device happens in
 * order: a copy or an allocation waits for launches made before it.
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
  BM_ERR_FAILURE = 2,     /* a kernel did not run to its end, and all that has no other code */
  BM_ERR_TIMEOUT = 3,     /* a launch ran longer than bm_set_sync_timeout allows */
  BM_ERR_PARAM = 4,       /* an argument breaks a rule */
  BM_ERR_NOMEM = 5,       /* device memory is used up */
  BM_ERR_DATA = 6,
  BM_ERR_BUSY = 7,
  BM_ERR_NOFEATURE = 8,
  BM_NOT_SUPPORTED = 9 /* the function exists for other devices, or was given up */
} bm_status_t;

/* What a memory descriptor describes. */
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
/* The same with a size of 64 bits, for the functions that end in _u64. Passed by value. */
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

/* An address no memory has. */
#define BM_MEM_ADDR_NULL (0xfffffffff)

struct bm_context;
typedef struct bm_context* bm_handle_t;

/* Counters since the device was opened, and times in microseconds. These are 0, but that of
 * launches under TPUTWIN_TIME=chip, where it is what the chip is predicted to take. */
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
  int pcie_soc_mode; /* 0: PCIe card, 1: SoC, whose memory the host can map; the twin says 1 */
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
/* Sizes in MiB; tpu_util in percent, 100 while launches are under way. */
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

/* Number of devices: the environment variable TPUTWIN_DEVICES, or 1. Ids count from 0. */
bm_status_t bm_dev_getcount(int* count);
/* BM_SUCCESS if the device exists. */
bm_status_t bm_dev_query(int devid);
/* Opens a handle. Handles of one device share its memory and its queue. The device begins with its
 * first handle, TPUTWIN_GLOBAL_BYTES of memory (4 GiB), and ends with its last. */
bm_status_t bm_dev_request(bm_handle_t* handle, int devid);
/* Waits for the launches of the handle and closes it. */
void bm_dev_free(bm_handle_t handle);
/* -1 if the handle is not open. */
int bm_get_devid(bm_handle_t handle);
/* 0x1684, or 0x1686 for a BM1684X. */
bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid);
bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info);
bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat);

/* ---- Device memory ---- */

/* Allocates size bytes, aligned to 4096. Contents undefined. */
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size);
/* count words of 4 bytes. */
bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count);
/* n * c * h * w words of 4 bytes. */
bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w);
/* In heap 0, 1 or 2, which the descriptor then names; the twin's heaps share one memory. */
bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size);
/* In the first heap of a mask; bit i stands for heap i. */
bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size);
/* Frees what one of the functions above allocated, after the launches made so far. */
void bm_free_device(bm_handle_t handle, bm_device_mem_t mem);

/* ---- Device memory of 4 GiB and more ----
 *
 * The functions above with sizes and counts of 64 bits. A device has TPUTWIN_GLOBAL_BYTES of memory
 * (4 GiB if it is not set, at most 1 TiB). BM_ERR_PARAM: a size of 0, or a product of more than 64
 * bits (TW-BML-0214), a NULL pointer, or a heap that is not there (TW-BML-0203, 0204).
 * BM_ERR_NOMEM: no free range of that size (TW-BML-0202); *pmem is then unchanged. */

/* size bytes, at an address that is a multiple of 4096. Contents undefined. */
bm_status_t bm_malloc_device_byte_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                      unsigned long long size);
/* count words of 4 bytes. */
bm_status_t bm_malloc_device_dword_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                       unsigned long long count);
/* n * c * h * w words of 4 bytes. */
bm_status_t bm_malloc_neuron_device_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                        unsigned long long n, unsigned long long c,
                                        unsigned long long h, unsigned long long w);
/* size bytes of heap 0, 1 or 2, which the descriptor then names. */
bm_status_t bm_malloc_device_byte_heap_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                           int heap_id, unsigned long long size);
/* size bytes of the first heap of a mask; bit i stands for heap i. */
bm_status_t bm_malloc_device_byte_heap_mask_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                                int heap_id_mask, unsigned long long size);
/* Frees what any of the functions above allocated, _u64 or not, after the launches made so far.
 * Memory that is not allocated, or freed already: TW-BML-0205, and nothing happens. */
void bm_free_device_u64(bm_handle_t handle, bm_device_mem_u64_t mem);
/* *heapid: the heap that the descriptor names. */
bm_status_t bm_get_gmem_heap_id_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                    unsigned int* heapid);

/* Address and size of a controller's private memory; release does nothing. */
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
/* A descriptor of device memory, also of a part of an allocation. */
bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, unsigned int len);
/* A descriptor of host memory. */
bm_system_mem_t bm_mem_from_system(void* system_addr);
void* bm_mem_get_system_addr(struct bm_mem_desc mem);
void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr);
/* A descriptor of nothing, type BM_MEM_TYPE_INVALID. */
bm_device_mem_t bm_mem_null(void);

/* The same of descriptors with sizes of 64 bits. Those that take a pointer leave NULL alone
 * (TW-BML-0001). */
bm_mem_type_t bm_mem_get_type_u64(struct bm_mem_desc_u64 mem);
unsigned long long bm_mem_get_device_addr_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_device_addr_u64(struct bm_mem_desc_u64* pmem, unsigned long long addr);
/* Bytes. */
unsigned long long bm_mem_get_device_size_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_device_size_u64(struct bm_mem_desc_u64* pmem, unsigned long long size);
/* Makes *pmem a descriptor of size bytes of device memory. */
void bm_set_device_mem_u64(bm_device_mem_u64_t* pmem, unsigned long long size,
                           unsigned long long addr);
/* A descriptor of len bytes of device memory, also of a part of an allocation. */
bm_device_mem_u64_t bm_mem_from_device_u64(unsigned long long device_addr, unsigned long long len);
/* Of a descriptor of host memory. */
void* bm_mem_get_system_addr_u64(struct bm_mem_desc_u64 mem);
void bm_mem_set_system_addr_u64(struct bm_mem_desc_u64* pmem, void* addr);

/* ---- Copies ---- */

/* Host to device: the whole descriptor, its first size bytes, or size bytes from byte offset on. */
bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src);
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size);
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset);
/* Device to host. */
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src);
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size);
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset);
/* The same with sizes and offsets of 64 bits, in bytes. The range must lie in the descriptor
 * (TW-BML-0207) and in device memory (TW-BML-0208). */
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
/* Inside a device: offsets in bytes, len in words of 4 bytes. */
bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len);
/* The same, everything in bytes. */
bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size);
/* count elements of format_size 1, 2 or 4 bytes, strides in elements. dst_stride is 1; or it is 4,
 * then src_stride and format_size are 1. */
bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size);
/* From one device to another; src and dst have one size. force_dst_cdma has no effect. */
bm_status_t bm_memcpy_c2c(bm_handle_t src_handle, bm_handle_t dst_handle, bm_device_mem_t src,
                          bm_device_mem_t dst, bool force_dst_cdma);
/* Fills with the 32-bit word value. */
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem);
/* Repeats the first `mode` (1 to 4) bytes of *value; mode divides the size. */
bm_status_t bm_memset_device_ext(bm_handle_t handle, void* value, int mode, bm_device_mem_t mem);

/* Allocate device memory of n * c * h * w (coeff_count) words of 4 bytes, or bytes in the _byte
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

/* ---- Mapping: the twin's device memory is host memory ---- */

/* *vmem: where the host sees the memory. */
bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem);
/* The same: there is no cache. */
bm_status_t bm_mem_mmap_device_mem_no_cache(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned long long* vmem);
bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size);
/* The device address of a mapped one. */
bm_status_t bm_mem_vir_to_phy(bm_handle_t handle, unsigned long long vmem,
                              unsigned long long* device_mem);
/* There are no caches: these check their arguments. */
bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len);
bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len);

/* The same with sizes and offsets of 64 bits, in bytes. An address that is not mapped device
 * memory: TW-BML-0213. */
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

/* ---- Synchronization. They return the failure of a launch they waited for. ---- */

/* Launches of the calling thread through the handle. */
void bm_flush(bm_handle_t handle);
bm_status_t bm_thread_sync(bm_handle_t handle);
/* The same; core_id is 0. */
bm_status_t bm_thread_sync_from_core(bm_handle_t handle, int core_id);
/* Launches through the handle. */
bm_status_t bm_handle_sync(bm_handle_t handle);
/* All launches of the device; failures of other handles are left to these. */
bm_status_t bm_device_sync(bm_handle_t handle);

/* How many milliseconds a launch through this handle may run, from now on and for launches that are
 * on their way; 0, as at first: as long as it likes. Time counts from when the device begins the
 * launch. Whoever waits for the device (a synchronization, a synchronous launch, a copy, an
 * allocation) ends a launch whose time is over: it fails with BM_ERR_TIMEOUT and TW-BML-0317, which
 * names the kernel or net, the number of the launch and the device. What it has written stays, and
 * the next launch runs. A launch that waits longer than its time for one launch of a handle without
 * a limit does not run, with the same error.
 * A kernel ends when it calls a function of this library, or in its own code; a net between two
 * commands. One that waits in a function of another library cannot be ended: the device is lost.
 * Then launches on it, and kernels on all devices, fail with BM_ERR_DEVNOTREADY and TW-BML-0104, as
 * does bm_dev_request; its memory can still be read and written.
 * BM_ERR_PARAM: timeout below 0 (TW-BML-0319). docs/okkernel.md: time limits */
bm_status_t bm_set_sync_timeout(bm_handle_t handle, int timeout);

/* ---- Information ---- */

bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile);
/* The twin's own: "TPUTWIN0000000000" and "tputwin BM1684X" (of device 0). Callers give 18 and 40
 * bytes. */
bm_status_t bm_get_sn(bm_handle_t handle, char* sn);
bm_status_t bm_get_board_name(bm_handle_t handle, char* name);
/* Degrees Celsius; a twin has no sensors and says 40 and 45. */
bm_status_t bm_get_board_temp(bm_handle_t handle, unsigned int* board_temp);
bm_status_t bm_get_chip_temp(bm_handle_t handle, unsigned int* chip_temp);
/* Per cent of each unit, 0 here: 5 (BM1684) or 3 (BM1684X) video decoders, 2 post-processors. */
bm_status_t bm_get_vpu_instant_usage(bm_handle_t handle, int* vpu_usage);
bm_status_t bm_get_vpp_instant_usage(bm_handle_t handle, int* vpp_usage);
/* Given up by the vendor: BM_NOT_SUPPORTED; under TPUTWIN_TIME=chip the time of the last launch. */
bm_status_t bm_get_last_api_process_time_us(bm_handle_t handle, unsigned long* time_us);
/* MHz; the number is kept and has no effect. */
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
/* Messages above the level are dropped; BMLIB_LOG_INFO at first. */
int bmlib_log_get_level(void);
void bmlib_log_set_level(int level);
/* Receives tag, level, format and arguments; NULL: the default, which writes to stdout. */
void bmlib_log_set_callback(void (*callback)(const char*, int, const char*, va_list args));
void bmlib_log(const char* tag, int level, const char* fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Kept, without effect. */
void bm_set_debug_mode(bm_handle_t handle, int mode);
/* Called after every launch that finished: device id, 0, the launch's bm_status_t, kernel name. */
void bmlib_set_api_dbg_callback(void (*callback)(int, int, int, const char*));

/* ---- Kernels ---- */

/* The twin has the kernels in the program: succeeds whatever the files are called. */
bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* firmware_tcm,
                                   const char* firmware_ddr);
#define bmkernel_load_firmware okkernel_load_firmware
/* Runs the kernel registered as func_name (OKKERNEL_FUNC_REGISTER) with a copy of the size bytes at
 * args and returns when it has finished. BM_ERR_PARAM: no such kernel; BM_ERR_FAILURE: it broke a
 * rule. Names have at most 64 characters. */
bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size);
/* Returns at once; okkernel_sync says how the launch went. */
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

/* Loads a shared library from a file, or from length bytes in memory; its constructors register the
 * kernels. A file that this machine cannot load (one for the chip) stands, with a warning, for the
 * kernels registered already and those of the library that TPUKERNEL_FIRMWARE_PATH names. NULL on
 * failure: no such file and no kernels. core_id is 0; key is not looked at. */
tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* module_file);
tpu_kernel_module_t tpu_kernel_load_module_file_key(bm_handle_t handle, const char* module_file,
                                                    const char* key, int size);
tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* data, size_t length);
tpu_kernel_module_t tpu_kernel_load_module_to_core(bm_handle_t handle, const char* data,
                                                   size_t length, int core_id);
/* The number of a kernel: one registered under that name, or exported by the module. -1: none. */
tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module,
                                              const char* function);
tpu_kernel_function_t tpu_kernel_get_function_from_core(bm_handle_t handle,
                                                        tpu_kernel_module_t module,
                                                        const char* function, int core_id);
/* Runs a kernel with a copy of the size bytes at args; the async forms return at once and
 * tpu_kernel_sync says how the launches went. */
bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                              size_t size);
bm_status_t tpu_kernel_launch_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                        void* args, size_t size, int core_id);
bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                                    size_t size);
bm_status_t tpu_kernel_launch_async_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                              void* args, size_t size, int core_id);
/* One asynchronous launch per entry, in order, up to the first that fails. */
bm_status_t tpu_kernel_launch_async_multicores(bm_handle_t handle, tpu_launch_param_t* param_list,
                                               int param_num);
bm_status_t tpu_kernel_sync(bm_handle_t handle);
/* Removes the library with its kernels; free_module also frees the descriptor. */
bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t p_module);
bm_status_t tpu_kernel_unload_module_from_core(bm_handle_t handle, tpu_kernel_module_t p_module,
                                               int core_id);
bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t p_module);

/* ---- Macros ---- */

/* Evaluates a call; if it failed, logs that and (simulation) asserts and exits, or (otherwise)
 * returns its status from the function. */
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
