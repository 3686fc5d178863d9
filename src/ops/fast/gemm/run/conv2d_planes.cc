// Convolutions as products of matrices.
#include "ops/fast/gemm/run/conv2d_planes.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/fast/gemm/geometry/plane_parts.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

class Convolution final : public PlaneConvolution {
 public:
  Convolution(PlaneSource& source, const Window& window, const TensorView& in, const Shape& out)
      : source_(source),
        in_(in),
        out_(out),
        insert_h_(window.h.insert + 1),
        insert_w_(window.w.insert + 1),
        dense_(dense_shape(in.shape, window)),
        window_(dense_window(window)),
        kernels_(tile_kernels()),
        parts_(window_, dense_, out, sizes()),
        cells_apart_(reads_beside() ? std::min(source.cells_apart(), source.cells()) : 0),
        plane_words_(parts_.plane_words()),
        blocks_(ceil_div(out.c, kernels_.rows)),
        apart_(std::min(blocks_, source.blocks_apart(kernels_.rows))) {}

  Declined declines() const {
    const bool too_large =
        plane_words_ * source_.cells() > kMaxCopiedCells || weight_count() > kMaxCopiedCells;
    return too_large ? kCopiesTooLarge : kRan;
  }

  // The convolution must not be declined.
  void prepare() {
    PlaneTerms terms{plane_words_, {}};
    for (uint32_t kh = 0; kh < window_.h.kernel; ++kh)
      for (uint32_t kw = 0; kw < window_.w.kernel; ++kw)
        terms.tap_offset.push_back(static_cast<uint32_t>(parts_.plane().offset(kh, kw)));
    source_.prepare(terms);
  }

  void pack(PlaneConstants& constants) override {
    source_.use(constants);
    constants.starts.resize(out_.c);
    constants.epilogues.resize(out_.c);
    constants.scales.resize(blocks_);
    constants.exponents.forget();
    const uint64_t bytes = source_.weight_bytes(), rows = kernels_.rows;
    auto* weights = constants.weights.take<uint8_t>(weight_count() * bytes);
    if (source_.pack_weights(kernels_.rows, reinterpret_cast<uint32_t*>(weights))) return;
    parallel_for(blocks_, grain(source_.terms() * rows), [&](size_t begin, size_t end) {
      for (size_t block = begin; block < end; ++block) {
        const uint32_t count = channels(block);
        source_.pack_rows(first_channel(block), count,
                          source_.has_whole_rows() ? kernels_.rows : count,
                          weights + block * rows * source_.terms() * bytes);
      }
    });
  }

  void run(PlaneConstants& constants) override {
    source_.use(constants);
    weights_ = constants.weights.take<uint8_t>(weight_count() * source_.weight_bytes());
    run_packed();
  }

  // Calls pack() and run() for constants that are used once.
  void run_once(PlaneConstants& constants) {
    if (!packs_late()) {
      pack(constants);
      return run(constants);
    }
    source_.use(constants);
    constants.starts.resize(out_.c);
    run_packed();
  }

 private:
  void run_packed() {
    source_.begin();
    if (parts_.are_bands()) return run_bands();
    for (size_t i = 0; i < parts_.count(); ++i) convolve(parts_.part(i));
  }

  PlaneParts::Sizes sizes() const {
    const uint32_t vectors = source_.vectors(kernels_, std::min(kernels_.rows, out_.c));
    return {.cells = source_.cells(),
            .lanes = kernels_.lanes,
            .columns = vectors * kernels_.lanes,
            .allows_bands = source_.allows_bands() && insert_h_ * insert_w_ == 1};
  }

  // Returns true if the outer loop goes over weights. The larger operand is walked once: a piece of
  // it stays in the cache while the other streams.
  bool weights_are_outside() const {
    return uint64_t{source_.terms()} * out_.c > plane_words_ * source_.cells();
  }

  // Returns true if weights are packed by the tasks that read them. Each panel is packed once and
  // is still in the task's cache.
  bool packs_late() const {
    const auto threads = static_cast<uint32_t>(thread_count());
    return weights_are_outside() && parts_.count() == 1 &&
           apart_ >= (threads == 1 ? 1 : 2 * threads);
  }

  struct Planes {
    PlanePart part;
    const WindowPlane& plane;
    uint32_t* words;
  };
  // The last tile reads whole vectors.
  uint32_t* take_planes() const {
    thread_local Scratch planes;
    return planes.take<uint32_t>(plane_words_ * source_.cells() + 2 * kTilePitch);
  }

