// Copies between storages, element by element where they differ.
#include "sdk/bmrt/storage.h"

#include <cstring>

namespace tputwin::bmrt {
namespace {

constexpr uint64_t images_per_cell(bm_store_mode_t mode) { return uint64_t{1} << mode; }

// The byte of an element in a tensor whose images have so many.
constexpr uint64_t byte_of(bm_store_mode_t mode, uint64_t image, uint64_t element,
                           uint64_t elements, uint64_t bytes) {
  const uint64_t cell = images_per_cell(mode);
  return ((image / cell * elements + element) * cell + image % cell) * bytes;
}

}  // namespace

uint64_t stored_bytes(uint64_t images, uint64_t elements, uint64_t element_bits,
                      bm_store_mode_t mode) {
  const uint64_t cell = images_per_cell(mode), whole = (images + cell - 1) / cell * cell;
  return (whole * elements * element_bits + 7) / 8;
}

void copy_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                 bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                 uint64_t element_bits) {
  if (to == from && to_mode == from_mode) return;
  if (to_mode == from_mode) {
    std::memmove(to, from, stored_bytes(images, elements, element_bits, to_mode));
    return;
  }
  const uint64_t bytes = element_bits / 8;
  for (uint64_t image = 0; image < images; ++image)
    for (uint64_t element = 0; element < elements; ++element)
      std::memcpy(to + byte_of(to_mode, image, element, elements, bytes),
                  from + byte_of(from_mode, image, element, elements, bytes), bytes);
}

void pad_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                uint64_t element_bits, const PaddedRows& rows) {
  const uint64_t bytes = element_bits / 8, all = rows.padded(elements);
  std::memset(to, 0, stored_bytes(images, all, element_bits, to_mode));
  for (uint64_t image = 0; image < images; ++image)
    for (uint64_t element = 0; element < elements; ++element)
      std::memcpy(to + byte_of(to_mode, image, rows.place(element), all, bytes),
                  from + byte_of(from_mode, image, element, elements, bytes), bytes);
}

void unpad_stored(uint8_t* to, bm_store_mode_t to_mode, const uint8_t* from,
                  bm_store_mode_t from_mode, uint64_t images, uint64_t elements,
                  uint64_t element_bits, const PaddedRows& rows) {
  const uint64_t bytes = element_bits / 8, all = rows.padded(elements);
  for (uint64_t image = 0; image < images; ++image)
    for (uint64_t element = 0; element < elements; ++element)
      std::memcpy(to + byte_of(to_mode, image, element, elements, bytes),
                  from + byte_of(from_mode, image, rows.place(element), all, bytes), bytes);
}

}  // namespace tputwin::bmrt
