// Convolutions as products of matrices.
#include "ops/fast/gemm/im2col.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "ops/contract/taps.h"

namespace tputwin::fast {
namespace {

constexpr uint64_t kCopiedCells = 4 << 20;  // of a block of places
constexpr size_t kChunk = 8;                // places whose cells may be copied as one

// A row of cells starts with what padding and inserted elements count as.
constexpr uint32_t kPadding = 0, kInsertion = 1, kFirstCell = 2;

class Im2col {
 public:
  Im2col(const Im2colSource& source, const Window& window, const Shape& in, const Shape& out)
      : source_(source),
        window_(window),
        in_(in),
        out_(out),
        kernels_(tile_kernels()),
        columns_(kernels_.columns()),
        places_(uint64_t{out.n} * out.h * out.w),
        blocks_(ceil_div(places_, uint64_t{columns_})),
        row_blocks_(ceil_div(out.c, kernels_.rows)),
        row_cells_(kFirstCell + uint64_t{in.n} * in.h * in.w),
        taps_(uint64_t{window.h.kernel} * window.w.kernel),
        offsets_{columns_, source.cells(), taps_, {}} {}

  bool fits() const {
    const uint64_t terms = source_.cells() * taps_;
    return row_cells_ * source_.cells() <= kMaxCopiedCells &&
           terms * columns_ <= kCopiedCells * 4 &&
           terms * row_blocks_ * kernels_.rows <= kMaxCopiedCells &&
           taps_ * columns_ <= kCopiedCells &&
           uint64_t{window_.w.kernel} * out_.w <= kMaxCopiedCells &&
           uint64_t{window_.h.kernel} * out_.h <= kMaxCopiedCells;
  }

  void run() {
    terms_ = source_.terms();
    down_ = axis_taps(window_.h, in_.h, out_.h);
    across_ = axis_taps(window_.w, in_.w, out_.w);
    lay_out();
    pack_weights();
    for (size_t term = 0; term < terms_.size(); ++term)
      offsets_.right_offset.push_back(static_cast<uint32_t>(term * columns_));
    const uint64_t block_cells = terms_.size() * columns_;
    run_panels(
        blocks_, block_cells, 1, row_blocks_, block_cells * kernels_.rows,
        [&](uint64_t block, uint64_t, uint32_t* to) { gather(block, to); },
        [&](uint64_t block, uint64_t row_block, const uint32_t* from) {
          run_tile(block, from, row_block);
        });
  }

 private:
  void lay_out() {
    thread_local Scratch scratch;
    uint32_t* cells = scratch.take<uint32_t>(row_cells_ * source_.cells());
    const uint64_t plane = uint64_t{in_.h} * in_.w;
    parallel_for(source_.cells(), grain(row_cells_), [&](size_t begin, size_t end) {
      for (size_t cell = begin; cell < end; ++cell) {
        uint32_t* row = cells + cell * row_cells_;
        row[kPadding] = source_.padding(static_cast<uint32_t>(cell));
        row[kInsertion] = source_.insertion(static_cast<uint32_t>(cell));
        for (uint32_t n = 0; n < in_.n; ++n)
          source_.lay_out(n, static_cast<uint32_t>(cell), row + kFirstCell + n * plane);
      }
    });
    cells_ = cells;
  }

  void pack_weights() {
    thread_local Scratch scratch;
    const uint32_t rows = kernels_.rows;
    uint32_t* weights = scratch.take<uint32_t>(terms_.size() * row_blocks_ * rows);
    parallel_for(row_blocks_, grain(terms_.size() * rows), [&](size_t begin, size_t end) {
      for (size_t block = begin; block < end; ++block) {
        const uint32_t count = channels(block), step = source_.has_whole_rows() ? rows : count;
        uint32_t* to = weights + block * rows * terms_.size();
        if (count < step) std::fill_n(to, terms_.size() * rows, 0u);
        for (uint32_t r = 0; r < count; ++r)
          source_.pack_weights(first_channel(block) + r, to + r, step);
      }
    });
    weights_ = weights;
  }

  // [tap * outputs + output]
  static std::vector<AxisTap> axis_taps(const Axis& axis, uint32_t inputs, uint32_t outputs) {
    std::vector<AxisTap> taps;
    taps.reserve(uint64_t{axis.kernel} * outputs);
    for (uint32_t tap = 0; tap < axis.kernel; ++tap)
      for (uint32_t out = 0; out < outputs; ++out) taps.push_back(tap_at(axis, out, tap, inputs));
    return taps;
  }

