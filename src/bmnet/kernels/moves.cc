// Transfers of layers that only move bytes.
#include "bmnet/kernels/moves.h"

#include <algorithm>

namespace tputwin::net {
namespace {

constexpr int64_t kMaxCount = 4095, kMaxRowStride = 65535, kMaxRun = 4095;

// One load and one store: at most three loops, used as samples, channels and rows, and a run.
class Transfer {
 public:
  Transfer(Program& program, GlobalPlace source, GlobalPlace target)
      : program_(program), source_(source), target_(target) {}

  void emit(std::vector<Loop> loops) {
    while (loops.size() > 4 || !is_encodable(loops)) {
      // Unrolls the innermost loop with a step that commands cannot express, or else the outermost
      // loop.
      size_t unrolled = 0;
      for (size_t i = 0; i + 1 < loops.size(); ++i)
        if (loops[i].source <= 0 || loops[i].target <= 0) unrolled = i;
      if (loops.size() == 1) return emit_run(loops[0]);
      return unroll(std::move(loops), unrolled);
    }
    emit_tile(loops);
  }

 private:
  static bool is_encodable(const std::vector<Loop>& loops) {
    return std::all_of(loops.begin(), loops.end() - 1,
                       [](const Loop& l) {
                         return l.source > 0 && l.target > 0 && l.count <= kMaxCount;
                       }) &&
           loops.back().count <= kMaxRun;
  }

  void unroll(std::vector<Loop> loops, size_t index) {
    const Loop loop = loops[index];
    loops.erase(loops.begin() + static_cast<ptrdiff_t>(index));
    for (int64_t i = 0; i < loop.count; ++i)
      Transfer(program_, at(source_, i * loop.source), at(target_, i * loop.target)).emit(loops);
  }

  static GlobalPlace at(GlobalPlace p, int64_t bytes) {
    p.offset += static_cast<uint64_t>(bytes);
    return p;
  }

  // Splits a run that is longer than a row into rows and a rest.
  void emit_run(const Loop& run) {
    const int64_t rows = run.count / kMaxRun, rest = run.count % kMaxRun;
    for (int64_t done = 0; done < rows; done += kMaxCount)
      Transfer(program_, at(source_, done * kMaxRun), at(target_, done * kMaxRun))
          .emit({{std::min(kMaxCount, rows - done), kMaxRun, kMaxRun}, {kMaxRun, 1, 1}});
    if (rest != 0)
      Transfer(program_, at(source_, rows * kMaxRun), at(target_, rows * kMaxRun))
          .emit({{rest, 1, 1}});
  }

  // The loop with the largest count becomes the channels, which are distributed over the lanes. Of
  // the others, the loop with shorter steps becomes the rows.
  void emit_tile(std::vector<Loop> loops) {
    const Loop run = loops.back();
    loops.pop_back();
    while (loops.size() < 3) loops.insert(loops.begin(), {1, 1, 1});
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
      return std::max(a.source, a.target) > std::max(b.source, b.target);
    });
    Loop samples = loops[0], channels = loops[1], rows = loops[2];
    if (samples.count > channels.count) std::swap(samples, channels);
    if (rows.count > channels.count && std::max(channels.source, channels.target) <= kMaxRowStride)
      std::swap(rows, channels);
    if (std::max(rows.source, rows.target) > kMaxRowStride) {
      // The row stride exceeds the field, so each row is a transfer of its own.
      for (int64_t i = 0; i < rows.count; ++i)
        Transfer(program_, at(source_, i * rows.source), at(target_, i * rows.target))
            .emit({samples, channels, run});
      return;
    }
    emit_block({samples, channels, rows, run});
  }

  struct Block {
    Loop samples, channels, rows, run;
    Extents extents() const { return {samples.count, channels.count, rows.count, run.count}; }
  };

  void emit_block(const Block& b) {
    if (unaligned_bytes(b.extents()) > kLaneBytes) return halve(b);
    const tensor_lmem t = unaligned_tensor(0, b.extents());
    auto strides = [&](auto side) {
      return stride_st4(static_cast<int>(b.samples.*side), static_cast<int>(b.channels.*side),
                        static_cast<int>(b.rows.*side), 1);
    };
    const stride_t from = strides(&Loop::source), to = strides(&Loop::target);
    program_.load(t, source_, &from);
    program_.store(t, target_, &to);
  }

  void halve(Block b) {
    Loop& loop = b.samples.count > 1 ? b.samples : b.rows.count > 1 ? b.rows : b.channels;
    Block rest = b;
    Loop& later = b.samples.count > 1 ? rest.samples : b.rows.count > 1 ? rest.rows : rest.channels;
    const int64_t first = loop.count / 2;
    later.count -= first;
    loop.count = first;
    const int64_t source = first * loop.source, target = first * loop.target;
    emit_block(b);
    Transfer(program_, at(source_, source), at(target_, target)).emit_block(rest);
  }

  Program& program_;
  GlobalPlace source_, target_;
};

}  // namespace

void emit_move(Program& program, const Move& move, const TensorPositions& positions,
               const Network& network) {
  PlacedMove placed = place_move(move, positions, network);
  std::vector<Loop>& loops = placed.loops;
  for (size_t i = 0; i < loops.size(); ++i)
    while (split(loops, i, i + 1 == loops.size() ? kMaxRun : kMaxCount)) {
    }
  Transfer(program, {placed.source, false}, {placed.target, false}).emit(loops);
}

}  // namespace tputwin::net
