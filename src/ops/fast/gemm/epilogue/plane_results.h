// The tensors that receive the results of a convolution over planes.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

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

  // Finds the planes of a tensor of bytes, for plane(). Called before each run that needs them.
  void find_planes();
  // Returns true if planes have no gaps, so that results of several rows are contiguous.
  bool has_whole_planes() const { return has_whole_planes_; }
  // Returns the first element of a plane.
  uint8_t* plane(uint32_t n, uint32_t oc) const { return planes_[n * out_->shape.c + oc]; }

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
  bool has_whole_planes_ = false;
  std::vector<uint8_t*> planes_;  // channel by channel of each image
};

}  // namespace tputwin::fast
