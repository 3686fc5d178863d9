// Products of stored matrices: both are copied to 32-bit cells in panels as tiles.h reads them, and
// tiles go over them. A cell holds one term, or several integers. A panel of columns is copied by
// the task that multiplies it and stays in its cache; a right matrix whose rows already lie as
// panels is read in place.
#pragma once

#include <vector>

#include "base/bits.h"
#include "ops/fast/gemm/panels.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin::fast {

// A product whose result is stored as it comes: where the result is stored transposed, that of the
// transposed matrices.
struct PlainProduct {
  MatrixOperand out, left, right;
  bool swapped = false;  // left and right, and with them the indices of the result

  PlainProduct(const MatrixOperand& result, const MatrixOperand& a, const MatrixOperand& b)
      : out(result), left(a), right(b), swapped(result.transposed) {
    if (!swapped) return;
    std::swap(left, right);
    for (MatrixOperand* m : {&out, &left, &right}) {
      if (m->is_constant)
        std::swap(m->matrix.rows, m->matrix.cols);
      else
        m->transposed = !m->transposed;
    }
  }
};

// Rows of a matrix as it is stored, or the value it has everywhere.
class StoredMatrix {
 public:
  StoredMatrix(const MatrixOperand& m, const Memory& memory) : m_(m) {
    if (m.is_constant) return;
    const TensorView& t = m.matrix.tensor;
    width_ = m.row_per_channel ? m.matrix.cols : t.shape.w;
    row_step_ = m.row_per_channel ? 0 : t.stride.n;
    const uint32_t channels = m.row_per_channel ? m.matrix.rows : ceil_div(m.matrix.cols, width_);
    for (uint32_t c = 0; c < channels; ++c) channels_.push_back(memory.byte(t, 0, c, 0, 0));
  }

  const MatrixOperand& operand() const { return m_; }
  uint32_t rows() const { return m_.matrix.rows; }
  uint32_t cols() const { return m_.matrix.cols; }

  // What reading columns of that many rows will need; nothing past the last row.
  void prefetch(uint32_t row, uint32_t rows, uint32_t first, uint32_t count) const {
    constexpr uint32_t kLine = 64;
    for (const uint32_t last = std::min(row + rows, m_.matrix.rows); row < last; ++row)
      for_each_run(row, first, count, [&](const uint8_t* from, uint32_t, uint32_t run) {
        for (uint32_t at = 0; at < run * element_bytes(m_.dtype()); at += kLine)
          __builtin_prefetch(from + at);
      });
  }
  // Columns of a row, in runs of elements side by side: f(bytes, number of the column, count)
  template <class F>
  void for_each_run(uint32_t row, uint32_t first, uint32_t count, F&& f) const {
    // without divisions in the loop, as runs may be short
    uint32_t channel = m_.row_per_channel ? row : first / width_, inside = first % width_;
    for (uint32_t done = 0; done < count; ++channel, inside = 0) {
      const uint32_t run = std::min(width_ - inside, count - done);
      f(channels_[channel] + uint64_t{row} * row_step_ + uint64_t{inside} * column_step(), done,
        run);
      done += run;
    }
  }
  // From an element of a row to that `rows` rows below it.
  const uint8_t* below(const uint8_t* element, uint32_t row, uint32_t rows) const {
    return element + (m_.row_per_channel ? channels_[row + rows] - channels_[row]
                                         : static_cast<ptrdiff_t>(rows * row_step_));
  }

 private:
  uint32_t column_step() const { return m_.matrix.tensor.stride.w; }

  const MatrixOperand& m_;
  uint32_t width_ = 0;  // columns that lie together
  uint64_t row_step_ = 0;
  std::vector<const uint8_t*> channels_;
};

// The same of `count` results from (i,j) on. f(bytes, index, count)
template <class F>
void for_each_result_run(const MatrixOperand& out, const Memory& memory, uint32_t i, uint32_t j,
                         uint32_t count, F&& f) {
  const uint32_t width = out.row_per_channel ? out.matrix.cols : out.matrix.tensor.shape.w;
  for (uint32_t done = 0; done < count;) {
    const uint32_t run = std::min(width - (j + done) % width, count - done);
    f(out.byte(memory, i, j + done), done, run);
    done += run;
  }
}

