// Properties of the chip, and pointers into its memories.
#include "sdk/okkernel/call.h"
#include "sdk/okkernel/pointer.h"

using namespace tputwin;
using namespace tputwin::okk;

int okk_npu_num(void) { return static_cast<int>(chip_in_use().lanes); }
unsigned int okk_eu_num(void) { return chip_in_use().eu_bytes / 4; }
unsigned int okk_local_mem_size_per_npu(void) { return chip_in_use().lane_bytes; }
unsigned int okk_local_mem_bank_per_npu(void) { return chip_in_use().banks; }
unsigned int okk_l2_sram_size(void) { return static_cast<unsigned>(chip_in_use().l2.bytes); }
unsigned int okk_dtcm_size(void) { return static_cast<unsigned>(chip_in_use().dtcm.bytes); }
unsigned int okk_lookup_table_size(void) {
  return static_cast<unsigned>(chip_in_use().table.bytes);
}
unsigned long long okk_global_mem_start_addr(void) { return chip_in_use().global_base; }
unsigned int okk_local_mem_start_addr(void) {
  return static_cast<unsigned>(chip_in_use().local_base);
}
unsigned int okk_l2_sram_start_addr(void) { return static_cast<unsigned>(chip_in_use().l2.base); }
unsigned int okk_dtcm_start_addr(void) { return static_cast<unsigned>(chip_in_use().dtcm.base); }
unsigned int okk_lookup_table_start_addr(void) {
  return static_cast<unsigned>(chip_in_use().table.base);
}

unsigned char* okk_global_mem_addr(unsigned long long addr) {
  return pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return byte_at(device.memories().take_global(), chip_in_use().global_base, addr);
  });
}

unsigned char* okk_l2_sram_addr(unsigned int addr) {
  return pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    const Chip::Window& l2 = chip_in_use().l2;  // the tables after it are not the kernel's
    return addr - l2.base < l2.bytes ? byte_at(device.memories().on_chip(Space::l2), l2.base, addr)
                                     : nullptr;
  });
}

unsigned char* okk_dtcm_addr(unsigned int addr) {
  return pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return byte_at(device.memories().on_chip(Space::dtcm), chip_in_use().dtcm.base, addr);
  });
}

unsigned char* okk_local_mem_addr(unsigned int idx, unsigned int addr) {
  return pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return byte_at(device.memories().expose_local(), idx, addr);
  });
}
