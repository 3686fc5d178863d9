// Copies of the lanes outside a mask, which an operation must not change.
#pragma once

#include <cstring>
#include <vector>

#include "memory/local_memory.h"

namespace tputwin {

// Copies the lanes whose bit in the mask is 0. The destructor copies them back.
class KeptLanes {
 public:
  KeptLanes(uint64_t mask, LocalMemory& local) : local_(local) {
    for (uint32_t lane = 0; lane < local.lanes(); ++lane)
      if ((mask >> lane & 1) == 0) lanes_.push_back(lane);
    bytes_.resize(lanes_.size() * local.lane_bytes());
    for (size_t i = 0; i < lanes_.size(); ++i)
      std::memcpy(of(i), local.lane(lanes_[i]), local.lane_bytes());
  }
  ~KeptLanes() {
    for (size_t i = 0; i < lanes_.size(); ++i)
      std::memcpy(local_.lane(lanes_[i]), of(i), local_.lane_bytes());
  }
  KeptLanes(const KeptLanes&) = delete;
  KeptLanes& operator=(const KeptLanes&) = delete;

 private:
  uint8_t* of(size_t i) { return bytes_.data() + i * local_.lane_bytes(); }

  LocalMemory& local_;
  std::vector<uint32_t> lanes_;
  std::vector<uint8_t> bytes_;
};

}  // namespace tputwin
