// How the images of a tensor lie in memory (bm_store_mode_t).
#pragma once

#include <bmdef.h>

#include <cstdint>

namespace tputwin::bmrt {

// Bytes that so many images of so many elements take; whole cells of two or four images.
uint64_t stored_bytes(uint64_t images, uint64_t elements, uint64_t element_bits,
                      bm_store_mode_t mode);
// Copies a tensor from one storage to another; elements of whole bytes where these differ.
void copy_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                 bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                 uint64_t element_bits);

}  // namespace tputwin::bmrt
