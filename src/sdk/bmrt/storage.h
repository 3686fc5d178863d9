// How the images of a tensor lie in memory (bm_store_mode_t).
#pragma once

#include <bmdef.h>

#include <cstdint>

namespace tputwin::bmrt {

// Bytes that so many images of so many elements take; whole cells of two or four images.
uint64_t stored_bytes(uint64_t images, uint64_t elements, uint64_t element_bits,
                      bm_store_mode_t mode);
// Rows above and below the `count` rows of a channel, which have `width` elements. No width: none.
struct PaddedRows {
  uint64_t above = 0, below = 0, count = 0, width = 0;

  bool any() const { return width != 0 && above + below != 0; }
  uint64_t plane() const { return (above + count + below) * width; }
  // Elements of an image with them, and where element number `i` of one without them lies there.
  uint64_t padded(uint64_t elements) const {
    return any() ? elements / (count * width) * plane() : elements;
  }
  uint64_t place(uint64_t i) const {
    return any() ? i / (count * width) * plane() + above * width + i % (count * width) : i;
  }
};

// An image of `elements` in 1N or 4N to one with rows of zeros in the storage of the device, and
// back, which leaves the rows out.
void pad_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                uint64_t element_bits, const PaddedRows& rows);
void unpad_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                  bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                  uint64_t element_bits, const PaddedRows& rows);

// Copies a tensor from one storage to another; elements of whole bytes where these differ.
void copy_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                 bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                 uint64_t element_bits);

}  // namespace tputwin::bmrt
