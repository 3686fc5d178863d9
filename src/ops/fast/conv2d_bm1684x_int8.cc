// 8-bit conv2d of the BM1684X: cells hold four channels. They hold two, widened to 16 bits, if
// weights have zero points or the processor cannot multiply bytes.
#include "ops/conv/conv2d_bm1684x_int8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/bits.h"
#include "ops/contract/kernel_steps.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/gemm/packing/weights_bm1684x.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kMostInCell = 4;

bool has_zero_point(const Source& zero_point) {
  return !zero_point.is_constant || zero_point.constant != 0;
}

// Describes the cells of an operation. A cell holds `in_cell` channels. `flip` gives the bytes of
// the data the signedness that the product instruction needs.
struct ByteCells {
  TileKernels kernels;
  bool as_int16;
  uint32_t in_cell, taps, channels;
  SignFlip flip;
  size_t tile_depth = 0;  // order of the weights (tile_order.h); 0: plain

  explicit ByteCells(const Conv2dBm1684xInt8& op)
      : kernels(tile_kernels()),
        as_int16(kernels.in_cell == 2 || has_zero_point(op.zero_point)),
        in_cell(as_int16 ? 2 : kernels.in_cell),
        taps(taps_of(op.window)),
        channels(op.in.shape.c) {
    if (as_int16) return;
    flip = kernels.sign_flip(is_signed(op.in.dtype), is_signed(op.weight.view.dtype));
    if (kernels.has_matrix_tiles && op.out.shape.h * op.out.shape.w >= kLeastTilePositions)
      tile_depth = fast::tile_depth(count());
  }
  uint32_t count() const { return ceil_div(channels, in_cell); }
  // Returns the number of channels in a cell.
  uint32_t channels_in(uint32_t cell) const { return std::min(in_cell, channels - cell * in_cell); }
  uint32_t cell_of(const std::array<int32_t, kMostInCell>& numbers) const {
    const uint32_t bits = 32 / in_cell;
    uint32_t cell = 0;
    for (uint32_t i = in_cell; i-- > 0;)
      cell = cell << bits | (static_cast<uint32_t>(numbers[i]) & ((1u << bits) - 1));
    return cell;
  }
};

class ByteInput final : public PlaneInput {
 public:
  ByteInput(const Conv2dBm1684xInt8& op, const Memory& memory, const ByteCells& cells)
      : op_(op), memory_(memory), cells_(cells) {}

  uint32_t cells() const override { return cells_.count(); }
  void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows, uint32_t* to) const override;
  uint32_t padding(uint32_t cell) const override { return parameters(op_.padding, cell); }
  uint32_t insertion(uint32_t cell) const override { return parameters(op_.insertion, cell); }

 private:
  uint32_t parameters(const Source& source, uint32_t cell) const {
    std::array<int32_t, kMostInCell> numbers{};
    for (uint32_t i = 0; i < cells_.channels_in(cell); ++i)
      numbers[i] = source.read(memory_, 0, cell * cells_.in_cell + i, 0, 0);
    return cells_.cell_of(numbers) ^ cells_.flip.mask;
  }

  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
  const ByteCells& cells_;
};

void ByteInput::read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                          uint32_t* to) const {
  // Channels after the last one have zero weights, so their data may be any bytes.
  std::array<const uint8_t*, kMostInCell> from;
  for (uint32_t i = 0; i < cells_.in_cell; ++i)
    from[i] =
        memory_.byte(op_.in, n, std::min(cell * cells_.in_cell + i, op_.in.shape.c - 1), y, 0);
  const bool is_whole = op_.in.stride.h == op_.in.shape.w;
  const uint32_t runs = is_whole ? 1 : rows;
  const size_t count = is_whole ? size_t{rows} * op_.in.shape.w : op_.in.shape.w;
  for (uint32_t run = 0; run < runs; ++run, to += count) {
    if (cells_.as_int16)
      cells_.kernels.join_int16(from.data(), count, is_signed(op_.in.dtype), to);
    else
      cells_.kernels.join(from.data(), count, is_signed(op_.in.dtype), cells_.flip.mask, to);
    for (uint32_t i = 0; i < cells_.in_cell; ++i) from[i] += op_.in.stride.h;
  }
}

// Packs the weights as cells, and computes the start value of each channel's sums. It is the bias
// plus the correction of the sign flip, plus the addend if the epilogue is plain.
class ByteWeights final : public SeparatePanels {
 public:
  ByteWeights(const Conv2dBm1684xInt8& op, const Memory& memory, const ByteCells& cells,
              const SumEpilogue& epilogue)
      : op_(op), memory_(memory), cells_(cells), epilogue_(epilogue) {}

