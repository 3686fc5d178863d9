// Tensors of compiled nets as memory has them.
#include "bmnet_bm1684x/memory_values.h"

#include <cmath>
#include <cstring>

#include "numerics/float16.h"

namespace tputwin::net::testing {
namespace {

// Returns the values of cells: the byte of image 4 * m + k is byte k of cell m.
std::vector<float> values_of_cells(const uint8_t* bytes, const bm1684x::StreamTensor& t) {
  constexpr size_t kImages = 4;
  const size_t cells = t.bytes / kImages;
  const size_t each = cells / static_cast<size_t>(t.shape[0]);
  std::vector<float> values(t.bytes);
  for (size_t cell = 0; cell < cells; ++cell)
    for (size_t k = 0; k < kImages; ++k)
      values[(cell / each * kImages + k) * each + cell % each] =
          t.scale * static_cast<float>(static_cast<int8_t>(bytes[cell * kImages + k]));
  return values;
}

}  // namespace

std::vector<float> values_of(const uint8_t* bytes, const bm1684x::StreamTensor& t) {
  if (t.type == DType::b32) return values_of_cells(bytes, t);
  const size_t size = element_bytes(t.type);
  std::vector<float> values(t.bytes / size);
  for (size_t i = 0; i < values.size(); ++i, bytes += size) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes, size);
    values[i] = t.type == DType::i8   ? t.scale * static_cast<int8_t>(bits)
                : t.type == DType::u8 ? t.scale * static_cast<float>(bits)
                                      : float_value(bits, t.type);
  }
  return values;
}

std::vector<uint8_t> bytes_of(const Blob& blob, const bm1684x::StreamTensor& t) {
  std::vector<uint8_t> bytes;
  if (element_bytes(t.type) == 1) {
    for (const float x : blob.data) bytes.push_back(static_cast<uint8_t>(std::lround(x / t.scale)));
    return bytes;
  }
  bytes.resize(4 * blob.data.size());
  std::memcpy(bytes.data(), blob.data.data(), bytes.size());
  return bytes;
}

}  // namespace tputwin::net::testing
