// What the chip is, and pointers into its memories.
#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

// A pointer `offset` bytes into a memory, whose commands must be finished.
unsigned char* pointer(std::string_view name, uint64_t address, auto locate) {
  Call call(name);
  if (!call.ok()) return nullptr;
  call.require(!call.session().unpolled(), errors::okk_pointer_unpolled, "addr", Hex{address});
  unsigned char* found = locate(call.session().device());
  call.require(found != nullptr, errors::okk_pointer, "addr", Hex{address});
  return call.ok() ? found : nullptr;
}

// The byte at an absolute address of a memory that starts at `base`.
unsigned char* absolute(GlobalMemory& memory, uint64_t base, uint64_t address) {
  return address >= base && address - base < memory.size() ? memory.data() + (address - base)
                                                           : nullptr;
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

int okk_npu_num(void) { return static_cast<int>(bm1684().lanes); }
unsigned int okk_eu_num(void) { return bm1684().eu_bytes / 4; }
unsigned int okk_local_mem_size_per_npu(void) { return bm1684().lane_bytes; }
unsigned int okk_local_mem_bank_per_npu(void) { return bm1684().banks; }
unsigned int okk_l2_sram_size(void) { return static_cast<unsigned>(bm1684().l2.bytes); }
unsigned int okk_dtcm_size(void) { return static_cast<unsigned>(bm1684().dtcm.bytes); }
unsigned int okk_lookup_table_size(void) { return static_cast<unsigned>(bm1684().table.bytes); }
unsigned long long okk_global_mem_start_addr(void) { return bm1684().global_base; }
unsigned int okk_local_mem_start_addr(void) { return static_cast<unsigned>(bm1684().local_base); }
unsigned int okk_l2_sram_start_addr(void) { return static_cast<unsigned>(bm1684().l2.base); }
unsigned int okk_dtcm_start_addr(void) { return static_cast<unsigned>(bm1684().dtcm.base); }
unsigned int okk_lookup_table_start_addr(void) {
  return static_cast<unsigned>(bm1684().table.base);
}

unsigned char* okk_global_mem_addr(unsigned long long addr) {
  return pointer(__func__, addr, [&](Device& device) {
    return absolute(device.global(), bm1684().global_base, addr);
  });
}

unsigned char* okk_l2_sram_addr(unsigned int addr) {
  return pointer(__func__, addr,
                 [&](Device& device) { return absolute(device.l2(), bm1684().l2.base, addr); });
}

unsigned char* okk_dtcm_addr(unsigned int addr) {
  return pointer(__func__, addr,
                 [&](Device& device) { return absolute(device.dtcm(), bm1684().dtcm.base, addr); });
}

unsigned char* okk_local_mem_addr(unsigned int idx, unsigned int addr) {
  return pointer(__func__, addr, [&](Device& device) -> unsigned char* {
    LocalMemory& local = device.local();
    return idx < local.lanes() && addr < local.lane_bytes() ? local.lane(idx) + addr : nullptr;
  });
}
