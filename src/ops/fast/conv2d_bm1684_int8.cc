// 8-bit conv2d of the BM1684: one image at a time as planes of cells of channels. Cells hold four
// channels, or two widened to 16 bits where products of bytes have no steps.
#include "ops/conv/conv2d_bm1684_int8.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/gemm/packing/images.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kChannelsInCell = 4;  // as weights are stored

// Describes the cells of an operation. A cell holds `in_cell` channels. `flip` gives the bytes of
// the data the signedness that the product instruction needs.
struct ImageCells {
  TileKernels kernels;
  uint32_t in_cell, taps, count;
  SignFlip flip;
  size_t tile_depth = 0;  // order of the weights (tile_order.h); 0: plain

  explicit ImageCells(const Conv2dBm1684Int8& op)
      : kernels(tile_kernels()),
        in_cell(kernels.in_cell),
        taps(op.window.h.kernel * op.window.w.kernel),
        count(ceil_div(op.in.shape.c, in_cell)) {
    if (!has_bytes()) return;
    flip = kernels.sign_flip(is_signed(op.in.dtype), is_signed(op.weight.dtype));
    if (kernels.has_matrix_tiles && op.out.shape.h * op.out.shape.w >= kLeastTilePositions)
      tile_depth = fast::tile_depth(count);
  }
  bool has_bytes() const { return in_cell == kChannelsInCell; }
};

class ImageInput final : public PlaneInput {
 public:
  ImageInput(const Conv2dBm1684Int8& op, const Memory& memory, const ImageCells& cells)
      : op_(op), memory_(memory), cells_(cells), images_(image_kernels()) {}

  uint32_t cells() const override { return cells_.count; }
  void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows, uint32_t* to) const override;
  uint32_t padding(uint32_t) const override { return cells_.flip.mask; }
  uint32_t insertion(uint32_t) const override { return cells_.flip.mask; }

 private:
  const Conv2dBm1684Int8& op_;
  const Memory& memory_;
  const ImageCells& cells_;
  const ImageKernels images_;
};

void ImageInput::read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                           uint32_t* to) const {
  const uint32_t image = n % kImagesInCell, row_bytes = op_.in.shape.w * kImagesInCell;
  const uint32_t in_cell = cells_.in_cell;
  // Channels after the last one have zero weights, so their data may be any bytes.
  std::array<const uint8_t*, kChannelsInCell> from;
  for (uint32_t i = 0; i < in_cell; ++i) {
    const uint32_t channel = std::min(cell * in_cell + i, op_.in.shape.c - 1);
    from[i] = memory_.byte(op_.in, n - image, channel, y, 0);
  }
  const bool is_whole = op_.in.stride.h == row_bytes;
  const uint32_t runs = is_whole ? 1 : rows;
  const size_t count = is_whole ? size_t{rows} * op_.in.shape.w : op_.in.shape.w;
  for (uint32_t run = 0; run < runs; ++run, to += count) {
    if (cells_.has_bytes())
      images_.join(from.data(), image, count, cells_.flip.mask, to);
    else
      images_.join_int16(from.data(), image, count, is_signed(op_.in.dtype), to);
    for (uint32_t i = 0; i < in_cell; ++i) from[i] += op_.in.stride.h;
  }
}

// Packs the weights as cells, and computes the start value of each channel's sums: its bias plus
// the correction of the sign flip.
class ImageWeights final : public SeparatePanels {
 public:
  ImageWeights(const Conv2dBm1684Int8& op, const Memory& memory, const ImageCells& cells)
      : op_(op), memory_(memory), cells_(cells) {}

  uint32_t terms() const override { return cells_.count * cells_.taps; }
  bool has_whole_rows() const override { return true; }

 private:
  void pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const override;
  void read_channel(uint32_t oc, uint32_t* to) const;

  const Conv2dBm1684Int8& op_;
  const Memory& memory_;
  const ImageCells& cells_;
};

// Reads the weights of output channel `oc` to to[cell * taps + tap]. Memory is undefined after the
// last input channel of the last cell, so these weights become 0.
void ImageWeights::read_channel(uint32_t oc, uint32_t* to) const {
  const bool extends = is_signed(op_.weight.dtype);
  const auto word = [&](uint8_t byte) {
    return extends ? static_cast<uint16_t>(static_cast<int8_t>(byte)) : uint16_t{byte};
  };
  for (uint32_t kh = 0; kh < op_.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < op_.window.w.kernel; ++kw, ++to) {
      const WeightPlace at = weight_place(op_.window, op_.is_rotated, kh, kw);
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
        if (cells_.has_bytes()) {
          std::memcpy(cell, bytes.data(), sizeof *cell);
          cell += cells_.taps;
          continue;
        }
        for (uint32_t i = 0; i < kChannelsInCell && ic + i < op_.in.shape.c; i += cells_.in_cell) {
          *cell = word(bytes[i]) | uint32_t{word(bytes[i + 1])} << 16;
          cell += cells_.taps;
        }
      }
    }
}

