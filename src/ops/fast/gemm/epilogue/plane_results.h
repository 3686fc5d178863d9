// The tensors that receive the results of a convolution over planes.
#pragma once

#include <cstring>
#include <optional>

#include "memory/memory.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

class PlaneResults {
 public:
  // Both arguments must outlive the object. The address and strides of `out` may change between
  // runs.
  PlaneResults(const Memory& memory, const TensorView& out) : memory_(memory), out_(&out) {}

  const TensorView& out() const { return *out_; }
  // Replaces the tensor, which must outlive the object.
  void write_to(const TensorView& out) { out_ = &out; }
  uint8_t* at(uint32_t n, uint32_t oc, uint32_t y, uint32_t x) const {
    return memory_.byte(*out_, n, oc, y, x);
  }

  // Sets a second tensor, which receives a copy.
  void copy_to(const TensorView& view) { copy_ = view; }
  bool copies() const { return copy_.has_value(); }
  // Copies `count` results of a row to the second tensor, if there is one.
  void copy(uint32_t n, uint32_t oc, uint32_t y, uint32_t x, uint32_t count) const {
    if (copy_)
      std::memcpy(memory_.byte(*copy_, n, oc, y, x), at(n, oc, y, x),
                  size_t{count} * run_bytes(*copy_));
  }

 private:
  const Memory& memory_;
  const TensorView* out_;
  std::optional<TensorView> copy_;
};

}  // namespace tputwin::fast