  uint32_t terms() const override { return cells_.count() * cells_.taps; }
  bool has_whole_rows() const override { return true; }

 private:
  void pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const override;
  void read_channel(uint32_t oc, uint32_t* to) const;
  void pack_bytes(const PanelRows& rows, uint32_t* to) const;
  void pack_epilogue(const PanelRows& rows, PlaneConstants& constants) const;
  uint32_t bias(uint32_t oc) const {
    return static_cast<uint32_t>(op_.bias ? bias_of(op_.bias, memory_, oc) : op_.constant_bias);
  }

  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
  const ByteCells& cells_;
  const SumEpilogue& epilogue_;
};

// Reads the weights of output channel `oc` to to[cell * taps + tap]. Memory stores groups of input
// channels, in each group the taps, and for each tap one weight of each channel.
void ByteWeights::read_channel(uint32_t oc, uint32_t* to) const {
  const DType dtype = op_.weight.view.dtype;
  const uint32_t group = weight_group(dtype), channels = op_.in.shape.c;
  const int32_t zero_point = cells_.as_int16 ? op_.zero_point.read(memory_, 0, oc, 0, 0) : 0;
  const WeightRows rows(channels, op_.window, dtype, op_.is_rotated);
  std::array<uint8_t, 64> constant;
  constant.fill(static_cast<uint8_t>(op_.weight.constant));
  uint32_t first = 0, tap = 0;
  const auto take = [&](const uint8_t* from) {
    const uint32_t count = std::min(group, channels - first);
    uint32_t* cell = to + uint64_t{first / cells_.in_cell} * cells_.taps + tap;
    for (uint32_t i = 0; i < count; i += cells_.in_cell, cell += cells_.taps) {
      std::array<int32_t, kMostInCell> numbers{};
      for (uint32_t k = 0; k < std::min(cells_.in_cell, count - i); ++k)
        numbers[k] =
            (is_signed(dtype) ? static_cast<int8_t>(from[i + k]) : from[i + k]) - zero_point;
      *cell = cells_.cell_of(numbers);
    }
    if (++tap == cells_.taps) tap = 0, first += group;
  };
  if (op_.weight.is_constant)
    for (uint32_t i = 0; i < ceil_div(channels, group) * cells_.taps; ++i) take(constant.data());
  else
    rows.for_each_run(op_.weight.view, memory_, oc, [&](const uint8_t* from, size_t count) {
      for (size_t at = 0; at < count; at += group) take(from + at);
    });
}

// Packs weights that memory already stores as cells of four bytes. All cells of a group and a tap
// are transposed at once.
void ByteWeights::pack_bytes(const PanelRows& panel, uint32_t* cells) const {
  constexpr uint32_t kGroup = 64;
  const uint32_t taps = cells_.taps, step = panel.pitch;
  std::array<const uint8_t*, kMaxTileRows> from;
  for (uint32_t r = 0; r < panel.count; ++r)
    from[r] = memory_.byte(op_.weight.view, 0, panel.first + r, 0, 0);
  alignas(64) uint8_t rows[kMaxTileRows * kGroup] = {};
  for (uint32_t first = 0; first < cells_.channels; first += kGroup)
    for (uint32_t tap = 0; tap < taps; ++tap) {
      const uint32_t place = first / kGroup * taps + (op_.is_rotated ? taps - 1 - tap : tap);
      for (uint32_t r = 0; r < panel.count; ++r)
        std::memcpy(rows + r * kGroup, from[r] + uint64_t{place} * kGroup, kGroup);
      uint32_t* const to = cells + (uint64_t{first / cells_.in_cell} * taps + tap) * step;
      transpose(sizeof *cells, reinterpret_cast<uint8_t*>(to),
                uint64_t{taps} * step * sizeof *cells, rows, kGroup, step,
                std::min(kGroup, cells_.channels - first) / cells_.in_cell);
    }
}

void ByteWeights::pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const {
  auto* const cells = reinterpret_cast<uint32_t*>(to);
  if (cells_.as_int16 || op_.weight.is_constant || cells_.channels % cells_.in_cell != 0)
    pack_channels(
        rows, terms(), [&](uint32_t oc, uint32_t* channel) { read_channel(oc, channel); }, to);
  else
    pack_bytes(rows, cells);
  int32_t sums[kMaxTileRows] = {};
  if (cells_.flip.mask != 0)
    cells_.kernels.sum_rows(cells, terms(), is_signed(op_.weight.view.dtype), sums);
  if (cells_.tile_depth != 0)
    order_for_tiles({rows.pitch, cells_.taps, cells_.tile_depth}, cells_.count(), cells);
  for (uint32_t r = 0; r < rows.count; ++r)
    constants.starts[rows.first + r] =
        bias(rows.first + r) +
        static_cast<uint32_t>(sums[r]) * static_cast<uint32_t>(cells_.flip.correction);
  if (epilogue_.any()) pack_epilogue(rows, constants);
}