void ImageWeights::pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const {
  pack_channels(
      rows, terms(), [&](uint32_t oc, uint32_t* cells) { read_channel(oc, cells); }, to);
  int32_t sums[kMaxTileRows] = {};
  if (cells_.flip.mask != 0)
    cells_.kernels.sum_rows(reinterpret_cast<const uint32_t*>(to), terms(),
                            is_signed(op_.weight.dtype), sums);
  if (cells_.tile_depth != 0)
    order_for_tiles({rows.pitch, cells_.taps, cells_.tile_depth}, cells_.count,
                    reinterpret_cast<uint32_t*>(to));
  for (uint32_t r = 0; r < rows.count; ++r)
    constants.starts[rows.first + r] =
        static_cast<uint32_t>(bias_of(op_.bias, memory_, rows.first + r)) +
        static_cast<uint32_t>(sums[r]) * static_cast<uint32_t>(cells_.flip.correction);
}

class ImageProducts final : public PlaneProducts {
 public:
  ImageProducts(const Conv2dBm1684Int8& op, const Memory& memory, const ImageCells& cells)
      : op_(op),
        memory_(memory),
        cells_(cells),
        images_(image_kernels()),
        quantizing_{.rshift = op.rshift,
                    .low = saturate(INT32_MIN, op.out.dtype),
                    .high = saturate(INT32_MAX, op.out.dtype)} {}

  void prepare(const PlaneTerms& terms) override { terms_ = terms; }
  void start(const ResultRun& r, const PlaneConstants& constants) const override {
    std::fill_n(r.first, r.count, constants.starts[r.oc]);
  }
  bool run(const Tile& tile, const TileBuffers&, uint32_t, const PlaneConstants&) const override {
    const Dots dots{terms_.pitch,
                    cells_.count,
                    cells_.taps,
                    terms_.tap_offset.data(),
                    is_signed(op_.weight.dtype),
                    cells_.tile_depth};
    cells_.has_bytes() ? cells_.kernels.bytes(tile, dots) : cells_.kernels.int16(tile, dots);
    return false;
  }
  void store(const ResultRun& r, bool, const PlaneConstants&) const override {
    const uint32_t bytes = element_bytes(op_.out.dtype), image = r.n % kImagesInCell;
    alignas(64) uint8_t elements[kTilePitch * sizeof(uint32_t)];
    cells_.kernels.quantize(r.first, r.count, quantizing_, bytes, elements);
    uint8_t* to = memory_.byte(op_.out, r.n - image, r.oc, r.y, r.x);
    if (bytes == 1) return images_.spread(elements, r.count, image, to);
    to += image * bytes;
    for (uint32_t i = 0; i < r.count; ++i, to += kImagesInCell * bytes)
      std::memcpy(to, elements + i * bytes, bytes);
  }

 private:
  const Conv2dBm1684Int8& op_;
  const Memory& memory_;
  const ImageCells& cells_;
  const ImageKernels images_;
  const Quantizing quantizing_;
  PlaneTerms terms_;
};

class ImagePlanes {
 public:
  ImagePlanes(const Conv2dBm1684Int8& op, const Memory& memory)
      : cells_(op),
        input_(op, memory, cells_),
        weights_(op, memory, cells_),
        products_(op, memory, cells_),
        results_(memory, op.out) {}

  ConvolutionParts parts() {
    return {input_, weights_, products_, results_, restorer_, cells_.tile_depth};
  }
  // Returns true if both convolutions pack their constants in the same order.
  bool packs_like(const ImagePlanes& other) const {
    return cells_.tile_depth == other.cells_.tile_depth;
  }

 private:
  const ImageCells cells_;
  ConstantRestorer restorer_;
  ImageInput input_;
  ImageWeights weights_;
  ImageProducts products_;
  PlaneResults results_;
};

Declined operands_decline(const Conv2dBm1684Int8& op, const LocalMemory& local) {
  // A sign flip makes one of two signed operands unsigned.
  const bool has_sign = is_signed(op.in.dtype) || is_signed(op.weight.dtype);
  const uint64_t largest_product = has_sign ? 255 * 128 : 255 * 255, most = uint64_t{1} << 30;
  if (!has_cells(op.in, 1) || (has_weights(op) && !has_cells(op.weight, 1)) ||
      !has_cells(op.out, element_bytes(op.out.dtype)) || is_32bit(op.out.dtype))
    return "an operand is no cells in lanes";
  const uint64_t terms = uint64_t{op.in.shape.c} * op.window.h.kernel * op.window.w.kernel;
  if (terms * largest_product > most) return "sums that 32 bits do not hold";
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out)) return "rows have gaps";
  return overlap(op.out, {&op.in, has_weights(op) ? &op.weight : nullptr, tensor_of(op.bias)},
                 local);
}

using Planes = PlaneKernel<Conv2dBm1684Int8, ImagePlanes, operands_decline>;

}  // namespace

TW_FAST_KERNELS(Conv2dBm1684Int8, {"planes", Planes::run})

std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684Int8& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
