// The weights of a net, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tputwin::net {

// Weight memory, filled in the order of use.
class WeightMemory {
 public:
  // If `once`, equal weights are stored once. Weights start at multiples of `unit`.
  WeightMemory(std::vector<uint8_t>& bytes, bool once, size_t unit = 1)
      : bytes_(bytes), once_(once), unit_(unit) {}

  uint64_t store(const std::vector<uint8_t>& weight) {
    bytes_.resize((bytes_.size() + unit_ - 1) / unit_ * unit_);
    uint64_t offset = bytes_.size();
    if (once_ && find_stored(weight, offset)) return offset;
    bytes_.insert(bytes_.end(), weight.begin(), weight.end());
    parts_.push_back({offset, weight.size()});
    return offset;
  }

  // Offsets and sizes of what is stored.
  using Parts = std::vector<std::pair<uint64_t, uint64_t>>;
  const Parts& parts() const { return parts_; }
  // Registers weights that the memory held before, so that equal ones are not stored again.
  void remember(const Parts& parts) {
    parts_ = parts;
    for (const auto& [offset, bytes] : parts) {
      const std::string_view text(reinterpret_cast<const char*>(bytes_.data() + offset), bytes);
      stored_.emplace(std::hash<std::string_view>()(text), offset);
    }
  }

  uint64_t store_floats(const std::vector<float>& values) {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    const uint64_t offset = bytes_.size();
    const auto* from = reinterpret_cast<const uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), from, from + 4 * values.size());
    return offset;
  }

 private:
  // If weight memory holds these bytes, returns true and sets `offset`. Otherwise registers them at
  // `offset`.
  bool find_stored(const std::vector<uint8_t>& weight, uint64_t& offset) {
    const std::string_view text(reinterpret_cast<const char*>(weight.data()), weight.size());
    const size_t hash = std::hash<std::string_view>()(text);
    auto [first, last] = stored_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      const uint8_t* at = bytes_.data() + it->second;
      if (it->second + weight.size() > bytes_.size() ||
          !std::equal(weight.begin(), weight.end(), at))
        continue;
      offset = it->second;
      return true;
    }
    stored_.emplace(hash, offset);
    return false;
  }

  std::vector<uint8_t>& bytes_;
  bool once_;
  size_t unit_;
  Parts parts_;
  std::unordered_multimap<size_t, uint64_t> stored_;  // offsets by hash of the contents
};

}  // namespace tputwin::net