// Whether elements lie side by side in local memory.
inline bool has_runs(const MatrixOperand& m) {
  const TensorView& t = m.matrix.tensor;
  return m.is_constant || (has_elements(t) && !is_empty(t.shape) && has_dense_rows(t));
}

// Why results may not be written in any order, or while the factors are read; nullptr if they may.
inline Declined matrices_decline(const PlainProduct& p, const LocalMemory& local) {
  if (!has_runs(p.out) || !has_runs(p.left) || !has_runs(p.right)) return "rows have gaps";
  auto tensor = [](const MatrixOperand& m) { return m.is_constant ? nullptr : &m.matrix.tensor; };
  return overlap(p.out.matrix.tensor, {tensor(p.left), tensor(p.right)}, local);
}

// Where the right matrix is read in place: the cells of a row of terms begin at first(column), of
// the next one `pitch` cells on, for `width` columns that lie together.
struct InPlace {
  const uint8_t* (*first)(const PlainProduct& product, const Memory& memory, uint32_t column);
  uint32_t pitch = 0, width = 0;
};

inline InPlace in_place_of(const PlainProduct& p) {
  return {[](const PlainProduct& product, const Memory& memory, uint32_t column) {
            return static_cast<const uint8_t*>(product.right.byte(memory, 0, column));
          },
          p.right.matrix.tensor.stride.n / uint32_t{sizeof(uint32_t)},
          p.right.matrix.tensor.shape.w};
}

// Why words of the right matrix are not read in place: at least three quarters of the columns of
// whole vectors have to be results.
inline Declined in_place_declines(const PlainProduct& p) {
  const TensorView& right = p.right.matrix.tensor;
  const uint32_t width = right.shape.w;
  if (p.right.is_constant || p.right.transposed || p.right.row_per_channel)
    return "columns of the right matrix are not its channels'";
  if (!has_words(right)) return "no words in lanes";
  if (width * 4 < align_up(width, tile_kernels().lanes) * 3)
    return "channels are too narrow for vectors";
  return kRan;
}

// What a tile is given: the results (row, col), (row, col + 1), ... of `rows` rows.
struct TilePart {
  uint32_t row, col, rows, cols;
};

// Source has
//   product()           the PlainProduct
//   in_place()          an InPlace, or nullptr
//   kAddsUp             the kernel adds to the sums it finds, and takes no places of terms
//   in_cell()           terms in a cell
//   has_whole_rows()    whether tiles have as many rows as the kernels', with factors 0
//   read_terms(m, cell, first, count, to)   of a StoredMatrix whose rows are terms: the cells of
//                       columns from `first` on; may write kTilePitch too many, of rows in
//                       channels up to a whole vector
//   read_factors(m, row, first, count, to)  of one whose columns are terms: cells of a row
//   start(i, j, count, first, second)   of results (i,j), (i,j+1), ...
//   run(kernels, tile, terms, part, room)   the kernel; true if a result is in doubt
//   store(i, j, count, first, in_doubt)
template <class Source>
class MatrixTiles {
 public:
  // The terms as kernels take them: of each where it starts in a panel of columns.
  struct Terms {
    uint32_t count;
    size_t pitch;
    const uint32_t* right_offset;
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
        columns_(align_up(ceil_div(span_, span_tiles_), kernels_.lanes)),
        tiles_(ceil_div(cols_, span_) * span_tiles_),
        panel_tiles_(tiles_at_once()),
        panel_pitch_(panel_tiles_ * columns_) {}

