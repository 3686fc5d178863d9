// The tensor_lmem structures that a context has returned, and the local memory that some of them
// own.
#pragma once

#include <bmkernel/bm_kernel.h>

#include <memory>
#include <optional>
#include <unordered_map>

#include "sdk/bmkernel/local_allocator.h"

namespace tputwin::bmkernel {

class LocalTensors {
 public:
  explicit LocalTensors(const Chip& chip) : chip_(chip), allocator_(chip) {}

  // Returns a tensor that owns no memory.
  tensor_lmem* add(const tensor_lmem& t) { return insert(t, {}); }
  // Returns a tensor with memory from a bank (stack < banks) or the common stack (= banks), and
  // fills in its address.
  Result<tensor_lmem*> allocate(tensor_lmem t, uint32_t stack);
  // Returns an error if a tensor must not be freed, a warning if it is not the last allocation.
  Status check_free(const tensor_lmem* t) const;
  void free(const tensor_lmem* t);

 private:
  struct Entry {
    std::unique_ptr<tensor_lmem> tensor;
    std::optional<LocalAllocator::Block> block;
  };
  tensor_lmem* insert(const tensor_lmem& t, std::optional<LocalAllocator::Block> block);

  const Chip& chip_;
  LocalAllocator allocator_;
  std::unordered_map<const tensor_lmem*, Entry> entries_;
};

}  // namespace tputwin::bmkernel
