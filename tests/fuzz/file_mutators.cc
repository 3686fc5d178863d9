// Mutators of pictures, recordings and JSON.
#include "fuzz/file_mutators.h"

#include <zlib.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "insight/recording/container.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {
namespace {

using testing::Rng;

void change(std::span<uint8_t> bytes, Rng& rng) {
  for (uint64_t changes = 1 + rng.below(3); changes > 0 && !bytes.empty(); --changes)
    bytes[rng.below(bytes.size())] = rng.below(2) == 0
                                         ? static_cast<uint8_t>(rng.next())
                                         : rng.pick<uint8_t>({0, 1, 2, 4, 8, 16, 0x7f, 0x80, 0xff});
}

// ---- PNG: a mark of 8 bytes, then chunks of length, type, bytes, check ----

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

// ---- JSON ----

using Json = nlohmann::ordered_json;

Json telling_value(Rng& rng) {
  return rng.pick<Json>({0,
                         1,
                         -1,
                         0.5,
                         1e308,
                         -1e-308,
                         INT32_MAX,
                         INT32_MIN,
                         UINT32_MAX,
                         INT64_MAX,
                         INT64_MIN,
                         UINT64_MAX,
                         true,
                         nullptr,
                         "",
                         "yolo",
                         "priors",
                         "conv",
                         Json::array(),
                         Json::object(),
                         Json::array({1, 2, 3, 4})});
}

void change(Json& json, Rng& rng) {
  if (json.is_structured() && !json.empty() && rng.below(8) != 0) {
    auto at = json.begin();
    std::advance(at, static_cast<ptrdiff_t>(rng.below(json.size())));
    if (rng.below(16) == 0) {
      json.erase(at);
    } else {
      change(*at, rng);
    }
    return;
  }
  if (json.is_number_integer() && rng.below(2) == 0) {
    json = json.get<int64_t>() + rng.pick<int64_t>({-1, 1, 7, -64});
    return;
  }
  json = telling_value(rng);
}

}  // namespace

Bytes mutate_picture(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 1);
  Bytes file(input.begin(), input.end());
  const auto chunks = chunks_of(input);
  if (file.size() <= kPngMark || file[1] != 'P' || file[2] != 'N' || chunks.empty()) {
    change(file, rng);
    return file;
  }
  const Chunk chunk = chunks[rng.below(chunks.size())];
  change(std::span(file).subspan(chunk.at + 4, 4 + chunk.bytes), rng);
  seal(file, chunk);
  return file;
}

Bytes mutate_recording(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 2);
  auto content = insight::recording::unpack(input);
  if (!content.ok()) {
    Bytes file(input.begin(), input.end());
    change(file, rng);
    return file;
  }
  change(*content, rng);
  return insight::recording::pack(*content);
}

Bytes mutate_json(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 3);
  std::istringstream text(std::string(input.begin(), input.end()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  if (lines.empty()) return {};
  std::string& line = lines[rng.below(lines.size())];
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded()) {
    change(json, rng);
    line = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  } else {
    change({reinterpret_cast<uint8_t*>(line.data()), line.size()}, rng);
  }
  Bytes changed;
  for (const std::string& one : lines) {
    changed.insert(changed.end(), one.begin(), one.end());
    changed.push_back('\n');
  }
  return changed;
}

}  // namespace tputwin::fuzz
