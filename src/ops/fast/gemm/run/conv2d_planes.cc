// Convolutions as products of matrices.
#include "ops/fast/gemm/run/conv2d_planes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/tile_scope.h"
#include "ops/fast/gemm/geometry/channel_blocks.h"
#include "ops/fast/gemm/packing/plane_layout.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

class Convolution final : public PlaneConvolution {
 public:
  Convolution(const ConvolutionParts& parts, const Window& window, const TensorView& in,
              const Shape& out)
      : input_(parts.input),
        weights_(parts.weights),
        products_(parts.products),
        results_(parts.results),
        restorer_(parts.restorer),
        tile_depth_(parts.tile_depth),
        kernels_(tile_kernels()),
        blocks_{out.c, kernels_.rows},
        layout_(input_, window, in, out, tile_width(out.c)),
        late_step_(late_step()) {}

  Declined declines() const {
    const bool too_large = layout_.words() > kMaxCopiedCells || weight_count() > kMaxCopiedCells;
    return too_large ? kCopiesTooLarge : kRan;
  }

  // The convolution must not be declined.
  void prepare() { products_.prepare(layout_.terms()); }

  void pack(PlaneConstants& constants) override {
    pack_to(constants.weights.renew(weight_bytes()), constants);
    constants.weights.intern();
  }

  void run(PlaneConstants& constants) override {
    run_packed({constants, constants.weights.data()});
  }

  // Calls pack() and run() for constants that are used once.
  void run_once(PlaneConstants& constants) {
    if (!packs_late()) {
      uint8_t* const weights = constants.passing_weights.take<uint8_t>(weight_bytes());
      pack_to(weights, constants);
      return run_packed({constants, weights});
    }
    constants.starts.resize(blocks_.channels);
    run_packed({constants, nullptr});
  }

 private:
  // The constants of a run. Weights are null if they are packed by the tasks that read them.
  struct Packed {
    PlaneConstants& constants;
    const uint8_t* weights;
  };

  void pack_to(uint8_t* weights, PlaneConstants& constants) const {
    constants.starts.resize(blocks_.channels);
    constants.epilogues.resize(blocks_.channels);
    constants.scales.resize(blocks_.count());
    constants.exponents.forget();
    weights_.pack(blocks_, weights, constants);
  }

  void run_packed(const Packed& packed) {
    restorer_.begin_run();
    input_.begin_run();
    products_.begin_run(packed.constants);
    byte_tiles_ = products_.byte_tiles();
    if (byte_tiles_ != nullptr) results_.find_planes();
    if (parts().are_bands()) return run_bands(packed);
    for (size_t i = 0; i < parts().count(); ++i) convolve(packed, parts().part(i));
  }

  const PlaneParts& parts() const { return layout_.parts(); }

  PlaneLayout::TileWidth tile_width(uint32_t channels) const {
    const uint32_t vectors = products_.vectors(kernels_, std::min(kernels_.rows, channels));
    return {kernels_.vector_elements, vectors * kernels_.vector_elements};
  }

  uint32_t late_step() const {
    const LatePanels* const panels = weights_.late_panels();
    return panels == nullptr ? 0 : std::min(blocks_.count(), panels->step(kernels_.rows));
  }

  // Returns true if the outer loop goes over weights. The larger operand is walked once: a piece of
  // it stays in the cache while the other streams.
  bool weights_are_outside() const {
    return uint64_t{weights_.terms()} * blocks_.channels > layout_.words();
  }

  // Returns true if weights are packed by the tasks that read them. Each panel is packed once and
  // is still in the task's cache.
  bool packs_late() const {
    const auto threads = static_cast<uint32_t>(thread_count());
    return weights_are_outside() && parts().count() == 1 &&
           late_step_ >= (threads == 1 ? 1 : 2 * threads);
  }

