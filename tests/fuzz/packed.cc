// gzip in memory, by zlib.
#include "fuzz/packed.h"

#include <zlib.h>

namespace tputwin::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr int kGzip = 15 + 16;  // the largest window, with gzip framing

}  // namespace

bool has_gzip_mark(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Bytes unpacked(std::span<const uint8_t> bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return {};
  Bytes result(kMostBytes);
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = result.data();
  stream.avail_out = static_cast<uInt>(result.size());
  inflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

Bytes packed(std::span<const uint8_t> bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  Bytes result(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = result.data();
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace tputwin::fuzz
