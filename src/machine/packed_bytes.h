// PackedBytes: bytes of global memory that bodies keep packed, and how they come back. A program
// loaded them to lanes, where bodies packed them: unpacked to lanes and stored, they are there
// again. Only what was seen to come back is relied on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "memory/global_range.h"
#include "memory/memory.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/prepared/unpacking.h"
#include "ops/move/dma_tensor.h"

namespace tputwin {

class PackedBytes {
 public:
  PackedBytes(const Chip& chip, GlobalMemory& global) : chip_(chip), global_(global) {}

  // Constants that a body has packed, and the loads that brought them: those that are covered().
  void add(const fast::PreparedBody& body, std::span<const DmaTensor* const> loads);
  // A load that can be taken back.
  static const DmaTensor* covered(const Operation& operation);

  // Whole pages of these bytes that none of the others touches. What else they hold is copied.
  std::vector<GlobalRange> pages(std::span<const GlobalRange> others);
  // Fills the pages again, and nothing else: what lies beside them may have changed. Bodies and
  // loads are still there.
  void fill() const;

 private:
  struct Load {
    const DmaTensor* operation;
    GlobalRange source;
    bool comes_back = false;
  };
  struct Unpacked {
    const fast::Unpacking* body = nullptr;
    std::vector<Load> loads;
  };
  struct Rest {
    uint64_t begin;
    std::vector<uint8_t> bytes;
  };
  // Lanes for what is unpacked, and room for what a load took from there.
  struct Workshop {
    explicit Workshop(const Chip& chip) : lanes(chip) {}
    const uint8_t* take_back(const Load& load);
    LocalMemory lanes;
    std::unique_ptr<GlobalMemory> taken;
  };
  void unpack(const Unpacked& unpacked, LocalMemory& lanes) const;
  void fill(const Load& load, Workshop& workshop) const;
  std::vector<GlobalRange> rests_of(const GlobalRange& page) const;

  const Chip& chip_;
  GlobalMemory& global_;
  std::unique_ptr<Workshop> trials_;

  std::vector<Unpacked> unpacked_;
  std::vector<GlobalRange> all_, certain_;  // sources of all loads; of those that come back
  std::vector<GlobalRange> pages_;
  std::vector<Rest> rests_;
};

}  // namespace tputwin
