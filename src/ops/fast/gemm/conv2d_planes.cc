// Convolutions as products of matrices.
#include "ops/fast/gemm/conv2d_planes.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

// Results of one row of an output plane that lie in a tile.
struct Segment {
  uint32_t column, n, y, x, count;
};

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
        part_(part_at_once()),
        plane_(plane_of(part_)),
        // planes of an odd number of cache lines do not crowd into the same sets of the cache
        plane_words_((ceil_div(plane_.floats() + kTilePitch, uint64_t{16}) | 1) * 16),
        blocks_(ceil_div(out.c, kernels_.rows)),
        apart_(std::min(blocks_, source.blocks_apart(kernels_.rows))),
        stacked_(stacks()) {}

  Declined declines() const {
    const bool too_large =
        plane_words_ * source_.cells() > kMaxCopiedCells || weight_count() > kMaxCopiedCells;
    return too_large ? kCopiesTooLarge : kRan;
  }

  // Of a convolution that is not declined.
  void prepare() {
    PlaneTerms terms{plane_words_, {}};
    for (uint32_t kh = 0; kh < window_.h.kernel; ++kh)
      for (uint32_t kw = 0; kw < window_.w.kernel; ++kw)
        terms.tap_offset.push_back(static_cast<uint32_t>(plane_.offset(kh, kw)));
    source_.prepare(terms);
  }

  void pack(PlaneConstants& constants) override {
    source_.use(constants);
    constants.starts.resize(out_.c);
    constants.endings.resize(out_.c);
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

  // pack() and run(), of constants that nobody keeps.
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
    if (is_in_bands()) return run_bands();
    Part part = part_;
    for (; part.image < out_.n; part.image += part_.images) {
      part.images = std::min(part_.images, out_.n - part.image);
      convolve(part);
    }
  }

  // Results whose planes are laid out together: those of some images, or some of one.
  struct Part {
    uint32_t image = 0, images = 1, y = 0, x = 0, rows = 0, columns = 0;
  };
  WindowPlane plane_of(const Part& part) const {
    const Shape results{part.images, out_.c, part.rows, part.columns};
    return {window_, dense_, results, part.images, part.y, part.x};
  }
  bool allows_bands() const { return source_.allows_bands() && insert_h_ * insert_w_ == 1; }

  Part part_at_once() const {
    Part part{.rows = out_.h, .columns = out_.w};
    const uint64_t one = plane_of(part).floats() * source_.cells();
    const uint64_t most = allows_bands() ? budgets().band : budgets().copies;
    part.images = static_cast<uint32_t>(std::clamp<uint64_t>(most / one, 1, uint64_t{out_.n}));
    if (!allows_bands() || one <= most) return part;
    // as many for every thread
    auto bands = static_cast<uint32_t>(ceil_div(one, most));
    if (out_.n == 1) bands = align_up(bands, static_cast<uint32_t>(thread_count()));
    const auto share = [&](uint32_t count) { return ceil_div(count, std::min(count, bands)); };
    if (out_.h > 1)
      part.rows = share(out_.h);
    else
      part.columns = std::min(out_.w, align_up(share(out_.w), columns_at_most()));
    return part;
  }
  uint32_t row_bands() const { return ceil_div(out_.h, part_.rows); }
  uint32_t column_bands() const { return ceil_div(out_.w, part_.columns); }
  bool is_in_bands() const {
    return allows_bands() && (part_.images < out_.n || row_bands() * column_bands() > 1);
  }
  Part part_of(size_t number) const {
    const uint32_t bands = row_bands() * column_bands();
    const auto group = static_cast<uint32_t>(number) / bands,
               band = static_cast<uint32_t>(number) % bands;
    Part part{.image = group * part_.images,
              .y = band / column_bands() * part_.rows,
              .x = band % column_bands() * part_.columns};
    part.images = std::min(part_.images, out_.n - part.image);
    part.rows = std::min(part_.rows, out_.h - part.y);
    part.columns = std::min(part_.columns, out_.w - part.x);
    return part;
  }

  // Whether the images are one run of columns; else each is one, as too many columns between them
  // belong to no result.
  bool stacks() const {
    const uint64_t lanes = kernels_.lanes;
    return align_up(plane_.image() * (part_.images - 1) + plane_.extent(), lanes) <=
           align_up(plane_.extent(), lanes) * part_.images;
  }

  // The larger operand is walked once: a piece of it stays in the cache while the other streams.
  bool weights_are_outside() const {
    return uint64_t{source_.terms()} * out_.c > plane_words_ * source_.cells();
  }

  // Whether weights are packed by the tasks that read them, each panel once, so that it still is in
  // their cache.
  bool packs_late() const {
    const auto threads = static_cast<uint32_t>(thread_count());
    return weights_are_outside() && !is_in_bands() && part_.images == out_.n &&
           apart_ >= (threads == 1 ? 1 : 2 * threads);
  }

  // The planes of a part.
  struct Planes {
    Part part;
    const WindowPlane& plane;
    uint32_t* words;
  };
  // At most `count` columns of a run of `length`, which begins at `start` of the planes.
  struct Columns {
    uint64_t start, first, length, count;
  };
  // What columns of tiles are cut out of: runs of equal length, into tiles of equal width.
  struct Runs {
    uint64_t length, tiles, columns, all;
  };
  uint32_t columns_at_most() const {
    return source_.vectors(kernels_, std::min(kernels_.rows, out_.c)) * kernels_.lanes;
  }
  Runs runs_of(const Part& part) const {
    const uint64_t extent = uint64_t{part.rows - 1} * plane_.pitch() + part.columns;
    const uint64_t length = extent + (stacked_ ? (part.images - 1) * plane_.image() : 0);
    const uint64_t least = ceil_div(length, uint64_t{columns_at_most()});
    const uint64_t columns = align_up(ceil_div(length, least), uint64_t{kernels_.lanes});
    const uint64_t tiles = ceil_div(length, columns);
    return {length, tiles, columns, tiles * (stacked_ ? 1 : part.images)};
  }
  Columns columns_of(const Runs& runs, uint64_t tile) const {
    return {tile / runs.tiles * plane_.image(), tile % runs.tiles * runs.columns, runs.length,
            runs.columns};
  }
  // The last tile reads whole vectors.
  uint32_t* take_planes() const {
    thread_local Scratch planes;
    return planes.take<uint32_t>(plane_words_ * source_.cells() + 2 * kTilePitch);
  }

  void convolve(const Part& part) {
    const Planes planes{part, plane_, take_planes()};
    const uint64_t laid_out = uint64_t{source_.cells()} * part.images;
    parallel_for(laid_out, grain(plane_words_ / part.images), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        lay_out(planes, static_cast<uint32_t>(i % part.images),
                static_cast<uint32_t>(i / part.images));
    });
    source_.laid_out(planes.words);
    const Runs runs = runs_of(part);
    const uint64_t work =
        uint64_t{source_.terms()} * kernels_.rows * std::min(runs.length, runs.columns);
    if (weights_ == nullptr)
      return parallel_for(apart_, grain(work * runs.all * ceil_div(blocks_, apart_)),
                          [&](size_t begin, size_t end) {
                            const ScopedFloatMode mode;
                            for (size_t i = begin; i < end; ++i) run_late(planes, runs, i);
                          });
    parallel_for(runs.all * blocks_, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      run_tiles(planes, runs, begin, end);
    });
  }

  // Each part by one thread, as long as its planes are in the cache.
  void run_bands() {
    const size_t parts = size_t{ceil_div(out_.n, part_.images)} * row_bands() * column_bands();
    parallel_for(parts, 1, [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i) {
        const Part part = part_of(i);
        Part whole = part_;  // planes of the last part, too, are laid out as those of all others
        whole.y = part.y, whole.x = part.x;
        const WindowPlane plane = plane_of(whole);
        const Planes planes{part, plane, take_planes()};
        for (uint32_t cell = 0; cell < source_.cells(); ++cell)
          for (uint32_t image = 0; image < part.images; ++image) lay_out(planes, image, cell);
        const Runs runs = runs_of(part);
        run_tiles(planes, runs, 0, runs.all * blocks_);
      }
    });
  }

  // Tiles of panels, by number.
  void run_tiles(const Planes& planes, const Runs& runs, size_t begin, size_t end) const {
    const bool weights_outside = weights_are_outside();
    Panel panel;
    for (size_t i = begin; i < end; ++i) {
      take(panel, weights_outside ? i / runs.all : i % blocks_);
      run_tile(planes, columns_of(runs, weights_outside ? i % runs.all : i / blocks_), panel);
    }
  }

  // All tiles of panels that are packed together.
  void run_late(const Planes& planes, const Runs& runs, size_t block) const {
    thread_local Scratch scratch;
    const uint64_t panel_words = uint64_t{kernels_.rows} * source_.terms();
    uint32_t* const panels = scratch.take<uint32_t>(panel_words * ceil_div(blocks_, apart_));
    source_.pack_panels(static_cast<uint32_t>(block), kernels_.rows, panels);
    for (Panel panel{block, panels}; panel.block < blocks_;
         panel.block += apart_, panel.weights += panel_words)
      for (uint64_t tile = 0; tile < runs.all; ++tile)
        run_tile(planes, columns_of(runs, tile), panel);
  }

  void lay_out(const Planes& planes, uint32_t image, uint32_t cell) const {
    const uint32_t n = planes.part.image + image;
    auto* plane = reinterpret_cast<float*>(planes.words + cell * plane_words_);
    const float padding = f32::from_bits(source_.padding(cell));
    const bool inserts = insert_h_ * insert_w_ != 1;
    const uint8_t* words = inserts ? nullptr : source_.words(n, cell);
    if (words != nullptr) return planes.plane.lay_out(words, in_.stride, padding, plane, image);
    // rows write over what comes behind them, which of several images is another's
    if (!inserts && part_.images == 1 && plane_.keeps_rows())
      return plane_.lay_out_rows(padding, plane, [&](uint32_t y, uint32_t rows, float* to) {
        source_.read_rows(n, cell, y, rows, reinterpret_cast<uint32_t*>(to));
      });
    thread_local Scratch scratch;
    const uint64_t size = uint64_t{dense_.h} * dense_.w;
    uint32_t* dense = scratch.take<uint32_t>(size + in_.shape.w + 2 * kTilePitch);
    if (inserts)
      read_inserted(n, cell, dense, dense + size + kTilePitch);
    else
      source_.read_rows(n, cell, 0, in_.shape.h, dense);
    plane_.lay_out(reinterpret_cast<const uint8_t*>(dense), {.h = dense_.w * 4, .w = 4}, padding,
                   plane, image);
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

  void run_tile(const Planes& planes, const Columns& columns, const Panel& panel) const {
    const size_t block = panel.block;
    std::array<Segment, kTilePitch> found;
    const std::span<const Segment> segments = segments_of(planes.part, columns, found);
    if (segments.empty()) return;  // nothing but columns between two rows
    const Segment& last = segments.back();
    const uint32_t oc = first_channel(block), rows = channels(block);
    TileRoom room;
    const Tile tile{.left = panel.weights,
                    .right = planes.words + columns.start + columns.first,
                    .rows = source_.has_whole_rows() ? kernels_.rows : rows,
                    .vectors = ceil_div(last.column + last.count, kernels_.lanes),
                    .sums = room.sums};
    if (source_.makes_bytes()) return run_to_bytes(tile, segments, oc, rows);
    const auto for_results = [&](const auto& f) {
      for (uint32_t r = 0; r < rows; ++r)
        for (const Segment& s : segments)
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

  void run_to_bytes(Tile tile, std::span<const Segment> segments, uint32_t oc,
                    uint32_t rows) const {
    alignas(64) uint8_t bytes[kMaxTileRows * kTilePitch];
    std::array<uint8_t*, kMaxTileRows> to;
    for (size_t r = 0; r < to.size(); ++r) to[r] = bytes + r * kTilePitch;
    const Segment &first = segments.front(), &last = segments.back();
    // whole vectors go to where they belong
    const bool is_direct =
        segments.size() == 1 && first.column == 0 && first.count % kernels_.lanes == 0;
    if (is_direct)
      for (uint32_t r = 0; r < rows; ++r) to[r] = source_.result(first.n, oc + r, first.y, first.x);
    const auto leaves_sums = [&](const Segment& s) {
      return source_.leaves_sums({s.n, oc, s.y, s.x, s.count, nullptr, nullptr}, rows);
    };
    const bool leaves = std::ranges::any_of(segments, leaves_sums);
    uint32_t* const sums = std::exchange(tile.sums, leaves ? tile.sums : nullptr);
    source_.run_to_bytes(kernels_, tile, last.column + last.count, oc, to.data());
    for (uint32_t r = 0; r < rows; ++r)
      for (const Segment& s : segments) {
        if (leaves)
          source_.leave_sums(
              {s.n, oc + r, s.y, s.x, s.count, sums + r * kTilePitch + s.column, nullptr});
        if (!is_direct)
          copy_bytes(source_.result(s.n, oc + r, s.y, s.x), to[r] + s.column, s.count);
        source_.copy(s.n, oc + r, s.y, s.x, s.count);
      }
  }

  std::span<const Segment> segments_of(const Part& part, const Columns& columns,
                                       std::array<Segment, kTilePitch>& room) const {
    // divisions of 32 bits take half the time
    const auto pitch = static_cast<uint32_t>(plane_.pitch());
    const auto image = static_cast<uint32_t>(plane_.image());
    const auto from = static_cast<uint32_t>(columns.start + columns.first);
    const auto end = static_cast<uint32_t>(columns.start +
                                           std::min(columns.first + columns.count, columns.length));
    size_t count = 0;
    for (uint32_t at = from; at < end;) {
      const uint32_t n = at / image, in_image = at - n * image;
      const uint32_t y = in_image / pitch, x = in_image - y * pitch;
      if (x < part.columns && y < part.rows)
        room[count++] = {at - from, part.image + n, part.y + y, part.x + x,
                         std::min(part.columns - x, end - at)};
      at += pitch - x;
    }
    return {room.data(), count};
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
  const uint32_t insert_h_, insert_w_;  // from one row or column of the input to the next
  const Shape dense_;                   // of the input with inserted rows and columns
  const Window window_;
  const TileKernels kernels_;
  const Part part_;  // in planes at a time: the first one
  const WindowPlane plane_;
  const uint64_t plane_words_;
  const uint32_t blocks_;  // of output channels
  const uint32_t apart_;   // those whose panels are packed together
  const bool stacked_;
  const uint8_t* weights_ = nullptr;  // null: they are packed late
};

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

namespace {

Declined window_declines(const Window& window, const TensorView& in, const Shape& out) {
  if (window.pads != PadMode::constant) return "the padding is elements";
  const Shape dense = dense_shape(in.shape, window);
  if (!window_covered(dense_window(window), dense, out)) return "a window that is not laid out";
  if (uint64_t{dense.h} * dense.w > kMaxCopiedCells ||
      WindowPlane(dense_window(window), dense, out).floats() > kMaxCopiedCells)
    return kCopiesTooLarge;
  return kRan;
}

}  // namespace

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