  void convolve(const PlanePart& part) {
    const Planes planes{part, parts_.plane(), take_planes()};
    const size_t pieces = pieces_of(part);
    const uint64_t words = plane_words_ * source_.cells();
    parallel_for(pieces, grain(words / pieces), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) lay_out_piece(planes, i);
    });
    source_.laid_out(planes.words);
    const TileRuns runs = parts_.runs_of(part);
    const uint64_t work =
        uint64_t{source_.terms()} * kernels_.rows * std::min(runs.length, runs.columns);
    if (weights_ == nullptr)
      return parallel_for(apart_, grain(work * runs.all_tiles * ceil_div(blocks_, apart_)),
                          [&](size_t begin, size_t end) {
                            const ScopedFloatMode mode;
                            for (size_t i = begin; i < end; ++i) run_late(planes, runs, i);
                          });
    parallel_for(runs.all_tiles * blocks_, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      run_tiles(planes, runs, begin, end);
    });
  }

  // Runs each part on one thread while its planes are in the cache.
  void run_bands() {
    parallel_for(parts_.count(), 1, [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i) {
        const PlanePart part = parts_.part(i);
        const WindowPlane plane = parts_.plane_of(part);
        const Planes planes{part, plane, take_planes()};
        for (size_t piece = 0; piece < pieces_of(part); ++piece) lay_out_piece(planes, piece);
        const TileRuns runs = parts_.runs_of(part);
        run_tiles(planes, runs, 0, runs.all_tiles * blocks_);
      }
    });
  }

  // Runs the tiles of panels with numbers [begin, end).
  void run_tiles(const Planes& planes, const TileRuns& runs, size_t begin, size_t end) const {
    const bool weights_outside = weights_are_outside();
    Panel panel;
    TilePlace place;
    for (size_t i = begin; i < end; ++i) {
      take(panel, weights_outside ? i / runs.all_tiles : i % blocks_);
      parts_.find(place, planes.part, runs, weights_outside ? i % runs.all_tiles : i / blocks_);
      run_tile(planes, place, panel);
    }
  }

  // Packs the panels from `block` on that are packed together, and runs all their tiles.
  void run_late(const Planes& planes, const TileRuns& runs, size_t block) const {
    thread_local Scratch scratch;
    // a few cache lines more, so that equal terms of panels use different sets of the cache
    const uint64_t panel_words = uint64_t{kernels_.rows} * source_.terms() + kTilePitch;
    uint32_t* const panels = scratch.take<uint32_t>(panel_words * ceil_div(blocks_, apart_));
    source_.pack_panels(static_cast<uint32_t>(block), kernels_.rows, panel_words, panels);
    TilePlace place;
    for (Panel panel{block, panels}; panel.block < blocks_;
         panel.block += apart_, panel.weights += panel_words)
      for (uint64_t tile = 0; tile < runs.all_tiles; ++tile) {
        parts_.find(place, planes.part, runs, tile);
        run_tile(planes, place, panel);
      }
  }

  // Number of pieces that are laid out at a time. A piece is the plane of an image's cell, or the
  // planes of cells that are adjacent in memory.
  size_t pieces_of(const PlanePart& part) const {
    return cells_apart_ != 0 ? cells_apart_ : size_t{source_.cells()} * part.images;
  }
  void lay_out_piece(const Planes& planes, size_t piece) const {
    const auto number = static_cast<uint32_t>(piece), images = planes.part.images;
    if (cells_apart_ == 0) return lay_out(planes, number % images, number / images);
    for (uint32_t cell = number; cell < source_.cells(); cell += kCellsAtOnce * cells_apart_)
      lay_out_beside(planes, cell);
  }

  // Returns true if each element of a row is in a cache line of its own, while cells are adjacent.
  bool reads_beside() const {
    const Axis point;
    constexpr uint32_t kLine = 64;
    return window_.h == point && window_.w == point && in_.shape.h == 1 && parts_.images() == 1 &&
           in_.stride.w >= kLine && source_.cells_apart() != 0;
  }
  // Lays out a row of adjacent cells, so that cache lines are read in the order of memory.
  static constexpr uint32_t kCellsAtOnce = 16;
  void lay_out_beside(const Planes& planes, uint32_t first) const {
    std::array<const uint8_t*, kCellsAtOnce> from{};
    std::array<uint32_t*, kCellsAtOnce> to{};
    uint32_t count = 0;
    for (uint32_t cell = first; cell < source_.cells() && count < kCellsAtOnce;
         cell += cells_apart_, ++count) {
      from[count] = source_.words(planes.part.image, cell) + size_t{planes.part.x} * in_.stride.w;
      to[count] = planes.words + cell * plane_words_;
    }
    for (uint32_t x = 0; x < planes.part.columns; ++x)
      for (uint32_t i = 0; i < count; ++i)
        to[i][x] = Memory::load<uint32_t>(from[i] + size_t{x} * in_.stride.w);
  }

  void lay_out(const Planes& planes, uint32_t image, uint32_t cell) const {
    const uint32_t n = planes.part.image + image;
    auto* plane = reinterpret_cast<float*>(planes.words + cell * plane_words_);
    const float padding = f32::from_bits(source_.padding(cell));
    const bool inserts = insert_h_ * insert_w_ != 1;
    const uint8_t* words = inserts ? nullptr : source_.words(n, cell);
    if (words != nullptr) return planes.plane.lay_out(words, in_.stride, padding, plane, image);
    // rows overwrite what follows them; with several images that is another task's data
    if (!inserts && parts_.images() == 1 && planes.plane.keeps_rows())
      return planes.plane.lay_out_rows(padding, plane, [&](uint32_t y, uint32_t rows, float* to) {
        source_.read_rows(n, cell, y, rows, reinterpret_cast<uint32_t*>(to));
      });
    thread_local Scratch scratch;
    const uint64_t size = uint64_t{dense_.h} * dense_.w;
    uint32_t* dense = scratch.take<uint32_t>(size + in_.shape.w + 2 * kTilePitch);
    if (inserts)
      read_inserted(n, cell, dense, dense + size + kTilePitch);
    else
      source_.read_rows(n, cell, 0, in_.shape.h, dense);
    planes.plane.lay_out(reinterpret_cast<const uint8_t*>(dense), {.h = dense_.w * 4, .w = 4},
                         padding, plane, image);
  }

  void read_inserted(uint32_t n, uint32_t cell, uint32_t* dense, uint32_t* row) const {
    std::fill_n(dense, uint64_t{dense_.h} * dense_.w, source_.insertion(cell));
    for (uint32_t y = 0; y < in_.shape.h; ++y, dense += uint64_t{insert_h_} * dense_.w) {
      source_.read_rows(n, cell, y, 1, row);
      for (uint32_t x = 0; x < in_.shape.w; ++x) dense[x * insert_w_] = row[x];
    }
  }

  // The weights of a block as tiles read them.
  struct Panel {
    size_t block = SIZE_MAX;
    const uint32_t* weights = nullptr;
  };
  void take(Panel& panel, size_t block) const {
    if (panel.block == block) return;
    panel.block = block;
    const uint64_t first = uint64_t{first_channel(block)} * source_.terms();
    const uint8_t* const packed = weights_ + first * source_.weight_bytes();
    if (source_.weight_bytes() == sizeof(uint32_t)) {
      panel.weights = reinterpret_cast<const uint32_t*>(packed);
      return;
    }
    thread_local Scratch scratch;
    const size_t count = size_t{source_.terms()} * channels(block);
    uint32_t* wide = scratch.take<uint32_t>(count + kTilePitch);
    source_.widen_weights(packed, count, wide);
    panel.weights = wide;
  }

  void run_tile(const Planes& planes, const TilePlace& place, const Panel& panel) const {
    const std::span<const TileSegment> segments = place.segments();
    if (segments.empty()) return;  // only columns between two rows
    const TileSegment& last = segments.back();
    const uint32_t oc = first_channel(panel.block), rows = channels(panel.block);
    TileRoom room;
    const Tile tile{.left = panel.weights,
                    .right = planes.words + place.first,
                    .rows = source_.has_whole_rows() ? kernels_.rows : rows,
                    .vectors = ceil_div(last.column + last.count, kernels_.lanes),
                    .sums = room.sums};
    if (source_.makes_bytes()) return run_to_bytes(tile, segments, oc, rows);
    const auto for_results = [&](const auto& f) {
      for (uint32_t r = 0; r < rows; ++r)
        for (const TileSegment& s : segments)
          f(PlaneSource::Results{s.n, oc + r, s.y, s.x, s.count, room.row(r) + s.column,
                                 room.second_row(r) + s.column});
    };
    for_results([&](const PlaneSource::Results& results) { source_.start(results); });
    const bool in_doubt = source_.run(kernels_, tile, room, oc);
    for_results([&](const PlaneSource::Results& results) {
      source_.store(results, in_doubt);
      source_.copy(results.n, results.oc, results.y, results.x, results.count);
    });
  }

  void run_to_bytes(Tile tile, std::span<const TileSegment> segments, uint32_t oc,
                    uint32_t rows) const {
    alignas(64) uint8_t bytes[kMaxTileRows * kTilePitch];
    std::array<uint8_t*, kMaxTileRows> to;
    for (size_t r = 0; r < to.size(); ++r) to[r] = bytes + r * kTilePitch;
    const TileSegment &first = segments.front(), &last = segments.back();
    // whole vectors are written directly to the results
    const bool is_direct =
        segments.size() == 1 && first.column == 0 && first.count % kernels_.lanes == 0;
    if (is_direct)
      for (uint32_t r = 0; r < rows; ++r) to[r] = source_.result(first.n, oc + r, first.y, first.x);
    const auto leaves_sums = [&](const TileSegment& s) {
      return source_.leaves_sums({s.n, oc, s.y, s.x, s.count, nullptr, nullptr}, rows);
    };
    const bool leaves = std::ranges::any_of(segments, leaves_sums);
    uint32_t* const sums = std::exchange(tile.sums, leaves ? tile.sums : nullptr);
    source_.run_to_bytes(kernels_, tile, last.column + last.count, oc, to.data());
    for (uint32_t r = 0; r < rows; ++r)
      for (const TileSegment& s : segments) {
        if (leaves)
          source_.leave_sums(
              {s.n, oc + r, s.y, s.x, s.count, sums + r * kTilePitch + s.column, nullptr});
        if (!is_direct)
          copy_bytes(source_.result(s.n, oc + r, s.y, s.x), to[r] + s.column, s.count);
        source_.copy(s.n, oc + r, s.y, s.x, s.count);
      }
  }

  uint32_t first_channel(size_t block) const {
    return static_cast<uint32_t>(block) * kernels_.rows;
  }
  uint32_t channels(size_t block) const {
    return std::min(kernels_.rows, out_.c - first_channel(block));
  }
  uint64_t weight_count() const { return uint64_t{source_.terms()} * blocks_ * kernels_.rows; }
  static size_t grain(uint64_t work) { return grain_of(work, kTermsPerTask); }

  PlaneSource& source_;
  const TensorView& in_;
  const Shape out_;
  const uint32_t insert_h_, insert_w_;  // distance of rows and columns of the input
  const Shape dense_;                   // the input with inserted rows and columns
  const Window window_;
  const TileKernels kernels_;
  const PlaneParts parts_;
  // step of cells that are laid out together; 0: none
  const uint32_t cells_apart_;
  const uint64_t plane_words_;
  const uint32_t blocks_;             // blocks of output channels
  const uint32_t apart_;              // step of blocks that are packed together
  const uint8_t* weights_ = nullptr;  // null: packed by the tasks that read them
};

