// 8-bit conv2d of the BM1684: one image at a time as planes of cells of channels. Cells hold four
// channels, or two widened to 16 bits where products of bytes have no steps.
#include "ops/conv/conv2d_bm1684_int8.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "ops/contract/body_steps.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/taps.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/packing/images.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kChannelsInCell = 4;  // as weights are stored

class ImagePlanes : public PlaneSource {
 public:
  ImagePlanes(const Conv2dBm1684Int8& op, const Memory& memory)
      : PlaneSource(memory),
        op_(op),
        kernels_(tile_kernels()),
        images_(image_kernels()),
        in_cell_(kernels_.in_cell),
        taps_(op.window.h.kernel * op.window.w.kernel) {
    if (in_cell_ == kChannelsInCell)
      flip_ = kernels_.sign_flip(is_signed(op.in.dtype), is_signed(op.weight.dtype));
    ends_ = {.rshift = op.rshift,
             .low = saturate(INT32_MIN, op.out.dtype),
             .high = saturate(INT32_MAX, op.out.dtype)};
  }

  const TensorView& out() const override { return op_.out; }

  uint32_t cells() const override { return ceil_div(op_.in.shape.c, in_cell_); }
  bool has_whole_rows() const override { return true; }
  void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows, uint32_t* to) const override;
  uint32_t padding(uint32_t) const override { return flip_.mask; }
  uint32_t insertion(uint32_t) const override { return flip_.mask; }

  uint32_t terms() const override { return cells() * taps_; }
  void read_weights(uint32_t oc, uint32_t* to) override;
  void pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) override;

  void prepare(const PlaneTerms& terms) override { terms_ = terms; }
  void start(const Results& r) const override {
    std::fill_n(r.first, r.count, constants_->starts[r.oc]);
  }
  bool run(const TileKernels& kernels, const Tile& tile, const TileRoom&, uint32_t) const override {
    const Dots dots{terms_.pitch, cells(), taps_, terms_.tap_offset.data(),
                    is_signed(op_.weight.dtype)};
    in_cell_ == kChannelsInCell ? kernels.bytes(tile, dots) : kernels.words(tile, dots);
    return false;
  }
  void store(const Results& r, bool) const override;

 private:
  const Conv2dBm1684Int8& op_;
  const TileKernels kernels_;
  const ImageKernels images_;
  const uint32_t in_cell_, taps_;
  SignFlip flip_;
  Quantizing ends_;
  PlaneTerms terms_;
};

void ImagePlanes::read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                            uint32_t* to) const {
  const uint32_t image = n % kImagesInCell, row_bytes = op_.in.shape.w * kImagesInCell;
  // channels past the last have zero weights, so that any data will do
  std::array<const uint8_t*, kChannelsInCell> from;
  for (uint32_t i = 0; i < in_cell_; ++i) {
    const uint32_t channel = std::min(cell * in_cell_ + i, op_.in.shape.c - 1);
    from[i] = memory_.byte(op_.in, n - image, channel, y, 0);
  }
  const bool is_whole = op_.in.stride.h == row_bytes;
  const uint32_t runs = is_whole ? 1 : rows;
  const size_t count = is_whole ? size_t{rows} * op_.in.shape.w : op_.in.shape.w;
  for (uint32_t run = 0; run < runs; ++run, to += count) {
    if (in_cell_ == kChannelsInCell)
      images_.join(from.data(), image, count, flip_.mask, to);
    else
      images_.join_words(from.data(), image, count, is_signed(op_.in.dtype), to);
    for (uint32_t i = 0; i < in_cell_; ++i) from[i] += op_.in.stride.h;
  }
}

// The bytes of the last cell after the last channel are undefined and replaced by 0.
void ImagePlanes::read_weights(uint32_t oc, uint32_t* to) {
  const bool extends = is_signed(op_.weight.dtype);
  const auto word = [&](uint8_t byte) {
    return extends ? static_cast<uint16_t>(static_cast<int8_t>(byte)) : uint16_t{byte};
  };
  for (uint32_t kh = 0; kh < op_.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < op_.window.w.kernel; ++kw, ++to) {
      const WeightPlace at = weight_place(op_.window, op_.is_turned, kh, kw);
      const uint8_t* from =
          op_.constant_weight ? nullptr : memory_.byte(op_.weight, 0, oc, at.h, at.w);
      uint32_t* cell = to;
      for (uint32_t ic = 0; ic < op_.in.shape.c; ic += kChannelsInCell) {
        std::array<uint8_t, kChannelsInCell> bytes{};
        const uint32_t count = std::min(kChannelsInCell, op_.in.shape.c - ic);
        if (from == nullptr) {
          std::fill_n(bytes.begin(), count, static_cast<uint8_t>(*op_.constant_weight));
        } else {
          std::memcpy(bytes.data(), from, count);
          from += op_.weight.stride.n;
        }
        if (in_cell_ == kChannelsInCell) {
          std::memcpy(cell, bytes.data(), sizeof *cell);
          cell += taps_;
          continue;
        }
        for (uint32_t i = 0; i < kChannelsInCell && ic + i < op_.in.shape.c; i += in_cell_) {
          *cell = word(bytes[i]) | uint32_t{word(bytes[i + 1])} << 16;
          cell += taps_;
        }
      }
    }
}

// Results start with the bias and the correction of the sign flip.
void ImagePlanes::pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) {
  PlaneSource::pack_rows(oc, count, step, to);
  int32_t sums[kMaxTileRows] = {};
  if (flip_.mask != 0)
    kernels_.sum_rows(reinterpret_cast<const uint32_t*>(to), terms(), is_signed(op_.weight.dtype),
                      sums);
  for (uint32_t r = 0; r < count; ++r)
    constants_->starts[oc + r] =
        static_cast<uint32_t>(bias_of(op_.bias, memory_, oc + r)) +
        static_cast<uint32_t>(sums[r]) * static_cast<uint32_t>(flip_.correction);
}

void ImagePlanes::store(const Results& r, bool) const {
  const uint32_t bytes = element_bytes(op_.out.dtype), image = r.n % kImagesInCell;
  alignas(64) uint8_t elements[kTilePitch * sizeof(uint32_t)];
  kernels_.quantize(r.first, r.count, ends_, bytes, elements);
  uint8_t* to = memory_.byte(op_.out, r.n - image, r.oc, r.y, r.x);
  if (bytes == 1) return images_.spread(elements, r.count, image, to);
  to += image * bytes;
  for (uint32_t i = 0; i < r.count; ++i, to += kImagesInCell * bytes)
    std::memcpy(to, elements + i * bytes, bytes);
}

Declined operands_decline(const Conv2dBm1684Int8& op, const LocalMemory& local) {
  constexpr uint64_t kLargestProduct = 255 * 255, kMost = uint64_t{1} << 30;
  if (!has_cells(op.in, 1) || (has_weights(op) && !has_cells(op.weight, 1)) ||
      !has_cells(op.out, element_bytes(op.out.dtype)) || is_32bit(op.out.dtype))
    return "an operand is no cells in lanes";
  const uint64_t terms = uint64_t{op.in.shape.c} * op.window.h.kernel * op.window.w.kernel;
  if (terms * kLargestProduct > kMost) return "sums that 32 bits do not hold";
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out)) return "rows have gaps";
  return overlap(op.out, {&op.in, has_weights(op) ? &op.weight : nullptr, tensor_of(op.bias)},
                 local);
}

using Planes = PlaneBody<Conv2dBm1684Int8, ImagePlanes, operands_decline>;

}  // namespace

TW_BODIES(Conv2dBm1684Int8, {"planes", Planes::run})

std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684Int8& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
