// "BYTES TEXT": the number of bytes, then their zlib form in base64.
#include "tools/campaign/packed_line.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <charconv>
#include <climits>
#include <vector>

#include "base/errors/tools.h"

namespace tputwin::tools {

std::string base64(std::span<const uint8_t> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the zero that EVP_EncodeBlock adds
  const int length = EVP_EncodeBlock(reinterpret_cast<uint8_t*>(text.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return text;
}

std::string packed_line(const std::string& bytes) {
  std::vector<uint8_t> packed(compressBound(bytes.size()));
  uLongf size = packed.size();
  compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
            Z_BEST_SPEED);
  packed.resize(size);
  return fmt::format("{} {}", bytes.size(), base64(packed));
}

Result<std::string> unpacked_line(const std::string& line) {
  constexpr size_t kMostGrowth = 1100;  // zlib's limit is 1032
  const Error refused = Error(errors::cli_checkpoint).argument("result", line.substr(0, 60));
  uint64_t bytes = 0;
  const char* const end = line.data() + line.size();
  const auto [space, failed] = std::from_chars(line.data(), end, bytes);
  if (failed != std::errc() || space == end || line.size() > INT_MAX) return refused;
  const auto digits = static_cast<size_t>(end - space - 1);
  if (bytes > kMostGrowth * digits) return refused;
  std::vector<uint8_t> packed(digits);
  const int decoded = EVP_DecodeBlock(packed.data(), reinterpret_cast<const uint8_t*>(space + 1),
                                      static_cast<int>(digits));
  if (decoded < 0) return refused;
  std::string unpacked(bytes, '\0');
  uLongf size = bytes;
  // zlib finds the end of its data before the padding of the last digits
  if (uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &size, packed.data(),
                 static_cast<uLong>(decoded)) != Z_OK ||
      size != bytes)
    return refused;
  return unpacked;
}

}  // namespace tputwin::tools
