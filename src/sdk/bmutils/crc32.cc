// bm_crc32: the CRC of IEEE 802.3, by table.
#include <libbmutils/bm_crc32.h>

#include <array>

namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = remainder >> 1 ^ (remainder & 1 ? 0xedb88320u : 0u);
    table[byte] = remainder;
  }
  return table;
}

constexpr auto kTable = make_table();

}  // namespace

uint32_t bm_crc32(const void* buf, size_t len) {
  const uint8_t* bytes = static_cast<const uint8_t*>(buf);
  uint32_t crc = ~0u;
  for (size_t i = 0; i < len; ++i) crc = crc >> 8 ^ kTable[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}
