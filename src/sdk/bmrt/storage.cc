// Copies between storages, element by element if they differ.
#include "sdk/bmrt/storage.h"

#include <algorithm>
#include <cstring>

#include "base/copy_run.h"
#include "base/parallel.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

constexpr uint64_t images_per_cell(bm_store_mode_t mode) { return uint64_t{1} << mode; }

// Returns the byte of an element in a tensor whose images have so many elements, padded rows
// included.
constexpr uint64_t byte_of(bm_store_mode_t mode, uint64_t image, uint64_t element,
                           uint64_t elements, uint64_t bytes) {
  const uint64_t cell = images_per_cell(mode);
  return ((image / cell * elements + element) * cell + image % cell) * bytes;
}

// Copies bytes, on several threads if they are many.
void copy_bytes(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  constexpr uint64_t kPiece = 256 << 10, kMany = 4 * kPiece;
  if (to == from) return;
  const bool overlap = to < from + bytes && from < to + bytes;
  if (overlap || bytes < kMany) return void(std::memmove(to, from, bytes));
  parallel_for((bytes + kPiece - 1) / kPiece, 1, [&](size_t begin, size_t end) {
    const uint64_t first = begin * kPiece, last = std::min<uint64_t>(end * kPiece, bytes);
    copy_run(to + first, from + first, last - first);
  });
}

}  // namespace

Stored stored_as(const TensorT& tensor) {
  const auto mode = static_cast<bm_store_mode_t>(tensor.gmem_stmode);
  const auto extents = shape(tensor);
  if (tensor.pad_h == 0 || extents.size() != 4) return mode;
  return {mode,
          {.above = tensor.pad_h >> 16,
           .below = tensor.pad_h & 0xffff,
           .count = extents[2],
           .width = extents[3]}};
}

uint64_t stored_bytes(uint64_t images, uint64_t elements, uint64_t element_bits, const Stored& as) {
  const uint64_t cell = images_per_cell(as.mode), whole = (images + cell - 1) / cell * cell;
  return (whole * as.rows.padded(elements) * element_bits + 7) / 8;
}

uint64_t stored_bytes(const TensorT& tensor) {
  const uint64_t images = shape(tensor).empty() ? 1 : shape(tensor)[0];
  return stored_bytes(images, element_count(tensor) / images, element_bits(element_type(tensor)),
                      stored_as(tensor));
}

void copy_stored(uint8_t* to, const Stored& to_as, const uint8_t* from, const Stored& from_as,
                 uint64_t images, uint64_t elements, uint64_t element_bits) {
  const uint64_t all = stored_bytes(images, elements, element_bits, to_as);
  if (to_as == from_as) {
    copy_bytes(to, from, all);
    return;
  }
  if (to_as.rows.any()) std::memset(to, 0, all);
  const uint64_t bytes = element_bits / 8, to_image = to_as.rows.padded(elements),
                 from_image = from_as.rows.padded(elements);
  for (uint64_t image = 0; image < images; ++image)
    for (uint64_t i = 0; i < elements; ++i)
      std::memcpy(to + byte_of(to_as.mode, image, to_as.rows.place(i), to_image, bytes),
                  from + byte_of(from_as.mode, image, from_as.rows.place(i), from_image, bytes),
                  bytes);
}

}  // namespace tputwin::bmrt
