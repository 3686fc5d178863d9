// Sliding windows over planes of bytes, sixteen results at a time, read in place. A permutation
// moves the inputs of four taps under each result, and a mask replaces those outside by padding.
// The steps of dot products multiply and add the inputs. The positions for each block of results
// are computed once for all channels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/window.h"
#include "ops/fast/dispatch/fast_kernel.h"

namespace tputwin {
struct Depthwise2dBm1684xInt8;
}

namespace tputwin::fast {

// Runs depthwise convolutions and keeps nothing between runs.
Declined sliding_blocks(const Depthwise2dBm1684xInt8& op, const Memory& memory);

class SlidingBlocks {
 public:
  // The unit in which a processor permutes bytes: vectors of 64 bytes, or quarters of these.
  enum class Permutes : uint8_t { nothing, quarters, all };

  static constexpr size_t kResults = 16;  // largest number of results of a block
  static constexpr size_t kTaps = 4;      // taps of a step, neighbours in a row
  static constexpr size_t kReach = 64;    // span in bytes of a step's inputs
  static constexpr size_t kQuarter = 16;  // span in bytes of four results' inputs

  // Byte index[4 * i + t] of the loaded bytes is the input of result i under tap t, if bit
  // 4 * i + t of `take` is set. Only bytes whose bits are set in `load` are read.
  //
  // With quarters, the inputs of results 4 * q to 4 * q + 3 are among kQuarter bytes from first[q]
  // on. `index` counts from there, and is kOutside where `take` has no bit. All these bytes are
  // read.
  struct Pattern {
    alignas(64) std::array<uint8_t, kReach> index{};
    uint64_t take = 0, load = 0;
    std::array<uint8_t, kReach / kQuarter> first{};
    bool operator==(const Pattern&) const = default;
  };
  // Loads start `offset` bytes after the first input of a plane.
  struct Step {
    uint32_t offset = 0, pattern = 0;
  };
  struct Block {
    uint32_t out;                  // bytes after a plane's first result
    uint32_t results;              // less than kResults only at a plane's end
    bool has_one_pattern = false;  // all its steps
  };

  static constexpr uint8_t kOutside = 0x80;

  // Returns false if the operands are not covered. They must have rows of bytes and the window's
  // extents.
  bool build(const Window& window, const TensorView& in, const TensorView& out, Permutes permutes);

  std::span<const Block> blocks() const { return blocks_; }
  // Returns the steps_per_block() steps of a block: rows of the window, then taps.
  const Step* steps(size_t block) const { return steps_.data() + block * steps_per_block_; }
  size_t steps_per_block() const { return steps_per_block_; }
  const Pattern& pattern(uint32_t number) const { return patterns_[number]; }

  // Writes the weights of steps, four signed bytes each. weight(kh, kw) returns a weight.
  template <class Weight>
  void steps_of_weights(const Weight& weight, uint32_t* to) const {
    for (uint32_t kh = 0; kh < kernel_h_; ++kh)
      for (uint32_t first = 0; first < kernel_w_; first += kTaps) {
        uint32_t cell = 0;
        for (uint32_t t = 0; t < kTaps && first + t < kernel_w_; ++t)
          cell |= uint32_t{static_cast<uint8_t>(weight(kh, first + t))} << (8 * t);
        *to++ = cell;
      }
  }

 private:
  // Position of the inputs of a result: its row in the plane under a row of the window (-1
  // outside), and its column.
  struct Place {
    int64_t row;
    uint32_t x;
  };
  std::optional<Step> step(std::span<const Place> positions, uint32_t first_tap);
  static bool cut_in_quarters(Pattern& pattern);
  uint32_t number_of(const Pattern& pattern);
  void find_equal_patterns();
  bool add_rows(const TensorView& in, const TensorView& out);
  bool add_joined_rows(const TensorView& in, const TensorView& out);
  bool add_joined_block(const TensorView& in, const TensorView& out, uint32_t first,
                        uint32_t count);

  Permutes permutes_ = Permutes::nothing;
  uint32_t kernel_h_ = 0, kernel_w_ = 0;
  std::vector<int32_t> rows_, columns_;  // input of [result][tap] of an axis, -1 outside
  std::vector<Pattern> patterns_;
  std::vector<Step> steps_;
  std::vector<Block> blocks_;
  size_t steps_per_block_ = 0;
};

}  // namespace tputwin::fast