// Packs the epilogue of each output channel of a panel. Values, weights and zero points are at most
// 255 in magnitude, so weight - zero point is at most 510. Rows after the panel's last channel
// repeat it, because kernels convert whole tiles.
void ByteWeights::pack_epilogue(const PanelRows& rows, PlaneConstants& constants) const {
  constexpr int64_t kLargestProduct = 255 * 510;
  for (uint32_t oc = rows.first; oc < rows.first + rows.count; ++oc) {
    const int64_t largest = kLargestProduct * cells_.channels * cells_.taps +
                            std::abs(int64_t{static_cast<int32_t>(bias(oc))});
    constants.epilogues[oc] = epilogue_.of_channel(oc, largest, memory_);
    const SumEpilogue::Channel& epilogue = constants.epilogues[oc];
    if (epilogue.is_plain) constants.starts[oc] += static_cast<uint32_t>(epilogue.addend);
  }
  const uint32_t block = rows.first / cells_.kernels.rows;
  RowScales& scales = constants.scales[block];
  scales.is_approximated = true;
  for (uint32_t r = 0; r < cells_.kernels.rows; ++r) {
    const uint32_t oc = rows.first + std::min(r, rows.count - 1);
    const Scale& scale = constants.epilogues[oc].scale;
    scales.scales[r] = scale;
    scales.starts[r] = constants.starts[oc];
    scales.factors[r] = std::ldexp(static_cast<float>(scale.multiplier), -scale.right);
    scales.is_approximated &= can_be_approximated(scale);
  }
}

Dots dots_of(const Conv2dBm1684xInt8& op, const ByteCells& cells, const PlaneTerms& terms) {
  return {terms.pitch,
          cells.count(),
          cells.taps,
          terms.tap_offset.data(),
          is_signed(op.weight.view.dtype),
          cells.tile_depth};
}

// Returns the run of results as a part of its channel's plane.
SumEpilogue::Part part_of(const ResultRun& r, const Conv2dBm1684xInt8& op) {
  return {r.n, r.oc, r.y * op.out.shape.w + r.x, r.count};
}

class ScaledByteTiles final : public ByteTiles {
 public:
  ScaledByteTiles(const Conv2dBm1684xInt8& op, const Memory& memory, const ByteCells& cells,
                  const SumEpilogue& epilogue)
      : op_(op), memory_(memory), cells_(cells), epilogue_(epilogue) {}

  // `terms` must outlive the object.
  void prepare(const PlaneTerms& terms) { dots_ = dots_of(op_, cells_, terms); }

  void run(const Tile& tile, size_t columns, uint32_t oc, const PlaneConstants& constants,
           const ByteRows& to) const override {
    const TileKernels& kernels = cells_.kernels;
    kernels.scaled_bytes(tile, dots_, columns, constants.scales[oc / kernels.rows], to);
  }
  bool has_live_out_sums() const override { return epilogue_.has_live_out(); }
  bool find_places(const ResultRun& r, uint32_t rows, uint8_t** to) const override {
    return epilogue_.find_places(part_of(r, op_), rows, memory_, r.first, to);
  }
  void write_live_out_sums(const ResultRun& r, const PlaneConstants& constants) const override {
    epilogue_.write_live_out(part_of(r, op_), r.first, constants.epilogues[r.oc], memory_);
  }

 private:
  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
  const ByteCells& cells_;
  const SumEpilogue& epilogue_;
  Dots dots_{};
};

class ByteProducts final : public PlaneProducts {
 public:
  ByteProducts(const Conv2dBm1684xInt8& op, const Memory& memory, const ByteCells& cells,
               const SumEpilogue& epilogue)
      : op_(op),
        memory_(memory),
        cells_(cells),
        epilogue_(epilogue),
        byte_tiles_(op, memory, cells, epilogue) {
    if (is_32bit(op.out.dtype)) return;
    quantizing_ = {.relu = op.relu,
                   .rshift = op.rshift,
                   .low = saturate(INT32_MIN, op.out.dtype),
                   .high = saturate(INT32_MAX, op.out.dtype)};
  }

