// Products of stored matrices. Both are copied to 32-bit cells in panels as tiles.h reads them, and
// tiles go over them. A cell holds one term, or several integers. A panel of columns is copied by
// the task that multiplies it and stays in its cache. A right matrix whose rows are already stored
// as panels is read in place.
#pragma once

#include <vector>

#include "base/bits.h"
#include "numerics/add_tree.h"
#include "ops/fast/dispatch/tile_scope.h"
#include "ops/fast/gemm/geometry/stored_matrix.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {

// The results of a tile: (row, col), (row, col + 1), ... of `rows` rows.
struct TilePart {
  uint32_t row, col, rows, cols;
};

// Computes the product of a source. A Source must have
//   product()           returns the PlainProduct
//   in_place()          returns an InPlace, or nullptr
//   kCopiesElements     is true if cells are 32-bit values as stored
//   kAddsUp             is true if the kernel adds to the sums it finds, and needs no offsets of
//                       terms
//   in_cell()           returns the number of terms in a cell
//   has_whole_rows()    returns true if all tiles have as many rows as the kernels', with factors 0
//   read_terms(m, cell, first, count, to)   reads a StoredMatrix whose rows are terms: the cells of
//                       columns from `first` on; it may write kTilePitch cells too many, or up to a
//                       whole vector if rows are in channels
//   read_factors(m, row, first, count, to)  reads a StoredMatrix whose columns are terms: the cells
//                       of a row
//   start(i, j, count, first, second)   initializes results (i,j), (i,j+1), ...
//   run(kernels, tile, terms, part, buffers)   runs the kernel; true if a result is in doubt
//   store(i, j, count, first, in_doubt)   stores the results, and recomputes those in doubt
// and may have
//   has_codes()         returns true if it codes factors (TileKernels::code)
//   code_left(words, count, codes)   codes panels of rows
//   code_right(words, count, codes)  codes a panel of columns, after the left one is coded; returns
//                       false if this panel has no codes
//   has_sizes()         returns true if it sizes factors (TileKernels::sizes)
//   size(words, step, terms, count, to)   sizes the groups of `count` positions of a panel
//   has_normal_products()   returns false if panels read so far must not be sized
//   has_byte_tiles()    true if run() reads panels of rows in the order for matrix tiles
template <class Source>
class MatrixTiles {
 public:
  // The terms as kernels read them. `right_offset` is the start of each term in a panel of columns.
  struct Terms {
    uint32_t count;
    size_t pitch;
    const uint32_t* right_offset;
    const int16_t *left_codes, *right_codes;  // null: not coded
    const float *left_sizes, *right_sizes;    // null: not sized
    // Not 0: the panel of rows is in the order for tiles of that depth (tile_order.h).
    size_t tile_depth;
  };

  MatrixTiles(const Source& source, const Memory& memory)
      : source_(source),
        p_(source.product()),
        memory_(memory),
        kernels_(tile_kernels()),
        left_matrix_(p_.left, memory),
        right_matrix_(p_.right, memory),
        rows_(p_.out.rows()),
        cols_(p_.out.cols()),
        cells_(ceil_div(p_.left.cols(), source.in_cell())),
        blocks_(ceil_div(rows_, kernels_.rows)),
        in_place_(source.in_place()),
        span_(in_place_ != nullptr ? in_place_->width : cols_),
        span_tiles_(ceil_div(span_, kernels_.columns())),
        columns_(align_up(ceil_div(span_, span_tiles_), kernels_.vector_elements)),
        tiles_(ceil_div(cols_, span_) * span_tiles_),
        panel_tiles_(tiles_at_once()),
        panel_pitch_(panel_tiles_ * columns_),
        tile_depth_(depth_of_tiles()) {}

