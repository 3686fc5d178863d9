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

  // Adds the constants that `body` has packed, and the loads of them that are covered().
  void add(const fast::PreparedBody& body, std::span<const DmaTensor* const> loads);
  // Returns the load if it can be reversed, else nullptr.
  static const DmaTensor* covered(const Operation& operation);

  // Returns the whole pages of these bytes that `others` do not touch. Other bytes of the pages are
  // copied.
  std::vector<GlobalRange> pages(std::span<const GlobalRange> others);
  // Restores the pages and no bytes next to them, which may have changed. The kernels and loads
  // passed to add() must still exist.
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
  // Lanes for unpacked constants, and a buffer for the source bytes that a reversed load restores.
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
  // Sources of all loads, and of the loads with `comes_back` set.
  std::vector<GlobalRange> all_, certain_;
  std::vector<GlobalRange> pages_;
  std::vector<Rest> rests_;
};

}  // namespace tputwin
