// The epilogue of int32 accumulators: instructions fused into the kernel that makes the sums. It is
// a bias that is added with saturation, a requantization that narrows, or the first and then the
// second.
#pragma once

#include <optional>
#include <span>

#include "ops/elementwise/requantize.h"
#include "ops/fast/gemm/epilogue/live_out_sums.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin {
struct Operation;
namespace fast {

class SumEpilogue {
 public:
  // The epilogue for the sums of one channel.
  struct Channel {
    Scale scale{};
    int32_t addend = 0, multiplier = 0, shift = 0;
    // If true, the sums must start with the addend, and apply() uses vectors.
    bool is_plain = false;
  };

  // Fuses the instructions, which work on `sums` one after the other. `live_out` are bytes of the
  // sums that are live-out after the last one. Returns false if the instructions are of another
  // kind.
  bool fuse(std::span<const Operation* const> instructions, const TensorView& sums,
            std::span<const ByteRange> live_out, const Memory& memory);
  bool any() const { return addend_ || scale_; }
  // Returns true if both epilogues compute the same results from equal sums.
  bool operator==(const SumEpilogue& other) const;

  // Returns the tensor of the results, with the extents of the sums.
  const TensorView& out() const { return out_; }
  TensorView& out() { return out_; }
  // Returns the epilogue of a channel whose sums are no larger than `largest` before the addend.
  Channel of_channel(uint32_t c, int64_t largest, const Memory& memory) const;
  // Applies the epilogue to `count` sums.
  void apply(const uint32_t* sums, size_t count, const Channel& channel, const TileKernels& kernels,
             uint8_t* to) const;
  // Applies the epilogue to one sum that does not start with the addend.
  int32_t apply_to_one(int64_t sum, const Channel& channel) const;

  // Sums of a channel's plane, from `first` on.
  struct Part {
    uint32_t n, c, first, count;
  };
  // Returns true if some sums are live-out.
  bool has_live_out() const { return live_out_.any(); }
  // Returns true if some of these sums are live-out.
  bool has_live_out(const Part& part) const {
    return live_out_.meets(part.n, part.c, part.first, part.count);
  }
  // Finds places of these sums and those of the next channels (LiveOutSums::find_places).
  bool find_places(const Part& part, uint32_t rows, const Memory& memory, uint32_t* buffer,
                   uint8_t** to) const {
    return live_out_.find_places(memory, part.n, part.c, rows, part.first, part.count,
                                 reinterpret_cast<uint8_t*>(buffer), kTilePitch * sizeof *buffer,
                                 to);
  }
  // Writes the live-out bytes of the sums of a channel. If the channel is not plain, `late` and the
  // addend are added to the sums first.
  void write_live_out(const Part& part, const uint32_t* sums, const Channel& channel,
                      const Memory& memory, int64_t late = 0) const;

 private:
  std::optional<Source> addend_;
  std::optional<Requantize> scale_;
  TensorView out_;
  LiveOutSums live_out_;
};

// Returns true if planes have no gaps, so that their rows may be one.
bool has_whole_planes(const TensorView& view);
// Returns true if both views have the same elements in the same order, however planes are divided
// into rows.
bool has_same_elements(const TensorView& a, const TensorView& b);
// Makes `rows` a view of the elements of `view`, and keeps the shape of `rows`. Its rows may have
// another length than those of `view`.
void put(TensorView& rows, const TensorView& view);
bool can_put(const TensorView& rows, const TensorView& view);

}  // namespace fast
}  // namespace tputwin
