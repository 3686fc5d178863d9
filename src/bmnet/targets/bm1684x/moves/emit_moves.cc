// Transfers of layers that only move bytes.
#include "bmnet/targets/bm1684x/moves/emit_moves.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {
namespace {

// Moves elements of one size. A command has four loops with the steps of its two sides.
class Transfer {
 public:
  Transfer(StreamProgram& program, DType type) : program_(program), type_(type) {}

  // `source` and `target` are addresses; the steps of the loops count elements.
  void emit(const std::vector<Loop>& loops, int64_t source, int64_t target) {
    if (const size_t i = too_long(loops); i < loops.size()) return divide(loops, i, source, target);
    if (const size_t i = to_unroll(loops); i < loops.size())
      return unroll(loops, i, source, target);
    std::vector<Loop> all(loops);
    // Elements of a row have small steps: rows with larger ones have one element.
    if (all.empty() || !is_row(all.back())) all.push_back({1, 1, 1});
    while (all.size() < kLoops) all.insert(all.begin(), {1, 1, 1});
    const Extents e{all[0].count, all[1].count, all[2].count, all[3].count};
    program_.add(Copy{.engine = Engine::dma,
                      .dst = view(target, e, all, &Loop::target),
                      .src = Source::tensor(view(source, e, all, &Loop::source))});
  }

 private:
  static constexpr size_t kLoops = 4;

  int64_t bytes() const { return element_bytes(type_); }
  bool is_row(const Loop& l) const {
    const int64_t most = std::max<int64_t>(chip().limits.dma_step / bytes(), 1);
    return l.source >= 0 && l.target > 0 && l.source <= most && l.target <= most;
  }

  // Returns the loop that is longer than the extents of commands; the number of loops if there is
  // none. A command moves a run of neighbouring elements of any length.
  static size_t too_long(const std::vector<Loop>& loops) {
    if (loops.size() == 1 && loops[0].source == 1 && loops[0].target == 1) return 1;
    size_t i = 0;
    while (i < loops.size() && loops[i].count <= chip().limits.dma_extent) ++i;
    return i;
  }

  // Ranges of a loop become commands of their own.
  void divide(std::vector<Loop> loops, size_t index, int64_t source, int64_t target) {
    const Loop loop = loops[index];
    const int64_t most = chip().limits.dma_extent;
    for (int64_t begin = 0; begin < loop.count; begin += most) {
      loops[index].count = std::min(most, loop.count - begin);
      emit(loops, source + begin * loop.source * bytes(), target + begin * loop.target * bytes());
    }
  }

  // Returns the loop that needs commands of its own; the number of loops if there is none.
  size_t to_unroll(const std::vector<Loop>& loops) const {
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i].source < 0 || loops[i].target < 0) return i;
    const size_t columns = !loops.empty() && is_row(loops.back()) ? 0 : 1;
    if (loops.size() + columns <= kLoops) return loops.size();
    const auto fewest = std::ranges::min_element(
        loops.begin(), loops.end() - (columns == 0 ? 1 : 0), {}, &Loop::count);
    return static_cast<size_t>(fewest - loops.begin());
  }

  void unroll(std::vector<Loop> loops, size_t index, int64_t source, int64_t target) {
    const Loop loop = loops[index];
    loops.erase(loops.begin() + static_cast<ptrdiff_t>(index));
    for (int64_t i = 0; i < loop.count; ++i)
      emit(loops, source + i * loop.source * bytes(), target + i * loop.target * bytes());
  }

  TensorView view(int64_t address, const Extents& e, const std::vector<Loop>& loops,
                  int64_t Loop::*step) const {
    const auto of = [&](size_t i) { return static_cast<uint64_t>(loops[i].*step); };
    return global(static_cast<uint64_t>(address), e, type_, {of(0), of(1), of(2), of(3)});
  }

  StreamProgram& program_;
  const DType type_;
};

}  // namespace

void emit_move(StreamProgram& program, const Move& move, const TensorPositions& positions,
               const Network& network, const Memories& memories, uint32_t bytes) {
  PlacedMove placed = place_move(move, positions, network);
  std::vector<Loop>& loops = placed.loops;
  for (Loop& l : loops) {
    if (&l == &loops.back())
      l.count /= bytes;  // the run of bytes
    else
      l = {l.count, l.source / bytes, l.target / bytes};
  }
  std::erase_if(loops, [](const Loop& l) { return l.count == 1; });
  const int64_t most = chip().limits.dma_extent;
  for (size_t i = 0; i < loops.size(); ++i)
    while (loops.size() > 1 && split(loops, i, most)) {
    }
  const DType type = bytes == 4 ? DType::f32 : bytes == 2 ? DType::f16 : DType::i8;
  Transfer(program, type)
      .emit(loops, static_cast<int64_t>(memories.neurons + placed.source),
            static_cast<int64_t>(memories.neurons + placed.target));
}

}  // namespace tputwin::net::bm1684x
