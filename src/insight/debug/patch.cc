// Copies ranges of memory out and in; packs them by zlib.
#include "insight/debug/patch.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace tputwin::debug {
namespace {

constexpr uint64_t kWorthPacking = 256;

// Positions of ranges in the concatenated bytes of `merged`. Each range must be inside one of
// `merged`.
class Offsets {
 public:
  explicit Offsets(std::span<const ByteRange> merged) : merged_(merged) {
    uint64_t at = 0;
    for (const ByteRange& range : merged) {
      begins_.push_back(at);
      at += range.end - range.begin;
    }
  }
  uint64_t of(const ByteRange& range) const {
    const auto order = [](const ByteRange& a, const ByteRange& b) {
      return std::tuple(a.space, a.lane, a.begin) < std::tuple(b.space, b.lane, b.begin);
    };
    const auto after = std::upper_bound(merged_.begin(), merged_.end(), range, order);
    const auto index = static_cast<size_t>(after - merged_.begin()) - 1;
    return begins_[index] + range.begin - merged_[index].begin;
  }

 private:
  std::span<const ByteRange> merged_;
  std::vector<uint64_t> begins_;
};

}  // namespace

uint8_t* bytes_at(const Memory& memory, const ByteRange& range) {
  return (range.space == Space::local ? memory.local.lane(range.lane)
                                      : memory.system(range.space).data()) +
         range.begin;
}

bool overlap(const ByteRange& a, const ByteRange& b) {
  return a.space == b.space && a.lane == b.lane && a.begin < b.end && b.begin < a.end;
}

uint64_t bytes_in(std::span<const ByteRange> ranges) {
  uint64_t sum = 0;
  for (const ByteRange& range : ranges) sum += range.end - range.begin;
  return sum;
}

Patch::Patch(const Memory& memory, std::vector<ByteRange> ranges) : ranges_(std::move(ranges)) {
  size_ = bytes_in(ranges_);
  bytes_.reserve(size_);
  for (const ByteRange& range : ranges_) {
    const uint8_t* from = bytes_at(memory, range);
    bytes_.insert(bytes_.end(), from, from + (range.end - range.begin));
  }
}

Patch::Patch(std::vector<ByteRange> ranges, std::vector<uint8_t> bytes)
    : ranges_(std::move(ranges)), bytes_(std::move(bytes)), size_(bytes_.size()) {}

void Patch::apply(const Memory& memory) const {
  const std::vector<uint8_t> unpacked = is_packed_ ? this->unpacked() : std::vector<uint8_t>();
  const uint8_t* from = is_packed_ ? unpacked.data() : bytes_.data();
  for (const ByteRange& range : ranges_) {
    std::memcpy(bytes_at(memory, range), from, range.end - range.begin);
    from += range.end - range.begin;
  }
}

Patch Patch::first_of(std::span<const Patch* const> patches) {
  std::vector<ByteRange> all;
  for (const Patch* patch : patches)
    all.insert(all.end(), patch->ranges_.begin(), patch->ranges_.end());
  sort_and_merge(all);
  std::vector<uint8_t> bytes(bytes_in(all));
  const Offsets offsets(all);
  for (size_t i = patches.size(); i-- > 0;) {
    const Patch& patch = *patches[i];
    const std::vector<uint8_t> unpacked = patch.is_packed_ ? patch.unpacked() : patch.bytes_;
    const uint8_t* from = unpacked.data();
    for (const ByteRange& range : patch.ranges_) {
      std::memcpy(&bytes[offsets.of(range)], from, range.end - range.begin);
      from += range.end - range.begin;
    }
  }
  return {std::move(all), std::move(bytes)};
}

void Patch::pack() {
  if (is_packed_ || size_ < kWorthPacking) return;
  uLongf packed = compressBound(size_);
  std::vector<uint8_t> bytes(packed);
  const int status = compress2(bytes.data(), &packed, bytes_.data(), size_, Z_BEST_SPEED);
  if (status != Z_OK || packed >= size_) return;  // remains unpacked
  bytes_.assign(bytes.data(), bytes.data() + packed);
  is_packed_ = true;
}

std::vector<uint8_t> Patch::unpacked() const {
  std::vector<uint8_t> bytes(size_);
  uLongf size = size_;
  uncompress(bytes.data(), &size, bytes_.data(), bytes_.size());
  return bytes;
}

}  // namespace tputwin::debug
