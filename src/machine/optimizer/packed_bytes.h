// PackedBytes: restores bytes of global memory that kernels keep in packed form. The program loaded
// these bytes to lanes, and kernels packed them there. Unpacking to lanes and storing restores the
// original bytes. Only bytes whose restoration was tested are relied on.
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

  // Adds the constants that `kernel` has packed. `loads` are those of their loads that can be
  // reversed (reversible_load).
  void add(const fast::PreparedKernel& kernel, std::span<const DmaTensor* const> loads);
  // Returns the load if it can be reversed, else nullptr.
  static const DmaTensor* reversible_load(const Operation& operation);

  // Chooses whole pages of these bytes that no range in `others` touches, and copies the bytes of
  // these pages that cannot be restored. Returns the pages.
  std::vector<GlobalRange> pages(std::span<const GlobalRange> others);
  // Restores the pages and no bytes next to them, which may have changed. The kernels and loads
  // passed to add() must still exist.
  void restore() const;

 private:
  struct Load {
    const DmaTensor* operation;
    GlobalRange source;
    bool is_restorable = false;
  };
  struct Unpacked {
    const fast::Unpacking* kernel = nullptr;
    std::vector<Load> loads;
  };
  struct Copied {
    uint64_t begin;
    std::vector<uint8_t> bytes;
  };
  // Lanes for unpacked constants, and a buffer for the source bytes that a reversed load restores.
  struct LoadReverser {
    explicit LoadReverser(const Chip& chip) : lanes(chip) {}
    const uint8_t* reverse(const Load& load);
    LocalMemory lanes;
    std::unique_ptr<GlobalMemory> reversed;
  };
  void unpack(const Unpacked& unpacked, LocalMemory& lanes) const;
  void restore(const Load& load, LoadReverser& reverser) const;
  std::vector<GlobalRange> unrestored_parts(const GlobalRange& page) const;

  const Chip& chip_;
  GlobalMemory& global_;
  std::unique_ptr<LoadReverser> trial_;

  std::vector<Unpacked> unpacked_;
  // Sources of all loads, and of the loads with `is_restorable` set.
  std::vector<GlobalRange> all_, restorable_;
  std::vector<GlobalRange> pages_;
  std::vector<Copied> copies_;
};

}  // namespace tputwin
