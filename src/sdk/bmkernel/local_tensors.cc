// Tensors returned by pointer, and checks of pointers that are passed back.
#include "sdk/bmkernel/local_tensors.h"

#include "base/errors/bmkernel.h"
#include "sdk/bmkernel/operand.h"

namespace tputwin::bmkernel {

tensor_lmem* LocalTensors::insert(const tensor_lmem& t,
                                  std::optional<LocalAllocator::Block> block) {
  auto tensor = std::make_unique<tensor_lmem>(t);
  tensor_lmem* handle = tensor.get();
  entries_.emplace(handle, Entry{std::move(tensor), block});
  return handle;
}

Result<tensor_lmem*> LocalTensors::allocate(tensor_lmem t, uint32_t stack) {
  // A tensor larger than all lanes together is rejected before arithmetic that could overflow.
  if (nchw(chip_, t.shape).count() > chip_.local_bytes())
    return broken(errors::bmk_lmem_full, "s", describe(t.shape));
  auto block =
      allocator_.allocate(stack, static_cast<uint32_t>(t.reserved_size), /*aligned=*/t.aligned);
  if (!block.ok()) return block.error();
  t.operand.laddr = block->address;
  return insert(t, *block);
}

Status LocalTensors::check_free(const tensor_lmem* t) const {
  auto entry = entries_.find(t);
  if (entry == entries_.end()) return Error(errors::bmk_free_unknown);
  return entry->second.block ? allocator_.check_release(*entry->second.block) : Status();
}

void LocalTensors::free(const tensor_lmem* t) {
  auto entry = entries_.find(t);
  if (entry->second.block) allocator_.release(*entry->second.block);
  entries_.erase(entry);
}

}  // namespace tputwin::bmkernel
