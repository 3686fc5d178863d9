// Layout of the images of a tensor in memory: storage mode (bm_store_mode_t) and padded rows.
#pragma once

#include <bmdef.h>

#include <cstdint>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmrt {

// Rows above and below the `count` rows of a channel, which have `width` elements. A width of 0
// means none.
struct PaddedRows {
  uint64_t above = 0, below = 0, count = 0, width = 0;

  bool any() const { return width != 0 && above + below != 0; }
  uint64_t plane() const { return (above + count + below) * width; }
  // padded() returns the elements of an image with these rows. place() returns the index there of
  // element `i` of an image without them.
  uint64_t padded(uint64_t elements) const {
    return any() ? elements / (count * width) * plane() : elements;
  }
  uint64_t place(uint64_t i) const {
    return any() ? i / (count * width) * plane() + above * width + i % (count * width) : i;
  }
  bool operator==(const PaddedRows&) const = default;
};

struct Stored {
  Stored(bm_store_mode_t mode = BM_STORE_1N, const PaddedRows& rows = {})
      : mode(mode), rows(rows) {}

  // Returns true if image follows image without gaps.
  bool is_plain() const { return mode == BM_STORE_1N && !rows.any(); }
  bool operator==(const Stored&) const = default;

  bm_store_mode_t mode;
  PaddedRows rows;
};
// Returns the layout that the file gives a tensor.
Stored stored_as(const bmodel::bm168x::TensorT& tensor);

// Returns the bytes of so many images of so many elements, in whole cells of two or four images.
uint64_t stored_bytes(uint64_t images, uint64_t elements, uint64_t element_bits, const Stored& as);
// Returns the bytes of a tensor on the device.
uint64_t stored_bytes(const bmodel::bm168x::TensorT& tensor);

// Copies a tensor. If the layouts differ, elements must be whole bytes. Padded rows become zeros,
// or are skipped.
void copy_stored(uint8_t* to, const Stored& to_as, const uint8_t* from, const Stored& from_as,
                 uint64_t images, uint64_t elements, uint64_t element_bits);

}  // namespace tputwin::bmrt
