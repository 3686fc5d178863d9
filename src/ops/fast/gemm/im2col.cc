#include "ops/fast/gemm/im2col.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/contract/taps.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

// Copies are made of so many places at once that they take about this many cells.
constexpr uint64_t kCopiedCells = 4 << 20, kMaxCells = 64 << 20;
constexpr uint64_t kTermsPerTask = 256 << 10;
constexpr size_t kChunk = 8;  // places whose cells may be copied as one

// A row of cells starts with what padding and inserted elements count as.
constexpr uint32_t kPadding = 0, kInsertion = 1, kFirstCell = 2;

class PatchConvolution {
 public:
  PatchConvolution(const PatchSource& source, const Window& window, const Shape& in,
                   const Shape& out)
      : source_(source),
        window_(window),
        in_(in),
        out_(out),
        kernels_(patch_kernels()),
        columns_(kernels_.columns()),
        places_(uint64_t{out.n} * out.h * out.w),
        blocks_(ceil_div(places_, uint64_t{columns_})),
        row_blocks_(ceil_div(out.c, kernels_.rows)),
        row_cells_(kFirstCell + uint64_t{in.n} * in.h * in.w),
        taps_(uint64_t{window.h.kernel} * window.w.kernel) {}

  bool fits() const {
    const uint64_t terms = source_.cells() * taps_;
    return row_cells_ * source_.cells() <= kMaxCells && terms * columns_ <= kCopiedCells * 4 &&
           terms * row_blocks_ * kernels_.rows <= kMaxCells && taps_ * columns_ <= kCopiedCells &&
           uint64_t{window_.w.kernel} * out_.w <= kMaxCells &&
           uint64_t{window_.h.kernel} * out_.h <= kMaxCells;
  }

  void run() {
    terms_ = source_.terms();
    down_ = axis_taps(window_.h, in_.h, out_.h);
    across_ = axis_taps(window_.w, in_.w, out_.w);
    lay_out();
    pack_weights();
    const uint64_t block_cells = terms_.size() * columns_;
    const uint64_t group = std::clamp<uint64_t>(kCopiedCells / block_cells, 1, blocks_);
    thread_local Scratch scratch;
    uint32_t* patches = scratch.take<uint32_t>(group * block_cells);
    for (uint64_t first = 0; first < blocks_; first += group)
      run_blocks(first, std::min(group, blocks_ - first), patches);
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

  void run_blocks(uint64_t first, uint64_t count, uint32_t* patches) const {
    const uint64_t block_cells = terms_.size() * columns_;
    parallel_for(count, grain(block_cells), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) gather(first + i, patches + i * block_cells);
    });
    parallel_for(count * row_blocks_, grain(block_cells * kernels_.rows),
                 [&](size_t begin, size_t end) {
                   const ScopedFloatMode mode;
                   for (size_t i = begin; i < end; ++i)
                     run_tile(first + i / row_blocks_, patches + i / row_blocks_ * block_cells,
                              i % row_blocks_);
                 });
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
    PatchPlace places[kPatchPitch];
    const uint32_t count = places_of(block, places);
    const uint64_t plane = uint64_t{in_.h} * in_.w;
    for (uint32_t kh = 0; kh < window_.h.kernel; ++kh)
      for (uint32_t kw = 0; kw < window_.w.kernel; ++kw, index += columns_)
        for (uint32_t i = 0; i < columns_; ++i) {
          const PatchPlace& p = places[std::min(i, count - 1)];
          const AxisTap &h = down_[uint64_t{kh} * out_.h + p.y],
                        &w = across_[uint64_t{kw} * out_.w + p.x];
          const Tap kind = std::max(h.kind, w.kind);
          index[i] = kind == Tap::padding ? kPadding
                     : kind == Tap::inserted
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
    for (const PatchSource::Term& term : terms_) {
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
    alignas(64) uint32_t first[kMaxPatchRows * kPatchPitch] = {};
    alignas(64) uint32_t second[kMaxPatchRows * kPatchPitch] = {};
    PatchPlace places[kPatchPitch];
    const uint32_t count = places_of(block, places), rows = channels(row_block);
    auto results = [&](uint32_t r) {
      return PatchSource::Results{first_channel(row_block) + r, count, places,
                                  first + r * kPatchPitch, second + r * kPatchPitch};
    };
    for (uint32_t r = 0; r < rows; ++r) source_.start(results(r));
    const bool in_doubt =
        source_.run(kernels_, {.weights = weights_ + row_block * kernels_.rows * terms_.size(),
                               .inputs = patches,
                               .pitch = columns_,
                               .terms = terms_.size(),
                               .rows = rows,
                               .vectors = ceil_div(count, kernels_.lanes),
                               .first = first,
                               .second = second,
                               .channels = source_.cells(),
                               .taps = taps_});
    for (uint32_t r = 0; r < rows; ++r) source_.store(results(r), in_doubt);
  }

  uint32_t places_of(uint64_t block, PatchPlace* places) const {
    const uint64_t first = block * columns_, plane = uint64_t{out_.h} * out_.w;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(columns_, places_ - first));
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t at = (first + i) % plane;
      places[i] = {static_cast<uint32_t>((first + i) / plane), static_cast<uint32_t>(at / out_.w),
                   static_cast<uint32_t>(at % out_.w)};
    }
    return count;
  }
  uint32_t first_channel(size_t block) const {
    return static_cast<uint32_t>(block) * kernels_.rows;
  }
  uint32_t channels(size_t block) const {
    return std::min(kernels_.rows, out_.c - first_channel(block));
  }
  static size_t grain(uint64_t work) { return std::max<uint64_t>(1, kTermsPerTask / (work + 1)); }

  const PatchSource& source_;
  const Window window_;
  const Shape in_, out_;
  const PatchKernels kernels_;
  const uint32_t columns_;  // of a block of places
  const uint64_t places_, blocks_;
  const uint32_t row_blocks_;  // of output channels
  const uint64_t row_cells_, taps_;
  std::vector<PatchSource::Term> terms_;
  std::vector<AxisTap> down_, across_;  // of the rows and columns of results
  const uint32_t* cells_ = nullptr;
  const uint32_t* weights_ = nullptr;
};

}  // namespace

bool convolve(const PatchSource& source, const Window& window, const Shape& in, const Shape& out) {
  PatchConvolution convolution(source, window, in, out);
  if (!convolution.fits()) return false;
  convolution.run();
  return true;
}

bool patch_operand(const TensorView& view, const TensorView& out, const LocalMemory& local) {
  return view.space == Space::local && view.pack == 1 && is_run(view) && apart(view, out, local);
}

bool patch_result(const TensorView& out, const LocalMemory& local) {
  return out.space == Space::local && out.pack == 1 && is_run(out) && distinct_elements(out, local);
}

}  // namespace tputwin::fast
