// Mutators of pictures, recordings, JSON, arrays and data sets.
#include "fuzz/file_mutators.h"

#include <zlib.h>

#include <sstream>

#include "fuzz/archives.h"
#include "fuzz/changes.h"
#include "fuzz/packed.h"
#include "insight/recording/container.h"

namespace tputwin::fuzz {
namespace {

using testing::Rng;

// ---- PNG: a signature of 8 bytes, then chunks of length, type, bytes, check ----

constexpr size_t kPngMark = 8, kChunkHead = 8, kCheck = 4;

uint32_t big_endian(std::span<const uint8_t> at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
}

struct Chunk {
  size_t at, bytes;
};

std::vector<Chunk> chunks_of(std::span<const uint8_t> png) {
  std::vector<Chunk> chunks;
  for (size_t at = kPngMark; at + kChunkHead + kCheck <= png.size();) {
    const size_t bytes = big_endian(png.subspan(at));
    if (bytes > png.size() - at - kChunkHead - kCheck) break;
    chunks.push_back({at, bytes});
    at += kChunkHead + bytes + kCheck;
  }
  return chunks;
}

void seal(Bytes& png, const Chunk& chunk) {
  const auto check = static_cast<uint32_t>(crc32_z(0, &png[chunk.at + 4], 4 + chunk.bytes));
  for (size_t i = 0; i < kCheck; ++i)
    png[chunk.at + kChunkHead + chunk.bytes + i] = static_cast<uint8_t>(check >> (24 - 8 * i));
}

// ---- Arrays of numpy: magic, version, the length of a text, the text, elements ----

constexpr size_t kNpyHead = 10, kNpyAlignment = 64;

// Changes a number of the text, or a letter; then pads with blanks to the required length.
std::string changed_header(std::string text, Rng& rng) {
  const size_t digit = text.find_first_of("0123456789", rng.below(text.size() + 1));
  if (digit != std::string::npos && rng.below(4) != 0) {
    size_t end = digit;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const uint64_t old = std::strtoull(text.c_str() + digit, nullptr, 10);
    text.replace(digit, end - digit, std::to_string(edge_number(rng, old, 64)));
  } else {
    change_bytes({reinterpret_cast<uint8_t*>(text.data()), text.size()}, rng);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  text.resize(
      (kNpyHead + text.size() + kNpyAlignment) / kNpyAlignment * kNpyAlignment - kNpyHead - 1, ' ');
  return text + '\n';
}

Bytes changed_array(std::span<const uint8_t> array, Rng& rng) {
  Bytes file(array.begin(), array.end());
  const size_t length = file.size() < kNpyHead ? 0 : size_t{file[8]} | size_t{file[9]} << 8;
  if (file.size() < kNpyHead + length || length == 0 || rng.below(4) == 0) {
    change_bytes(file, rng);
    return file;
  }
  const std::string text = changed_header(
      {file.begin() + kNpyHead, file.begin() + kNpyHead + static_cast<ptrdiff_t>(length)}, rng);
  Bytes changed(file.begin(), file.begin() + kNpyHead);
  changed[8] = static_cast<uint8_t>(text.size());
  changed[9] = static_cast<uint8_t>(text.size() >> 8);
  changed.insert(changed.end(), text.begin(), text.end());
  changed.insert(changed.end(), file.begin() + kNpyHead + static_cast<ptrdiff_t>(length),
                 file.end());
  return changed;
}

}  // namespace

Bytes mutate_picture(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 1);
  Bytes file(input.begin(), input.end());
  const auto chunks = chunks_of(input);
  if (file.size() <= kPngMark || file[1] != 'P' || file[2] != 'N' || chunks.empty()) {
    change_bytes(file, rng);
    return file;
  }
  const Chunk chunk = chunks[rng.below(chunks.size())];
  change_bytes(std::span(file).subspan(chunk.at + 4, 4 + chunk.bytes), rng);
  seal(file, chunk);
  return file;
}

Bytes mutate_recording(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 2);
  auto content = insight::recording::unpack(input);
  if (!content.ok()) {
    Bytes file(input.begin(), input.end());
    change_bytes(file, rng);
    return file;
  }
  change_bytes(*content, rng);
  return insight::recording::pack(*content);
}

Bytes mutate_json(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 3);
  std::istringstream text(std::string(input.begin(), input.end()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  if (lines.empty()) return {};
  std::string& line = lines[rng.below(lines.size())];
  line = changed_json(line, rng);
  Bytes changed;
  for (const std::string& one : lines) {
    changed.insert(changed.end(), one.begin(), one.end());
    changed.push_back('\n');
  }
  return changed;
}

Bytes mutate_arrays(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 11);
  if (input.size() < 2 || input[0] != 'P' || input[1] != 'K') return changed_array(input, rng);
  Members members = unzip(input);
  if (members.empty()) return {input.begin(), input.end()};
  auto& [name, content] = members[rng.below(members.size())];
  content = changed_array(content, rng);
  return zip(members);
}

Bytes mutate_idx(std::span<const uint8_t> input, uint64_t seed) {
  constexpr size_t kMark = 4, kExtent = 4;
  Rng rng(seed, 12);
  const bool is_packed = has_gzip_mark(input);
  Bytes file = is_packed ? unpacked(input) : Bytes(input.begin(), input.end());
  const size_t axes = file.size() < kMark ? 0 : file[3];
  if (axes == 0 || file.size() < kMark + axes * kExtent || rng.below(4) == 0) {
    change_bytes(file, rng);
  } else {
    const size_t at = kMark + kExtent * rng.below(axes);
    const uint64_t extent = edge_number(rng, big_endian(std::span(file).subspan(at)), 32);
    for (size_t i = 0; i < kExtent; ++i)
      file[at + i] = static_cast<uint8_t>(extent >> (24 - 8 * i));
  }
  return is_packed ? packed(file) : file;
}

}  // namespace tputwin::fuzz