  // Runs the product. Declines if the copies would be too large.
  Declined run() {
    const uint64_t left_cells = uint64_t{blocks_} * kernels_.rows * cells_;
    if (left_cells > kMaxCopiedCells || uint64_t{panel_pitch_} * cells_ > kMaxCopiedCells)
      return kCopiesTooLarge;
    thread_local Scratch left, codes, sizes;
    left_ = left.take<uint32_t>(left_cells + kTilePitch);  // kernels may read whole vectors
    if (has_codes()) left_codes_ = codes.take<int16_t>(left_cells);
    if (has_sizes()) left_sizes_ = sizes.take<float>(uint64_t{blocks_} * kernels_.rows * groups());
    // Packing a factor, which may be converted and coded, takes as long as some products.
    constexpr uint64_t kPackCost = 24;
    parallel_for(blocks_, grain(uint64_t{cells_} * kernels_.rows * kPackCost),
                 [&](size_t begin, size_t end) {
                   for (size_t block = begin; block < end; ++block) {
                     pack_left(static_cast<uint32_t>(block));
                     if (tile_depth_ != 0) order_left(static_cast<uint32_t>(block));
                     if constexpr (requires { source_.has_codes(); })
                       if (has_codes()) code_left(static_cast<uint32_t>(block));
                     if constexpr (requires { source_.has_sizes(); })
                       if (has_sizes()) size_left(static_cast<uint32_t>(block));
                   }
                 });
    pitch_ = in_place_ != nullptr ? in_place_->pitch : panel_pitch_;
    for (uint32_t term = 0; term < cells_ && !Source::kAddsUp; ++term)
      offsets_.push_back(static_cast<uint32_t>(term * pitch_));
    const uint32_t panels = ceil_div(tiles_, panel_tiles_), chunks = chunks_of(panels);
    const uint64_t work = uint64_t{cells_} * panel_pitch_ * rows_ / chunks;
    parallel_for(uint64_t{panels} * chunks, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_panel(static_cast<uint32_t>(i / chunks), static_cast<uint32_t>(i % chunks), chunks);
    });
    return kRan;
  }

  // Returns true if factors have sizes.
  bool has_sizes() const {
    if constexpr (requires { source_.has_sizes(); }) return !is_sliced() && source_.has_sizes();
    return false;
  }

 private:
  // If few rows use the columns, copying them saves time only for long runs, in a panel or a slice
  // of one that fits in the cache. A slice is a multiple of kAddTreeGroup cells.
  static constexpr uint32_t kWidePanel = 8, kPanelCells = 128 << 10, kSlice = 64, kFewBlocks = 2,
                            kSlicedTiles = kFewBlocks * kWidePanel;

  bool is_sliced() const {
    return Source::kAddsUp && in_place_ == nullptr && blocks_ <= kFewBlocks && !p_.right.transposed;
  }

  static size_t grain(uint64_t work) { return grain_of(work, Source::kTermsWorthATask); }

  uint32_t tiles_at_once() const {
    // The columns of a transposed matrix are stored as runs.
    if (in_place_ != nullptr || blocks_ > kFewBlocks || p_.right.transposed) return 1;
    const uint32_t depth = is_sliced() ? kSlice : cells_;
    const uint32_t most = std::min(kWidePanel, kPanelCells / std::max(1u, depth * columns_));
    return std::max(1u, std::min(most, tiles_ / static_cast<uint32_t>(thread_count())));
  }

  // Returns the number of pieces that rows are cut into, which is above 1 if panels alone are too
  // few tasks. Each piece copies the panel for itself.
  uint32_t chunks_of(uint32_t panels) const {
    constexpr uint32_t kTasksOfAThread = 4;
    constexpr int kFewThreads = 4;
    const uint32_t least_blocks = thread_count() <= kFewThreads ? 4 : 1;
    const uint32_t wanted =
        ceil_div(static_cast<uint32_t>(thread_count()) * kTasksOfAThread, panels);
    const uint32_t most = in_place_ != nullptr ? blocks_
                          : is_sliced()        ? 1
                                               : ceil_div(blocks_, least_blocks);
    return std::min(thread_count() == 1 ? 1 : wanted, most);
  }

  // Returns the number of rows of a block, which is that of its tiles.
  uint32_t rows_of(uint32_t block) const {
    return std::min(kernels_.rows, rows_ - block * kernels_.rows);
  }
  uint32_t pitch_of(uint32_t block) const {
    return source_.has_whole_rows() ? kernels_.rows : rows_of(block);
  }

  // Panels that are read in slices keep the plain order.
  size_t depth_of_tiles() const {
    if constexpr (requires { source_.has_byte_tiles(); })
      if (source_.has_byte_tiles() && !is_sliced() && cols_ >= kLeastTilePositions)
        return tile_depth(cells_);
    return 0;
  }
  void order_left(uint32_t block) const {
    uint32_t* const panel = left_ + uint64_t{block} * kernels_.rows * cells_;
    order_for_tiles({pitch_of(block), 1, tile_depth_}, cells_, panel);
  }

  uint32_t groups() const { return ceil_div(cells_, kAddTreeGroup); }
  void size_left(uint32_t block) const {
    const uint64_t row = uint64_t{block} * kernels_.rows;
    const uint32_t pitch = pitch_of(block);
    source_.size(left_ + row * cells_, pitch, cells_, pitch, left_sizes_ + row * groups());
  }

  bool has_codes() const {
    if constexpr (requires { source_.has_codes(); }) return !has_sizes() && source_.has_codes();
    return false;
  }
  void code_left(uint32_t block) const {
    const uint64_t first = uint64_t{block} * kernels_.rows * cells_;
    source_.code_left(left_ + first, uint64_t{pitch_of(block)} * cells_, left_codes_ + first);
  }

  // Columns of the right matrix as tiles read them, and their codes or sizes, if any.
  struct Columns {
    uint32_t* words = nullptr;
    int16_t* codes = nullptr;
    float* sizes = nullptr;

    Columns from(size_t column) const {
      return {words + column, codes == nullptr ? nullptr : codes + column,
              sizes == nullptr ? nullptr : sizes + column};
    }
  };
  Columns coded(uint32_t* words, [[maybe_unused]] uint64_t count) const {
    if constexpr (requires { source_.has_sizes(); })
      if (has_sizes() && source_.has_normal_products()) {
        thread_local Scratch scratch;
        auto* const sizes = scratch.take<float>(uint64_t{panel_pitch_} * groups() + 2 * kTilePitch);
        source_.size(words, panel_pitch_, cells_, panel_pitch_, sizes);
        return {words, nullptr, sizes};
      }
    if constexpr (requires { source_.has_codes(); }) {
      thread_local Scratch scratch;
      auto* const codes = has_codes() ? scratch.take<int16_t>(count + 2 * kTilePitch) : nullptr;
      if (codes != nullptr && source_.code_right(words, count, codes)) return {words, codes};
    }
    return {words};
  }

  // Selects the cells [begin, end) of every result.
  struct Depth {
    uint32_t begin, end;
  };

  // Packs the factors of `count` rows of left or columns of right: to[cell * pitch + factor].
  void pack_factors(const StoredMatrix& m, const Depth& depth, uint32_t first, uint32_t count,
                    size_t pitch, uint32_t* to) const {
    constexpr uint32_t kRowsAtOnce = 16, kCellsAtOnce = 256;
    alignas(64) uint32_t rows[kRowsAtOnce * (kCellsAtOnce + 16)];
    constexpr size_t kStep = kCellsAtOnce + 16;  // keeps rows out of the same sets of the cache
    for (uint32_t row = 0; row < count; row += kRowsAtOnce)
      for (uint32_t cell = depth.begin; cell < depth.end; cell += kCellsAtOnce) {
        const uint32_t height = std::min(kRowsAtOnce, count - row);
        const uint32_t width = std::min(kCellsAtOnce, depth.end - cell);
        for (uint32_t r = 0; r < height; ++r)
          source_.read_factors(m, first + row + r, cell, width, rows + r * kStep);
        transpose(sizeof *to, reinterpret_cast<uint8_t*>(to + (cell - depth.begin) * pitch + row),
                  pitch * sizeof *to, reinterpret_cast<const uint8_t*>(rows), kStep * sizeof *rows,
                  height, width);
      }
  }

  void pack_left(uint32_t block) const {
    const uint32_t count = rows_of(block), pitch = pitch_of(block), first = block * kernels_.rows;
    uint32_t* to = left_ + uint64_t{first} * cells_;
    if (count < pitch) std::fill_n(to, uint64_t{pitch} * cells_, 0u);
    if (!p_.left.transposed)
      return pack_factors(left_matrix_, {0, cells_}, first, count, pitch, to);
    uint32_t cells[kMaxTileRows + kTilePitch];
    for (uint32_t cell = 0; cell < cells_; ++cell, to += pitch) {
      source_.read_terms(left_matrix_, cell, first, count, cells);
      std::copy_n(cells, count, to);
    }
  }

  void pack_right(const Depth& depth, uint32_t first, uint32_t count, uint32_t* to) const {
    if (p_.right.transposed)
      return pack_factors(right_matrix_, depth, first, count, panel_pitch_, to);
    if constexpr (Source::kCopiesElements)
      if (right_matrix_.copy_short_runs(depth.begin, depth.end - depth.begin, first, count, to,
                                        panel_pitch_))
        return;
    // The rows of a lane are read before those of the next lane, because equal offsets in different
    // lanes map to the same sets of the cache. Prefetching rows does not help.
    const uint32_t rows = source_.in_cell();
    const uint32_t step = p_.right.row_per_channel ? std::max(1u, memory_.local.lanes() / rows) : 1;
    for (uint32_t start = 0; start < step; ++start)
      for (uint32_t cell = depth.begin + start; cell < depth.end; cell += step)
        source_.read_terms(right_matrix_, cell, first, count,
                           to + uint64_t{cell - depth.begin} * panel_pitch_);
  }

  void run_panel(uint32_t panel, uint32_t chunk, uint32_t chunks) const {
    thread_local Scratch scratch;
    const uint32_t first = panel * panel_tiles_, last = std::min(first + panel_tiles_, tiles_);
    if (is_sliced()) return run_slices(first, last);
    Columns right;
    if (in_place_ == nullptr) {
      // The last vector of a tile may read past the panel.
      const uint64_t count = uint64_t{panel_pitch_} * cells_;
      uint32_t* const words = scratch.take<uint32_t>(count + 2 * kTilePitch);
      const uint32_t column = first * columns_;
      pack_right({0, cells_}, column, std::min(panel_pitch_, cols_ - column), words);
      right = coded(words, count);
    }
    const uint64_t begin = uint64_t{blocks_} * chunk / chunks,
                   end = uint64_t{blocks_} * (chunk + 1) / chunks;
    TileBuffers buffers;
    const TileScope tiles(kernels_.rows, tile_depth_);
    for (auto block = static_cast<uint32_t>(begin); block < end; ++block)
      for (uint32_t tile = first; tile < last; ++tile) {
        start(tile, block, buffers);
        const Columns from = in_place_ != nullptr ? Columns{in_place_columns(tile)}
                                                  : right.from((tile - first) * columns_);
        store(tile, block, buffers, multiply(tile, block, from, {0, cells_}, buffers));
      }
  }

  // Runs a panel that few rows use, in slices of its depth that fit in the cache. Each slice adds
  // to the sums.
  void run_slices(uint32_t first, uint32_t last) const {
    thread_local Scratch buffers_scratch, scratch;
    const uint32_t count = (last - first) * blocks_, column = first * columns_;
    auto* all_buffers = buffers_scratch.take<TileBuffers>(count);
    bool in_doubt[kSlicedTiles] = {};
    uint32_t* words = scratch.take<uint32_t>(uint64_t{panel_pitch_} * kSlice + 2 * kTilePitch);
    for (uint32_t i = 0; i < count; ++i) start(first + i / blocks_, i % blocks_, all_buffers[i]);
    for (uint32_t begin = 0; begin < cells_; begin += kSlice) {
      const Depth depth{begin, std::min(begin + kSlice, cells_)};
      pack_right(depth, column, std::min(panel_pitch_, cols_ - column), words);
      const Columns right = coded(words, uint64_t{panel_pitch_} * (depth.end - depth.begin));
      for (uint32_t i = 0; i < count; ++i)
        in_doubt[i] = multiply(first + i / blocks_, i % blocks_, right.from(i / blocks_ * columns_),
                               depth, all_buffers[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
      store(first + i / blocks_, i % blocks_, all_buffers[i], in_doubt[i]);
  }

  uint32_t column_of(uint32_t t) const {
    return t / span_tiles_ * span_ + t % span_tiles_ * columns_;
  }
  uint32_t* in_place_columns(uint32_t t) const {
    const uint8_t* const first = in_place_->first(p_, memory_, column_of(t));
    return const_cast<uint32_t*>(reinterpret_cast<const uint32_t*>(first));
  }
  TilePart part_of(uint32_t t, uint32_t block) const {
    const uint32_t begin = t % span_tiles_ * columns_, col = column_of(t);
    return {block * kernels_.rows, col, rows_of(block),
            std::min({columns_, span_ - begin, cols_ - col})};
  }

  void start(uint32_t t, uint32_t block, TileBuffers& buffers) const {
    const TilePart part = part_of(t, block);
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.start(part.row + r, part.col, part.cols, buffers.row(r), buffers.second_row(r));
  }
  // Returns true if a result is in doubt.
  bool multiply(uint32_t t, uint32_t block, const Columns& right, const Depth& depth,
                TileBuffers& buffers) const {
    const TilePart part = part_of(t, block);
    const uint32_t pitch = pitch_of(block);
    const uint64_t left = uint64_t{part.row} * cells_ + uint64_t{depth.begin} * pitch;
    const Tile tile{.left = left_ + left,
                    .right = right.words,
                    .rows = pitch,
                    .vectors = ceil_div(part.cols, kernels_.vector_elements),
                    .sums = buffers.sums};
    const Terms terms{
        depth.end - depth.begin,
        pitch_,
        offsets_.data(),
        left_codes_ == nullptr ? nullptr : left_codes_ + left,
        right.codes,
        left_sizes_ == nullptr ? nullptr : left_sizes_ + uint64_t{part.row} * groups(),
        right.sizes,
        tile_depth_};
    return source_.run(kernels_, tile, terms, part, buffers);
  }
  void store(uint32_t t, uint32_t block, TileBuffers& buffers, bool in_doubt) const {
    const TilePart part = part_of(t, block);
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.store(part.row + r, part.col, part.cols, buffers.row(r), in_doubt);
  }

  const Source& source_;
  const PlainProduct& p_;
  const Memory& memory_;
  const TileKernels kernels_;
  const StoredMatrix left_matrix_, right_matrix_;
  const uint32_t rows_, cols_, cells_, blocks_;
  const InPlace* const in_place_;
  // A span of contiguous columns is cut into tiles of equal width. A span is a channel, or the
  // matrix.
  const uint32_t span_, span_tiles_, columns_, tiles_;
  // `panel_tiles_` is the number of tiles that are copied together as a panel. `panel_pitch_` is
  // the number of cells of its rows.
  const uint32_t panel_tiles_, panel_pitch_;
  const size_t tile_depth_;        // of the order of left panels; 0: plain
  size_t pitch_ = 0;               // from one term of right to the next
  std::vector<uint32_t> offsets_;  // one per term, for kernels that need them
  uint32_t* left_ = nullptr;
  int16_t* left_codes_ = nullptr;
  float* left_sizes_ = nullptr;
};

}  // namespace tputwin::fast
