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
        images_(images_at_once()),
        plane_(window_, dense_, out, images_),
        // planes of an odd number of cache lines do not crowd into the same sets of the cache
        plane_words_((ceil_div(plane_.floats() + kTilePitch, uint64_t{16}) | 1) * 16),
        blocks_(ceil_div(out.c, kernels_.rows)),
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
    source_.begin();
    weights_ = constants.weights.take<uint8_t>(weight_count() * source_.weight_bytes());
    thread_local Scratch planes;
    // the last tile reads whole vectors
    planes_ = planes.take<uint32_t>(plane_words_ * source_.cells() + 2 * kTilePitch);
    for (uint32_t first = 0; first < out_.n; first += images_)
      convolve_images(first, std::min(images_, out_.n - first));
  }

 private:
  // Images in the planes at a time.
  uint32_t images_at_once() const {
    const uint64_t one = WindowPlane(window_, dense_, out_).floats() * source_.cells();
    return static_cast<uint32_t>(std::clamp<uint64_t>(budgets().copies / one, 1, uint64_t{out_.n}));
  }

  // Whether the images are one run of columns; else each is one, as too many columns between them
  // belong to no result.
  bool stacks() const {
    const uint64_t lanes = kernels_.lanes;
    return align_up(plane_.image() * (images_ - 1) + plane_.extent(), lanes) <=
           align_up(plane_.extent(), lanes) * images_;
  }

  void convolve_images(uint32_t first, uint32_t images) {
    const uint64_t laid_out = uint64_t{source_.cells()} * images;
    parallel_for(laid_out, grain(plane_words_ / images), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        lay_out(first, static_cast<uint32_t>(i % images), static_cast<uint32_t>(i / images));
    });
    source_.laid_out(planes_);
    const uint64_t runs = stacked_ ? 1 : images;
    const uint64_t length = plane_.extent() + (stacked_ ? (images - 1) * plane_.image() : 0);
    const uint64_t tiles = ceil_div(length, uint64_t{kernels_.columns()});
    // the larger operand is walked once: a piece of it stays in the cache while the other streams
    const bool weights_outside =
        uint64_t{source_.terms()} * out_.c > plane_words_ * source_.cells();
    const uint64_t all = runs * tiles, work = uint64_t{source_.terms()} * kernels_.rows *
                                              std::min<uint64_t>(length, kernels_.columns());
    parallel_for(all * blocks_, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      Panel panel;
      for (size_t i = begin; i < end; ++i) {
        const size_t tile = weights_outside ? i % all : i / blocks_;
        const uint64_t start = tile / tiles * plane_.image();
        const uint64_t column = tile % tiles * kernels_.columns();
        take(panel, weights_outside ? i / all : i % blocks_);
        run_tile(first, {start, column, length}, panel);
      }
    });
  }

  void lay_out(uint32_t first, uint32_t image, uint32_t cell) const {
    const uint32_t n = first + image;
    auto* plane = reinterpret_cast<float*>(planes_ + cell * plane_words_);
    const float padding = f32::from_bits(source_.padding(cell));
    const bool inserts = insert_h_ * insert_w_ != 1;
    const uint8_t* words = inserts ? nullptr : source_.words(n, cell);
    if (words != nullptr) return plane_.lay_out(words, in_.stride, padding, plane, image);
    // rows write over what comes behind them, which of several images is another's
    if (!inserts && images_ == 1 && plane_.keeps_rows())
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

  // Some columns of a run of `length`, which begins at `start` of the planes.
  struct Columns {
    uint64_t start, first, length;
  };

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

  void run_tile(uint32_t first_image, const Columns& columns, const Panel& panel) const {
    const size_t block = panel.block;
    std::array<Segment, kTilePitch> found;
    const std::span<const Segment> segments = segments_of(first_image, columns, found);
    if (segments.empty()) return;  // nothing but columns between two rows
    const Segment& last = segments.back();
    const uint32_t oc = first_channel(block), rows = channels(block);
    TileRoom room;
    const Tile tile{.left = panel.weights,
                    .right = planes_ + columns.start + columns.first,
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

  std::span<const Segment> segments_of(uint32_t first_image, const Columns& columns,
                                       std::array<Segment, kTilePitch>& room) const {
    // divisions of 32 bits take half the time
    const auto pitch = static_cast<uint32_t>(plane_.pitch());
    const auto image = static_cast<uint32_t>(plane_.image());
    const auto from = static_cast<uint32_t>(columns.start + columns.first);
    const auto end = static_cast<uint32_t>(
        columns.start + std::min(columns.first + kernels_.columns(), columns.length));
    size_t count = 0;
    for (uint32_t at = from; at < end;) {
      const uint32_t n = at / image, in_image = at - n * image;
      const uint32_t y = in_image / pitch, x = in_image - y * pitch;
      if (x < out_.w && y < out_.h)
        room[count++] = {at - from, first_image + n, y, x, std::min(out_.w - x, end - at)};
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
  const uint32_t images_;  // in planes at a time
  const WindowPlane plane_;
  const uint64_t plane_words_;
  const uint32_t blocks_;  // of output channels
  const bool stacked_;
  const uint8_t* weights_ = nullptr;
  uint32_t* planes_ = nullptr;
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
  convolution.pack(constants);
  convolution.run(constants);
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
