// Sliding windows over planes of bytes, sixteen results at a time, straight from where the bytes
// lie: a permutation brings the inputs of four taps under each result, a mask makes padding of those
// outside, and the steps of dot products multiply and add all of them. Where that is for each
// block of results is found out once for all channels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/window.h"
#include "ops/fast/select/body.h"

namespace tputwin {
struct Depthwise2dBm1684xInt8;
}

namespace tputwin::fast {

// A body of depthwise convolutions that keeps nothing.
Declined sliding_blocks(const Depthwise2dBm1684xInt8& op, const Memory& memory);

class SlidingBlocks {
 public:
  // What a processor permutes the bytes of: vectors of 64, or quarters of these.
  enum class Permutes : uint8_t { nothing, quarters, all };

  static constexpr size_t kResults = 16;  // of a block, at most
  static constexpr size_t kTaps = 4;      // of a step: neighbours in a row of the window
  static constexpr size_t kReach = 64;    // bytes that a step's inputs lie in
  static constexpr size_t kQuarter = 16;  // bytes of inputs of four results

  // Byte index[4 * i + t] of those loaded is the input of result i under tap t, if bit 4 * i + t of
  // `take` is set; only the bytes whose bits `load` has are read. By quarters: the inputs of
  // results 4 * q to 4 * q + 3 are among kQuarter bytes from first[q] on, `index` counts from
  // there, and is kOutside where `take` has no bit. All these bytes are read.
  struct Pattern {
    alignas(64) std::array<uint8_t, kReach> index{};
    uint64_t take = 0, load = 0;
    std::array<uint8_t, kReach / kQuarter> first{};
    bool operator==(const Pattern&) const = default;
  };
  // Loads from `offset` bytes behind the first input of a plane on.
  struct Step {
    uint32_t offset = 0, pattern = 0;
  };
  struct Block {
    uint32_t out;      // bytes behind the first result of a plane; the results lie side by side
    uint32_t results;  // where less than kResults, less than kResults follow in the plane
  };

  static constexpr uint8_t kOutside = 0x80;

  // False: it does not cover the operands, which have rows of bytes and the window's extents.
  bool build(const Window& window, const TensorView& in, const TensorView& out, Permutes permutes);

  std::span<const Block> blocks() const { return blocks_; }
  // Of a block, steps_per_block() of them: rows of the window, then taps.
  const Step* steps(size_t block) const { return steps_.data() + block * steps_per_block_; }
  size_t steps_per_block() const { return steps_per_block_; }
  const Pattern& pattern(uint32_t number) const { return patterns_[number]; }

  // The weights of steps, four signed bytes each; weight(kh, kw).
  template <class Weight>
  void steps_of_weights(const Weight& weight, uint32_t* to) const {
    for (uint32_t kh = 0; kh < kernel_h_; ++kh)
      for (uint32_t first = 0; first < kernel_w_; first += kTaps) {
        uint32_t dword = 0;
        for (uint32_t t = 0; t < kTaps && first + t < kernel_w_; ++t)
          dword |= uint32_t{static_cast<uint8_t>(weight(kh, first + t))} << (8 * t);
        *to++ = dword;
      }
  }

 private:
  // Where the inputs of a result are: its row of the plane under a row of the window, -1 outside.
  struct Place {
    int64_t row;
    uint32_t x;
  };
  std::optional<Step> step(std::span<const Place> places, uint32_t first_tap);
  static bool cut_in_quarters(Pattern& pattern);
  uint32_t number_of(const Pattern& pattern);
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
