// TW-MEM: memory ranges.
#include "base/errors/memory.h"
#include "errors/trigger.h"
#include "memory/global_memory.h"
#include "memory/layout.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kGlobalBytes = 1 << 20;

Status bounds_of(const TensorView& dst, const TensorView& src) {
  return check_bounds(Operation(DmaTensor{.dst = dst, .src = src}), bm1880(), kGlobalBytes);
}

TW_TRIGGER(mem_global_range, [] {
  const Shape s{1, 1, 4, 4};
  return bounds_of(local_tensor(bm1880(), 0, s, true, DType::i8),
                   global_tensor(kGlobalBytes - 15, s));
});

TW_TRIGGER(mem_local_range, [] {
  const Shape s{1, 1, 4, 4};
  return bounds_of(local_tensor(bm1880(), 65536 - 15, s, true, DType::i8), global_tensor(0, s));
});

TW_TRIGGER(mem_reserve, [] { return GlobalMemory::reserve(uint64_t{1} << 62).status(); });

TW_TRIGGER(mem_result_volume, [] {
  TensorView everywhere{.shape = {4095, 4095, 16, 1}};  // all elements at one byte
  return bounds_of(everywhere, everywhere);
});

}  // namespace
}  // namespace tputwin::testing