  // Of a tap and every place of a block: the number of its cell in a row of cells.
  void index_block(uint64_t block, uint32_t* index) const {
    Place places[kTilePitch];
    const uint32_t count = places_of(block, places);
    const uint64_t plane = uint64_t{in_.h} * in_.w;
    for (uint32_t kh = 0; kh < window_.h.kernel; ++kh)
      for (uint32_t kw = 0; kw < window_.w.kernel; ++kw, index += columns_)
        for (uint32_t i = 0; i < columns_; ++i) {
          const Place& p = places[std::min(i, count - 1)];
          const AxisTap &h = down_[uint64_t{kh} * out_.h + p.y],
                        &w = across_[uint64_t{kw} * out_.w + p.x];
          const TapKind kind = std::max(h.kind, w.kind);
          index[i] = kind == TapKind::padding ? kPadding
                     : kind == TapKind::inserted
                         ? kInsertion
                         : static_cast<uint32_t>(kFirstCell + p.n * plane +
                                                 uint64_t{h.index} * in_.w + w.index);
        }
  }

  void gather(uint64_t block, uint32_t* to) const {
    thread_local Scratch scratch;
    const size_t chunks = columns_ / kChunk;
    uint32_t* index = scratch.take<uint32_t>(taps_ * (columns_ + chunks));
    uint32_t* is_run = index + taps_ * columns_;
    index_block(block, index);
    for (size_t i = 0; i < taps_ * chunks; ++i) is_run[i] = consecutive(index + i * kChunk);
    for (const Im2colSource::Term& term : terms_) {
      const uint32_t* row = cells_ + term.cell * row_cells_;
      const uint32_t* at = index + term.tap * columns_;
      for (size_t chunk = 0; chunk < chunks; ++chunk, at += kChunk, to += kChunk) {
        if (is_run[term.tap * chunks + chunk] != 0)
          std::memcpy(to, row + *at, kChunk * sizeof *to);
        else
          for (size_t i = 0; i < kChunk; ++i) to[i] = row[at[i]];
      }
    }
  }

  static bool consecutive(const uint32_t* index) {
    for (size_t i = 1; i < kChunk; ++i)
      if (index[i] != index[0] + i) return false;
    return true;
  }

  void run_tile(uint64_t block, const uint32_t* patches, size_t row_block) const {
    TileRoom room;
    Place places[kTilePitch];
    const uint32_t count = places_of(block, places), rows = channels(row_block);
    auto results = [&](uint32_t r) {
      return Im2colSource::Results{first_channel(row_block) + r, count, places, room.row(r),
                                   room.second_row(r)};
    };
    for (uint32_t r = 0; r < rows; ++r) source_.start(results(r));
    const bool in_doubt = source_.run(kernels_,
                                      {.left = weights_ + row_block * kernels_.rows * terms_.size(),
                                       .right = patches,
                                       .rows = rows,
                                       .vectors = ceil_div(count, kernels_.lanes),
                                       .sums = room.sums},
                                      offsets_, room);
    for (uint32_t r = 0; r < rows; ++r) source_.store(results(r), in_doubt);
  }

  uint32_t places_of(uint64_t block, Place* places) const {
    const uint64_t first = block * columns_;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(columns_, places_ - first));
    for (uint32_t i = 0; i < count; ++i) places[i] = place_of(first + i, out_);
    return count;
  }
  uint32_t first_channel(size_t block) const {
    return static_cast<uint32_t>(block) * kernels_.rows;
  }
  uint32_t channels(size_t block) const {
    return std::min(kernels_.rows, out_.c - first_channel(block));
  }
  static size_t grain(uint64_t work) { return grain_of(work, kTermsPerTask); }

  const Im2colSource& source_;
  const Window window_;
  const Shape in_, out_;
  const TileKernels kernels_;
  const uint32_t columns_;  // of a block of places
  const uint64_t places_, blocks_;
  const uint32_t row_blocks_;  // of output channels
  const uint64_t row_cells_, taps_;
  std::vector<Im2colSource::Term> terms_;
  Im2colTerms offsets_;
  std::vector<AxisTap> down_, across_;  // of the rows and columns of results
  const uint32_t* cells_ = nullptr;
  const uint32_t* weights_ = nullptr;
};

}  // namespace

Declined convolve(const Im2colSource& source, const Window& window, const Shape& in,
                  const Shape& out) {
  Im2col convolution(source, window, in, out);
  if (!convolution.fits()) return kCopiesTooLarge;
  convolution.run();
  return kRan;
}

}  // namespace tputwin::fast