Declined window_declines(const Window& window, const TensorView& in, const Shape& out) {
  if (window.pads != PadMode::constant) return "the padding is elements";
  const Shape dense = dense_shape(in.shape, window);
  if (!window_covered(dense_window(window), dense, out)) return "a window that is not laid out";
  if (dense_window(window).w.output(dense.w) != out.w) return "results are in index order";
  if (uint64_t{dense.h} * dense.w > kMaxCopiedCells ||
      WindowPlane(dense_window(window), dense, out).floats() > kMaxCopiedCells)
    return kCopiesTooLarge;
  return kRan;
}

}  // namespace

void PlaneSource::pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) {
  thread_local Scratch scratch;
  const uint32_t all = terms();
  uint32_t* rows = scratch.take<uint32_t>(uint64_t{all} * step + kTilePitch);
  for (uint32_t r = 0; r < count; ++r) read_weights(oc + r, rows + uint64_t{r} * all);
  std::fill_n(rows + uint64_t{count} * all, uint64_t{step - count} * all, 0u);
  transpose(sizeof *rows, to, step * sizeof *rows, reinterpret_cast<const uint8_t*>(rows),
            all * sizeof *rows, step, all);
}

Declined convolve(PlaneSource& source, const Window& window, const TensorView& in,
                  const Shape& out) {
  if (const Declined why = window_declines(window, in, out)) return why;
  Convolution convolution(source, window, in, out);
  if (const Declined why = convolution.declines()) return why;
  convolution.prepare();
  thread_local PlaneConstants constants;
  convolution.run_once(constants);
  return kRan;
}

std::unique_ptr<PlaneConvolution> prepare_convolution(PlaneSource& source, const Window& window,
                                                      const TensorView& in, const Shape& out) {
  if (window_declines(window, in, out) != kRan) return nullptr;
  auto convolution = std::make_unique<Convolution>(source, window, in, out);
  if (convolution->declines() != kRan) return nullptr;
  convolution->prepare();
  return convolution;
}

}  // namespace tputwin::fast
