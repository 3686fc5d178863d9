/* Kernels with faulty code of their own, in C as users write them. */
#undef NDEBUG /* OKKERNEL_ASSERT works in every build */
#include "okkernel/faulty_kernels.h"

#include <stdio.h>
#include <string.h>

/* Reads, writes, prints, divides by and asserts the value at a wrong address. */
static void misuse(unsigned char* bytes) {
  int sum = 0, i;
  for (i = 0; i < 1 << 20; i++) sum += bytes[i];
  memset(bytes - (1 << 20), 0x5a, 1 << 21);
  memcpy(bytes, bytes - 4096, 64);
  if (bytes[0] == 0x5a && sum == 1) printf("%s", (const char*)bytes);
}

void faulty_pointer(const void* args) {
  const faulty_pointer_args_t* p = (const faulty_pointer_args_t*)args;
  unsigned char* bytes = NULL;
  okk_initialize();
  okk_poll();
  switch (p->memory) {
    case FAULTY_GLOBAL:
      bytes = okk_global_mem_addr(p->address);
      break;
    case FAULTY_LOCAL:
      bytes = okk_local_mem_addr(p->idx, (unsigned)p->address);
      break;
    case FAULTY_L2:
      bytes = okk_l2_sram_addr((unsigned)p->address);
      break;
    case FAULTY_DTCM:
      bytes = okk_dtcm_addr((unsigned)p->address);
      break;
  }
  switch (p->use) {
    case FAULTY_MISUSE:
      misuse(bytes);
      break;
    case FAULTY_FAR:
      bytes[p->offset] = 1;
      break;
    case FAULTY_DIVIDE:
      ((volatile int*)bytes)[0] = 100 / ((volatile int*)bytes)[1];
      break;
    case FAULTY_CHASE:
      **(int* volatile*)bytes = 1;
      break;
    case FAULTY_ASSERT:
      OKKERNEL_ASSERT(bytes[0] == 77);
      break;
  }
}
OKKERNEL_FUNC_REGISTER(faulty_pointer)

/* Waits for a number that a failing call never writes. */
void faulty_loop(const void* args) {
  const faulty_loop_args_t* p = (const faulty_loop_args_t*)args;
  const dim4 shape = {1, 1, 1, 1};
  volatile unsigned char* flag;
  okk_initialize();
  okk_poll();
  flag = okk_local_mem_addr(0, 0);
  *flag = 0;
  while (*flag == 0) {
    okk_bdc_32bit_set_C(p->address, (x32){.u32 = 1}, &shape, NULL);
    if (p->polls) okk_poll();
  }
}
OKKERNEL_FUNC_REGISTER(faulty_loop)
