// Compresses blocks with zlib. Checksums detect damage of the file.
#include "insight/recording/container.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/errors/machine.h"

namespace tputwin::insight::recording {
namespace {

// A mark like that of PNG. It reveals transfers that change line ends or drop high bits.
constexpr std::array<uint8_t, 8> kMark{0x89, 't', 'p', 'r', 'e', 'c', '\r', '\n'};
constexpr uint64_t kLargestBlock = uint64_t{1} << 30;
// Growth by deflate, a little more than its maximum.
constexpr size_t kMostGrowth = 1100;

// Precedes each block. In the end mark, `bytes` and `packed` are 0.
struct BlockHead {
  uint32_t bytes = 0, packed = 0, check = 0;
};
constexpr size_t kHeadBytes = 12;

void put32(std::vector<uint8_t>& to, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<uint8_t>(value >> shift));
}

uint32_t get32(std::span<const uint8_t> from, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t{from[at + i]} << (8 * i);
  return value;
}

void put_head(std::vector<uint8_t>& to, const BlockHead& head) {
  for (const uint32_t value : {head.bytes, head.packed, head.check}) put32(to, value);
}

std::vector<uint8_t> opening() {
  std::vector<uint8_t> bytes(kMark.begin(), kMark.end());
  put32(bytes, kVersion);
  return bytes;
}

std::vector<uint8_t> packed(std::span<const uint8_t> block) {
  std::vector<uint8_t> content(compressBound(block.size()));
  uLongf size = content.size();
  compress2(content.data(), &size, block.data(), block.size(), Z_BEST_SPEED);
  content.resize(size);
  std::vector<uint8_t> bytes;
  put_head(bytes, {.bytes = static_cast<uint32_t>(block.size()),
                   .packed = static_cast<uint32_t>(size),
                   .check = static_cast<uint32_t>(crc32_z(0, content.data(), content.size()))});
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

Error damaged(size_t at, std::string_view why) {
  return Error(errors::mch_recording_damaged)
      .argument("block", fmt::format("at byte {}", at))
      .detail(std::string(why));
}

// Appends the contents of the block at `at`.
Status unpack_block(std::span<const uint8_t> file, size_t at, const BlockHead& head,
                    std::vector<uint8_t>& to) {
  const std::span<const uint8_t> content = file.subspan(at + kHeadBytes, head.packed);
  if (crc32_z(0, content.data(), content.size()) != head.check)
    return damaged(at, "its check is wrong");
  if (head.bytes > kLargestBlock || head.bytes > kMostGrowth * uint64_t{head.packed})
    return damaged(at, fmt::format("it has {} bytes", head.bytes));
  const size_t before = to.size();
  to.resize(before + head.bytes);
  uLongf size = head.bytes;
  if (uncompress(to.data() + before, &size, content.data(), content.size()) != Z_OK ||
      size != head.bytes)
    return damaged(at, "it cannot be unpacked");
  return {};
}

Error truncated(size_t bytes) {
  return Error(errors::mch_recording_truncated).argument("file", fmt::format("{} bytes", bytes));
}

}  // namespace

Result<std::unique_ptr<BlockFile>> BlockFile::create(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, AtomicFile::create(path));
  TW_RETURN_IF_ERROR(file->write(opening()));
  return std::unique_ptr<BlockFile>(new BlockFile(std::move(file)));
}

Status BlockFile::add(std::span<const uint8_t> block) {
  for (; block.size() > kLargestBlock; block = block.subspan(kLargestBlock))
    TW_RETURN_IF_ERROR(file_->write(packed(block.first(kLargestBlock))));
  return file_->write(packed(block));
}

Status BlockFile::end() {
  std::vector<uint8_t> mark;
  put_head(mark, {});
  TW_RETURN_IF_ERROR(file_->write(mark));
  return file_->commit();
}

Result<std::vector<uint8_t>> unpack(std::span<const uint8_t> file) {
  const size_t start = kMark.size() + 4;
  const size_t known = std::min(file.size(), kMark.size());
  if (file.empty() ||
      !std::equal(file.begin(), file.begin() + static_cast<ptrdiff_t>(known), kMark.begin()))
    return Error(errors::mch_recording_foreign).argument("mark", "another");
  if (file.size() < start) return truncated(file.size());
  if (const uint32_t version = get32(file, kMark.size()); version != kVersion)
    return Error(errors::mch_recording_foreign)
        .argument("version", fmt::format("{}", version))
        .detail(fmt::format("this tputwin reads version {}", kVersion));
  std::vector<uint8_t> content;
  for (size_t at = start;;) {
    if (file.size() - at < kHeadBytes) return truncated(file.size());
    const BlockHead head{get32(file, at), get32(file, at + 4), get32(file, at + 8)};
    if (head.bytes == 0 && head.packed == 0) {
      if (at + kHeadBytes != file.size()) return damaged(at, "bytes follow the end mark");
      return content;
    }
    if (file.size() - at - kHeadBytes < head.packed) return truncated(file.size());
    TW_RETURN_IF_ERROR(unpack_block(file, at, head, content));
    at += kHeadBytes + head.packed;
  }
}

std::vector<uint8_t> pack(std::span<const uint8_t> block) {
  std::vector<uint8_t> bytes = opening();
  const std::vector<uint8_t> content = packed(block);
  bytes.insert(bytes.end(), content.begin(), content.end());
  put_head(bytes, {});
  return bytes;
}

}  // namespace tputwin::insight::recording
