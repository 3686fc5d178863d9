#undef NDEBUG  // OKKERNEL_ASSERT works in every build
#include "bmlib/kernels.h"

#include <bmlib_runtime.h>
#include <okk.h>

#include <stdexcept>

#include "bmlib/support.h"

using namespace tputwin::testing;

extern "C" {

static void count(const void* args) {
  const auto* a = static_cast<const CountArguments*>(args);
  okk_initialize();
  okk_poll();
  auto* word = reinterpret_cast<int*>(okk_global_mem_addr(a->address));
  for (int i = 0; i < a->times; ++i) *word += a->step;
}
OKKERNEL_FUNC_REGISTER(count)

static void waits(const void* args) { static_cast<const WaitArguments*>(args)->until->wait(0); }
OKKERNEL_FUNC_REGISTER(waits);

static void nothing(const void*) {}
OKKERNEL_FUNC_REGISTER(nothing)

static void ends_outside(const void*) {
  okk_parallel_end();
  okk_parallel_start();  // not reached: an error stops the kernel
}
OKKERNEL_FUNC_REGISTER(ends_outside)

static void starts_twice(const void*) {
  okk_parallel_start();
  okk_parallel_start();
}
OKKERNEL_FUNC_REGISTER(starts_twice)

static void polls_inside(const void*) {
  okk_parallel_start();
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(polls_inside)

static void leaves_section_open(const void*) { okk_parallel_start(); }
OKKERNEL_FUNC_REGISTER(leaves_section_open)

static void copies_without_initialize(const void*) {
  const dim4 shape = {1, 1, 1, 4};
  okk_gdma_32bit_cpy_L2L(128, 0, &shape, nullptr, nullptr);
}
OKKERNEL_FUNC_REGISTER(copies_without_initialize)

static void looks_without_poll(const void*) {
  const dim4 shape = {1, 1, 1, 4};
  okk_initialize();
  okk_gdma_32bit_cpy_L2L(128, 0, &shape, nullptr, nullptr);
  okk_local_mem_addr(0, 128);
}
OKKERNEL_FUNC_REGISTER(looks_without_poll)

// Its writes complete before the launch ends, so the next kernel reads them.
static void writes_without_poll(const void* args) {
  okk_initialize();
  okk_poll();
  for (int i = 0; i < 4; ++i) okk_local_mem_addr(0, 4u * static_cast<unsigned>(i))[0] = 40;
  const dim4 shape = {1, 1, 1, 4};
  okk_gdma_32bit_cpy_L2S(*static_cast<const unsigned long long*>(args), 0, &shape, nullptr,
                         nullptr);
}
OKKERNEL_FUNC_REGISTER(writes_without_poll)

static void throws(const void*) { throw std::runtime_error("nobody catches me"); }
OKKERNEL_FUNC_REGISTER(throws)

static void asserts(const void* args) { OKKERNEL_ASSERT(*static_cast<const int*>(args) == 1); }
OKKERNEL_FUNC_REGISTER(asserts)

static void calls_the_host(const void*) {
  bm_handle_t handle;
  bm_dev_request(&handle, 0);
}
OKKERNEL_FUNC_REGISTER(calls_the_host)

// Writes half of the smallest normal number to the address, as an fp32 number.
static void computes_subnormal(const void* args) {
  volatile float smallest = 1.17549435e-38f, half = 0.5f;
  okk_initialize();
  okk_poll();
  *reinterpret_cast<float*>(okk_global_mem_addr(*static_cast<const unsigned long long*>(args))) =
      smallest * half;
}
OKKERNEL_FUNC_REGISTER(computes_subnormal)

static void looks_everywhere(const void*) {
  okk_initialize();
  okk_poll();
  const unsigned l2 = okk_l2_sram_start_addr(), dtcm = okk_dtcm_start_addr();
  okk_global_mem_addr(okk_global_mem_start_addr())[0] = 1;
  okk_local_mem_addr(63, 524287)[0] = 2;
  okk_l2_sram_addr(l2 + okk_l2_sram_size() - 1)[0] = 3;
  okk_dtcm_addr(dtcm)[0] = 4;
  OKKERNEL_ASSERT(okk_local_mem_addr(63, 0)[524287] == 2 && !okk_is_parallel_state());
}
OKKERNEL_FUNC_REGISTER(looks_everywhere)

// Accesses memory out of bounds: 0 global, 1 local (NPU), 2 local (offset), 3 L2, 4 DTCM.
static void looks_outside(const void* args) {
  okk_initialize();
  okk_poll();
  switch (*static_cast<const int*>(args)) {
    case 0:
      okk_global_mem_addr(okk_global_mem_start_addr() - 1);
      break;
    case 1:
      okk_local_mem_addr(64, 0);
      break;
    case 2:
      okk_local_mem_addr(0, 524288);
      break;
    case 3:
      okk_l2_sram_addr(okk_l2_sram_start_addr() + okk_l2_sram_size());
      break;
    default:
      okk_dtcm_addr(okk_dtcm_start_addr() - 1);
  }
}
OKKERNEL_FUNC_REGISTER(looks_outside)

}  // extern "C"
