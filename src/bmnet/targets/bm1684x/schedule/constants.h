// Small constants of a net that stay in local memory during the whole run.
#pragma once

#include <vector>

#include "bmnet/targets/bm1684x/kernel.h"

namespace tputwin::net::bm1684x {

// A transfer costs as much as 1.5 KiB in each lane. So the smallest constants of all kernels are
// stored at the end of the lanes, and few transfers load them. Equal constants are stored once.
struct ResidentConstants {
  // Bytes of a lane that one transfer loads, counted from the first of these constants.
  struct Part {
    int64_t begin = 0, end = 0;
    uint64_t offset = 0;  // of the contents in weight memory
  };

  int64_t lane_bytes = 0;
  std::vector<uint8_t> image;  // one lane after the other
  std::vector<Part> parts;     // in the order of use

  // Returns the address of the first constant in a lane.
  uint32_t begin() const;
  // Returns the contents of a part, one lane after the other.
  std::vector<uint8_t> contents(const Part& part) const;
  // Returns the number of parts, from the first on, that hold the constants of the kernels.
  size_t parts_of(const std::vector<const TiledKernel*>& kernels) const;
};

// Chooses the constants, and sets Weight::resident of them.
ResidentConstants place_constants(const std::vector<KernelPtr>& kernels);
// Takes the choice back.
void release_constants(const std::vector<KernelPtr>& kernels);

// Emits the load of a part. `weights` is the offset of weight memory.
void load_part(StreamProgram& program, const ResidentConstants& constants,
               const ResidentConstants::Part& part, uint64_t weights);

}  // namespace tputwin::net::bm1684x