  void convolve(const Packed& packed, const PlanePart& part) {
    const Planes planes{part, parts().plane(), layout_.take_buffer()};
    const size_t pieces = layout_.pieces_of(part);
    const uint64_t cells_per_task = task_of(8 << 10, 256 << 10);
    parallel_for(pieces, grain_of(layout_.words() / pieces, cells_per_task),
                 [&](size_t begin, size_t end) {
                   for (size_t i = begin; i < end; ++i) layout_.lay_out(planes, i);
                 });
    products_.laid_out(planes.words, packed.constants);
    const TileRuns runs = parts().runs_of(part);
    const uint64_t work =
        uint64_t{weights_.terms()} * kernels_.rows * std::min(runs.length, runs.columns);
    if (packed.weights == nullptr)
      return parallel_for(late_step_, grain(work * runs.all_tiles * late_panels()),
                          [&](size_t begin, size_t end) {
                            const ScopedFloatMode mode;
                            for (size_t i = begin; i < end; ++i)
                              run_late(packed.constants, planes, runs, i);
                          });
    parallel_for(runs.all_tiles * blocks_.count(), grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      run_tiles(packed, planes, runs, begin, end);
    });
  }

  // Runs each part on one thread while its planes are in the cache.
  void run_bands(const Packed& packed) {
    parallel_for(parts().count(), 1, [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i) {
        const PlanePart part = parts().part(i);
        const WindowPlane plane = parts().plane_of(part);
        const Planes planes{part, plane, layout_.take_buffer()};
        for (size_t piece = 0; piece < layout_.pieces_of(part); ++piece)
          layout_.lay_out(planes, piece);
        const TileRuns runs = parts().runs_of(part);
        run_tiles(packed, planes, runs, 0, runs.all_tiles * blocks_.count());
      }
    });
  }

  // Runs the tiles of panels with numbers [begin, end).
  void run_tiles(const Packed& packed, const Planes& planes, const TileRuns& runs, size_t begin,
                 size_t end) const {
    const bool weights_outside = weights_are_outside();
    const uint32_t blocks = blocks_.count();
    const TileScope tiles(kernels_.rows, tile_depth_);
    Panel panel;
    TilePlace place;
    for (size_t i = begin; i < end; ++i) {
      take(panel, packed, weights_outside ? i / runs.all_tiles : i % blocks);
      parts().find(place, planes.part, runs, weights_outside ? i % runs.all_tiles : i / blocks);
      run_tile(packed.constants, planes, place, panel);
    }
  }

  // Returns the number of panels that a task packs.
  uint32_t late_panels() const { return ceil_div(blocks_.count(), late_step_); }

  // Packs the panels from `block` on that are packed together, and runs all their tiles.
  void run_late(PlaneConstants& constants, const Planes& planes, const TileRuns& runs,
                size_t block) const {
    thread_local Scratch scratch;
    // A few cache lines follow each panel, so that equal terms use different sets of the cache.
    const uint64_t panel_cells = uint64_t{kernels_.rows} * weights_.terms() + kTilePitch;
    uint32_t* const panels = scratch.take<uint32_t>(panel_cells * late_panels());
    weights_.late_panels()->pack_panels(static_cast<uint32_t>(block), kernels_.rows, panel_cells,
                                        panels, constants);
    TilePlace place;
    for (Panel panel{block, panels}; panel.block < blocks_.count();
         panel.block += late_step_, panel.weights += panel_cells)
      for (uint64_t tile = 0; tile < runs.all_tiles; ++tile) {
        parts().find(place, planes.part, runs, tile);
        run_tile(constants, planes, place, panel);
      }
  }

  // The weights of a block as tiles read them.
  struct Panel {
    size_t block = SIZE_MAX;
    const uint32_t* weights = nullptr;
    const uint8_t* later = nullptr;  // see Tile
  };
  void take(Panel& panel, const Packed& packed, size_t block) const {
    if (panel.block == block) return;
    panel.block = block;
    const uint64_t first = uint64_t{blocks_.first(block)} * weights_.terms();
    const uint8_t* const from = packed.weights + first * weights_.bytes();
    if (weights_.bytes() == sizeof(uint32_t)) {
      panel.weights = reinterpret_cast<const uint32_t*>(from);
      return;
    }
    thread_local Scratch scratch;
    const size_t count = size_t{weights_.terms()} * blocks_.size(block);
    uint32_t* wide = scratch.take<uint32_t>(count + kTilePitch);
    weights_.widen(from, count, wide);
    panel.weights = wide;
    panel.later = block + 1 < blocks_.count() ? from + count * weights_.bytes() : nullptr;
  }

  void run_tile(const PlaneConstants& constants, const Planes& planes, const TilePlace& place,
                const Panel& panel) const {
    const std::span<const TileSegment> segments = place.segments();
    if (segments.empty()) return;  // only columns between two rows
    const TileSegment& last = segments.back();
    const uint32_t oc = blocks_.first(panel.block), rows = blocks_.size(panel.block);
    TileBuffers buffers;
    Tile tile{.left = panel.weights,
              .right = planes.words + place.first,
              .rows = weights_.has_whole_rows() ? kernels_.rows : rows,
              .vectors = ceil_div(last.column + last.count, kernels_.vector_elements),
              .sums = buffers.sums,
              .later = panel.later};
    if (byte_tiles_ != nullptr) return run_to_bytes(constants, tile, place, oc, rows);
    const auto for_results = [&](const auto& f) {
      for (uint32_t r = 0; r < rows; ++r)
        for (const TileSegment& s : segments)
          f(ResultRun{s.n, oc + r, s.y, s.x, s.count, buffers.row(r) + s.column,
                      buffers.second_row(r) + s.column});
    };
    for_results([&](const ResultRun& results) { products_.start(results, constants); });
    const bool in_doubt = products_.run(tile, buffers, oc, constants);
    for_results([&](const ResultRun& results) {
      products_.store(results, in_doubt, constants);
      results_.copy(results.n, results.oc, results.y, results.x, results.count);
    });
  }

  // Runs a tile that converts its sums to bytes. The tile is changed and not copied: a copy would
  // load its fields together, which waits until all stores before it have reached the cache.
  void run_to_bytes(const PlaneConstants& constants, Tile& tile, const TilePlace& place,
                    uint32_t oc, uint32_t rows) const {
    const std::span<const TileSegment> segments = place.segments();
    const TileSegment &first = segments.front(), &last = segments.back();
    alignas(64) uint8_t bytes[kMaxTileRows * kTilePitch];
    std::array<uint8_t*, kMaxTileRows> to;
    // Results of one image are contiguous if its planes are whole.
    const bool is_direct = results_.has_whole_planes() && first.n == last.n;
    const size_t at = size_t{first.y} * results_.out().shape.w + first.x;
    for (uint32_t r = 0; r < rows; ++r)
      to[r] = is_direct ? results_.plane(first.n, oc + r) + at : bytes + r * kTilePitch;
    if (is_direct) prefetch_results(to.data(), rows, place);
    LiveOutRows sums;
    const bool has_live_out =
        byte_tiles_->has_live_out_sums() && find_places(place, oc, rows, tile.sums, sums);
    byte_tiles_->run(tile, last.column + last.count, oc, constants,
                     {rows, place.kept, to.data(), has_live_out ? sums.data() : nullptr});
    if (has_live_out) write_live_out_sums(constants, segments, tile.sums, sums, oc, rows);
    if (!is_direct || results_.copies())
      store_bytes(segments, is_direct ? nullptr : bytes, oc, rows);
  }

  // Where the live-out sums of a tile go, row by row: to local memory, or to rows of a buffer.
  using LiveOutRows = std::array<uint8_t*, kMaxTileRows>;

  // Finds the places of the sums of a tile. Returns false if none is live-out.
  bool find_places(const TilePlace& place, uint32_t oc, uint32_t rows, uint32_t* buffer,
                   LiveOutRows& to) const {
    const TileSegment &first = place.segments().front(), &last = place.segments().back();
    if (first.n == last.n) {
      const auto count = static_cast<uint32_t>(std::popcount(place.kept));
      return byte_tiles_->find_places({first.n, oc, first.y, first.x, count, buffer, nullptr}, rows,
                                      to.data());
    }
    for (uint32_t r = 0; r < rows; ++r) to[r] = reinterpret_cast<uint8_t*>(buffer + r * kTilePitch);
    LiveOutRows unused;
    return std::ranges::any_of(place.segments(), [&](const TileSegment& s) {
      return byte_tiles_->find_places({s.n, oc, s.y, s.x, s.count, buffer, nullptr}, rows,
                                      unused.data());
    });
  }

  // Asks for the lines of the results, which arrive while the tile is multiplied. Otherwise stores
  // wait for them, and later loads for the stores.
  static void prefetch_results(uint8_t* const* to, uint32_t rows, const TilePlace& place) {
    const auto count = static_cast<size_t>(std::popcount(place.kept));
    for (uint32_t r = 0; r < rows; ++r) {
      prefetch_line(to[r]);
      prefetch_line(to[r] + count - 1);
    }
  }

  // Writes the live-out sums that are in the buffer.
  void write_live_out_sums(const PlaneConstants& constants, std::span<const TileSegment> segments,
                           uint32_t* buffer, const LiveOutRows& sums, uint32_t oc,
                           uint32_t rows) const {
    for (uint32_t r = 0; r < rows; ++r) {
      uint32_t* from = buffer + r * kTilePitch;
      if (sums[r] != reinterpret_cast<uint8_t*>(from)) continue;
      for (const TileSegment& s : segments) {
        byte_tiles_->write_live_out_sums({s.n, oc + r, s.y, s.x, s.count, from, nullptr},
                                         constants);
        from += s.count;
      }
    }
  }

  // Copies the bytes of a tile to the results, unless `bytes` is nullptr, and to the second tensor.
  void store_bytes(std::span<const TileSegment> segments, const uint8_t* bytes, uint32_t oc,
                   uint32_t rows) const {
    for (uint32_t r = 0; r < rows; ++r) {
      const uint8_t* from = bytes + (bytes == nullptr ? 0 : r * kTilePitch);
      for (const TileSegment& s : segments) {
        if (bytes != nullptr) copy_bytes(results_.at(s.n, oc + r, s.y, s.x), from, s.count);
        if (bytes != nullptr) from += s.count;
        results_.copy(s.n, oc + r, s.y, s.x, s.count);
      }
    }
  }

  uint64_t weight_count() const {
    return uint64_t{weights_.terms()} * blocks_.count() * blocks_.rows;
  }
  uint64_t weight_bytes() const { return weight_count() * weights_.bytes(); }
  static size_t grain(uint64_t work) { return grain_of(work, kTermsPerTask); }

  PlaneInput& input_;
  const PlaneWeights& weights_;
  PlaneProducts& products_;
  PlaneResults& results_;
  const ByteTiles* byte_tiles_ = nullptr;  // of this run
  ConstantRestorer& restorer_;
  const size_t tile_depth_;
  const TileKernels kernels_;
  const ChannelBlocks blocks_;
  const PlaneLayout layout_;
  // step of blocks whose panels are packed together by the tasks that read them; 0: none
  const uint32_t late_step_;
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

Declined convolve(const ConvolutionParts& parts, const Window& window, const TensorView& in,
                  const Shape& out) {
  if (const Declined why = window_declines(window, in, out)) return why;
  Convolution convolution(parts, window, in, out);
  if (const Declined why = convolution.declines()) return why;
  convolution.prepare();
  thread_local PlaneConstants constants;
  convolution.run_once(constants);
  return kRan;
}

std::unique_ptr<PlaneConvolution> prepare_convolution(const ConvolutionParts& parts,
                                                      const Window& window, const TensorView& in,
                                                      const Shape& out) {
  if (window_declines(window, in, out) != kRan) return nullptr;
  auto convolution = std::make_unique<Convolution>(parts, window, in, out);
  if (convolution->declines() != kRan) return nullptr;
  convolution->prepare();
  return convolution;
}

}  // namespace tputwin::fast