  void prepare(const PlaneTerms& terms) override {
    terms_ = terms;
    byte_tiles_.prepare(terms_);
  }
  void begin_run(const PlaneConstants& constants) override {
    makes_bytes_ = !cells_.as_int16 && epilogue_.any() &&
                   element_bytes(epilogue_.out().dtype) == 1 &&
                   std::ranges::all_of(constants.epilogues, &SumEpilogue::Channel::is_plain);
  }
  const ByteTiles* byte_tiles() const override { return makes_bytes_ ? &byte_tiles_ : nullptr; }

  void start(const ResultRun& r, const PlaneConstants& constants) const override {
    std::fill_n(r.first, r.count, constants.starts[r.oc]);
    if (!op_.accumulate) return;
    const uint8_t* const old = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    for (uint32_t i = 0; i < r.count; ++i) r.first[i] += Memory::load<uint32_t>(old + i * 4);
  }
  bool run(const Tile& tile, const TileBuffers&, uint32_t, const PlaneConstants&) const override {
    const TileKernels& kernels = cells_.kernels;
    const Dots dots = dots_of(op_, cells_, terms_);
    cells_.as_int16 ? kernels.int16(tile, dots) : kernels.bytes(tile, dots);
    return false;
  }
  void store(const ResultRun& r, bool, const PlaneConstants& constants) const override {
    const TensorView& out = epilogue_.any() ? epilogue_.out() : op_.out;
    uint8_t* const to = memory_.byte(out, r.n, r.oc, r.y, r.x);
    if (epilogue_.any()) {
      const SumEpilogue::Channel& channel = constants.epilogues[r.oc];
      epilogue_.write_live_out(part_of(r, op_), r.first, channel, memory_);
      return epilogue_.apply(r.first, r.count, channel, cells_.kernels, to);
    }
    if (is_32bit(op_.out.dtype))
      std::memcpy(to, r.first, r.count * sizeof *r.first);
    else
      cells_.kernels.quantize(r.first, r.count, quantizing_, element_bytes(op_.out.dtype), to);
  }

 private:
  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
  const ByteCells& cells_;
  const SumEpilogue& epilogue_;
  Quantizing quantizing_;
  PlaneTerms terms_;
  ScaledByteTiles byte_tiles_;
  bool makes_bytes_ = false;  // valid during a run
};

class BytePlanes {
 public:
  BytePlanes(const Conv2dBm1684xInt8& op, const Memory& memory)
      : op_(op),
        memory_(memory),
        cells_(op),
        input_(op, memory, cells_),
        weights_(op, memory, cells_, epilogue_),
        products_(op, memory, cells_, epilogue_),
        results_(memory, op.out) {}

  ConvolutionParts parts() {
    return {input_, weights_, products_, results_, restorer_, cells_.tile_depth};
  }

  // Fuses instructions (PreparedKernel::fuse_epilogue). Returns false if they cannot be fused.
  bool fuse(std::span<const Operation* const> instructions, std::span<const ByteRange> live_out) {
    if (op_.accumulate || !epilogue_.fuse(instructions, op_.out, live_out, memory_)) return false;
    results_.write_to(epilogue_.out());
    return true;
  }
  // Returns the tensor of the results of fused instructions, or nullptr if none are fused.
  TensorView* fused_out() { return epilogue_.any() ? &epilogue_.out() : nullptr; }
  // Returns true if both convolutions pack their constants for equal epilogues in the same order.
  bool packs_like(const BytePlanes& other) const {
    return epilogue_ == other.epilogue_ && cells_.tile_depth == other.cells_.tile_depth;
  }

 private:
  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
  const ByteCells cells_;
  SumEpilogue epilogue_;
  ConstantRestorer restorer_;
  ByteInput input_;
  ByteWeights weights_;
  ByteProducts products_;
  PlaneResults results_;
};

Declined operands_decline(const Conv2dBm1684xInt8& op, const LocalMemory& local) {
  const TensorView* weight = tensor_of(op.weight);
  if (const Declined why =
          elements_overlap(op.out,
                           {&op.in, weight, tensor_of(op.bias), tensor_of(op.zero_point),
                            tensor_of(op.padding), tensor_of(op.insertion)},
                           local))
    return why;
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out) ||
      (weight != nullptr && !WeightRows::are_dense(*weight)))
    return "rows have gaps";
  return kRan;
}

using Planes = PlaneKernel<Conv2dBm1684xInt8, BytePlanes, operands_decline>;

}  // namespace

TW_FAST_KERNELS(Conv2dBm1684xInt8, {"planes", Planes::run})

std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684xInt8& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
