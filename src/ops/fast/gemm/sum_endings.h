// What becomes of sums of 32 bits by instructions that the body which makes them has taken over: a
// bias, added with saturation, a requantization that narrows, or one after the other.
#pragma once

#include <optional>
#include <span>

#include "ops/elementwise/requantize.h"
#include "ops/fast/gemm/left_sums.h"
#include "ops/fast/gemm/tiles.h"

namespace tputwin {
struct Operation;
namespace fast {

class SumEndings {
 public:
  // What is done with the sums of one channel.
  struct Ending {
    Scale scale{};
    int32_t addend = 0, multiplier = 0, shift = 0;
    bool is_plain = false;  // the sums start with the addend, and vectors do the rest
  };

  // The instructions work on `sums`, one after the other; `left` are bytes that the last one leaves
  // of them. False: they are of another kind.
  bool take_over(std::span<const Operation* const> endings, const TensorView& sums,
                 std::span<const ByteRange> left, const Memory& memory);
  bool any() const { return addend_ || scale_; }
  // Both do the same with their sums.
  bool operator==(const SumEndings& other) const;

  // Where the results go, of the extents of the sums.
  const TensorView& out() const { return out_; }
  TensorView& out() { return out_; }
  // Of a channel whose sums are no larger than `largest` before the addend.
  Ending of_channel(uint32_t channel, int64_t largest, const Memory& memory) const;
  // Ends `count` sums.
  void end(const uint32_t* sums, size_t count, const Ending& ending, const TileKernels& kernels,
           uint8_t* to) const;
  // One sum that does not start with the addend.
  int32_t ended(int64_t sum, const Ending& ending) const;

  // Sums of a channel's plane, from the first one on.
  struct Part {
    uint32_t n, c, first, count;
  };
  // Whether some of the same sums of channels from part.c on are left.
  bool leaves(const Part& part, uint32_t channels) const;
  // Writes what is left of sums, to which `late` is still to be added.
  void leave(const Part& part, const uint32_t* sums, const Ending& ending, const Memory& memory,
             int64_t late = 0) const;

 private:
  std::optional<Source> addend_;
  std::optional<Requantize> scale_;
  TensorView out_;
  LeftSums left_;
};

// Planes without gaps, so that their rows may be one.
bool has_whole_planes(const TensorView& view);
// The same elements in the same order, in one row of a plane or many.
bool has_same_elements(const TensorView& a, const TensorView& b);
// Has the elements of `view`, which lie as many to a row as `rows` says, elsewhere.
void put(TensorView& rows, const TensorView& view);
bool can_put(const TensorView& rows, const TensorView& view);

}  // namespace fast
}  // namespace tputwin