  // Declines if the copies would be too large.
  Declined run() {
    const uint64_t left_cells = uint64_t{blocks_} * kernels_.rows * cells_;
    if (left_cells > kMaxCopiedCells || uint64_t{panel_pitch_} * cells_ > kMaxCopiedCells)
      return kCopiesTooLarge;
    thread_local Scratch left;
    left_ = left.take<uint32_t>(left_cells);
    parallel_for(blocks_, grain(uint64_t{cells_} * kernels_.rows), [&](size_t begin, size_t end) {
      for (size_t block = begin; block < end; ++block) pack_left(static_cast<uint32_t>(block));
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

 private:
  // Copied columns that few rows use pay only as long runs, in a panel, or slices of one, that the
  // cache holds. A slice is a multiple of kAddTreeGroup cells.
  static constexpr uint32_t kWidePanel = 8, kPanelCells = 128 << 10, kSlice = 64, kFewBlocks = 2,
                            kSlicedTiles = kFewBlocks * kWidePanel;

  bool is_sliced() const {
    return Source::kAddsUp && in_place_ == nullptr && blocks_ <= kFewBlocks && !p_.right.transposed;
  }

  static size_t grain(uint64_t work) { return grain_of(work, Source::kTermsWorthATask); }

  uint32_t tiles_at_once() const {
    // of a transposed matrix the runs are the columns
    if (in_place_ != nullptr || blocks_ > kFewBlocks || p_.right.transposed) return 1;
    const uint32_t depth = is_sliced() ? kSlice : cells_;
    const uint32_t most = std::min(kWidePanel, kPanelCells / std::max(1u, depth * columns_));
    return std::max(1u, std::min(most, tiles_ / static_cast<uint32_t>(thread_count())));
  }

  // Rows in pieces where panels alone are too few tasks; each piece copies the panel for itself.
  uint32_t chunks_of(uint32_t panels) const {
    constexpr uint32_t kTasksOfAThread = 4, kLeastBlocks = 4;
    const uint32_t wanted =
        ceil_div(static_cast<uint32_t>(thread_count()) * kTasksOfAThread, panels);
    const uint32_t most = in_place_ != nullptr ? blocks_
                          : is_sliced()        ? 1
                                               : ceil_div(blocks_, kLeastBlocks);
    return std::min(thread_count() == 1 ? 1 : wanted, most);
  }

  // Rows of a block, or of its tiles.
  uint32_t rows_of(uint32_t block) const {
    return std::min(kernels_.rows, rows_ - block * kernels_.rows);
  }
  uint32_t pitch_of(uint32_t block) const {
    return source_.has_whole_rows() ? kernels_.rows : rows_of(block);
  }

  // Cells [begin, end) of every result.
  struct Depth {
    uint32_t begin, end;
  };

  // The factors of `count` rows of left or columns of right: to[cell * pitch + factor].
  void pack_factors(const StoredMatrix& m, const Depth& depth, uint32_t first, uint32_t count,
                    size_t pitch, uint32_t* to) const {
    constexpr uint32_t kRowsAtOnce = 16, kCellsAtOnce = 256;
    alignas(64) uint32_t rows[kRowsAtOnce * (kCellsAtOnce + 16)];
    constexpr size_t kStep = kCellsAtOnce + 16;  // not all rows in the same sets of the cache
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
    // Lane by lane: equal offsets in different lanes crowd into the same sets of the cache. No
    // processor guesses which row comes next.
    constexpr uint32_t kAhead = 2;
    const uint32_t rows = source_.in_cell();
    const uint32_t step = p_.right.row_per_channel ? std::max(1u, memory_.local.lanes() / rows) : 1;
    for (uint32_t start = 0; start < step; ++start)
      for (uint32_t cell = depth.begin + start; cell < depth.end; cell += step) {
        const uint32_t next =
            cell + kAhead * step < depth.end ? cell + kAhead * step : cell + kAhead;
        if (!p_.right.is_constant) right_matrix_.prefetch(next * rows, rows, first, count);
        source_.read_terms(right_matrix_, cell, first, count,
                           to + uint64_t{cell - depth.begin} * panel_pitch_);
      }
  }

  void run_panel(uint32_t panel, uint32_t chunk, uint32_t chunks) const {
    thread_local Scratch scratch;
    const uint32_t first = panel * panel_tiles_, last = std::min(first + panel_tiles_, tiles_);
    if (is_sliced()) return run_slices(first, last);
    uint32_t* right = nullptr;
    if (in_place_ == nullptr) {
      // a tile's last vector may read behind the panel
      right = scratch.take<uint32_t>(uint64_t{panel_pitch_} * cells_ + 2 * kTilePitch);
      const uint32_t column = first * columns_;
      pack_right({0, cells_}, column, std::min(panel_pitch_, cols_ - column), right);
    }
    const uint64_t begin = uint64_t{blocks_} * chunk / chunks,
                   end = uint64_t{blocks_} * (chunk + 1) / chunks;
    TileRoom room;
    for (auto block = static_cast<uint32_t>(begin); block < end; ++block)
      for (uint32_t tile = first; tile < last; ++tile) {
        start(tile, block, room);
        const uint32_t* const from =
            in_place_ != nullptr ? in_place_columns(tile) : right + (tile - first) * columns_;
        store(tile, block, room, multiply(tile, block, from, {0, cells_}, room));
      }
  }

  // A panel that few rows use, in slices of its depth that the cache holds: sums are added to.
  void run_slices(uint32_t first, uint32_t last) const {
    thread_local Scratch rooms_scratch, scratch;
    const uint32_t count = (last - first) * blocks_, column = first * columns_;
    auto* rooms = rooms_scratch.take<TileRoom>(count);
    bool in_doubt[kSlicedTiles] = {};
    uint32_t* right = scratch.take<uint32_t>(uint64_t{panel_pitch_} * kSlice + 2 * kTilePitch);
    for (uint32_t i = 0; i < count; ++i) start(first + i / blocks_, i % blocks_, rooms[i]);
    for (uint32_t begin = 0; begin < cells_; begin += kSlice) {
      const Depth depth{begin, std::min(begin + kSlice, cells_)};
      pack_right(depth, column, std::min(panel_pitch_, cols_ - column), right);
      for (uint32_t i = 0; i < count; ++i)
        in_doubt[i] = multiply(first + i / blocks_, i % blocks_, right + i / blocks_ * columns_,
                               depth, rooms[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
      store(first + i / blocks_, i % blocks_, rooms[i], in_doubt[i]);
  }

  uint32_t column_of(uint32_t t) const {
    return t / span_tiles_ * span_ + t % span_tiles_ * columns_;
  }
  const uint32_t* in_place_columns(uint32_t t) const {
    return reinterpret_cast<const uint32_t*>(in_place_->first(p_, memory_, column_of(t)));
  }
  TilePart part_of(uint32_t t, uint32_t block) const {
    const uint32_t begin = t % span_tiles_ * columns_, col = column_of(t);
    return {block * kernels_.rows, col, rows_of(block),
            std::min({columns_, span_ - begin, cols_ - col})};
  }

  void start(uint32_t t, uint32_t block, TileRoom& room) const {
    const TilePart part = part_of(t, block);
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.start(part.row + r, part.col, part.cols, room.row(r), room.second_row(r));
  }
  // True if a result is in doubt.
  bool multiply(uint32_t t, uint32_t block, const uint32_t* right, const Depth& depth,
                TileRoom& room) const {
    const TilePart part = part_of(t, block);
    const uint32_t pitch = pitch_of(block);
    const Tile tile{.left = left_ + uint64_t{part.row} * cells_ + uint64_t{depth.begin} * pitch,
                    .right = right,
                    .rows = pitch,
                    .vectors = ceil_div(part.cols, kernels_.lanes),
                    .sums = room.sums};
    const Terms terms{depth.end - depth.begin, pitch_, offsets_.data()};
    return source_.run(kernels_, tile, terms, part, room);
  }
  void store(uint32_t t, uint32_t block, TileRoom& room, bool in_doubt) const {
    const TilePart part = part_of(t, block);
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.store(part.row + r, part.col, part.cols, room.row(r), in_doubt);
  }

  const Source& source_;
  const PlainProduct& p_;
  const Memory& memory_;
  const TileKernels kernels_;
  const StoredMatrix left_matrix_, right_matrix_;
  const uint32_t rows_, cols_, cells_, blocks_;
  const InPlace* const in_place_;
  // A span of columns that lie together is cut into tiles of equal width: a channel, or the matrix.
  const uint32_t span_, span_tiles_, columns_, tiles_;
  // Tiles are copied together, a panel.
  const uint32_t panel_tiles_, panel_pitch_;
  size_t pitch_ = 0;               // from one term of right to the next
  std::vector<uint32_t> offsets_;  // of every term, for kernels that take them
  uint32_t* left_ = nullptr;
};

}  // namespace tputwin::fast
