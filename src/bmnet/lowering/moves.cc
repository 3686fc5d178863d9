// The loops of layers that only move bytes.
#include "bmnet/lowering/moves.h"

#include <algorithm>

namespace tputwin::net {
namespace {

// ---- Loops of the layers, in elements ----

using Dims = std::vector<int64_t>;

Dims strides_of(const Dims& d) {
  Dims s(d.size(), 1);
  for (size_t i = d.size(); i-- > 1;) s[i - 1] = s[i] * d[i];
  return s;
}

int64_t product(const Dims& d, size_t begin, size_t end) {
  int64_t p = 1;
  for (size_t i = begin; i < end; ++i) p *= d[i];
  return p;
}

size_t axis_of(int axis, const Dims& d) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int>(d.size()) : axis);
}

// Returns loops over `counts` with a source step per axis. The target is packed.
std::vector<Loop> loops_of(const Dims& counts, const Dims& source) {
  const Dims target = strides_of(counts);
  std::vector<Loop> loops;
  for (size_t i = 0; i < counts.size(); ++i) loops.push_back({counts[i], source[i], target[i]});
  return loops;
}

// One of the tensors that an axis is split into. Each `row` elements of the whole contain `run`
// elements of it, starting at `offset`.
struct Part {
  int64_t outer, run, row, offset;
  Loop along(int64_t from_step, int64_t to_step) const { return {outer, from_step, to_step}; }
};

template <class MoveOf>
std::vector<Move> moves_of_parts(const TensorShape& whole, int axis_number, int count,
                                 const auto& shape_of, MoveOf move_of) {
  const Dims d = dims(whole);
  const size_t axis = axis_of(axis_number, d);
  Part part{product(d, 0, axis), 0, product(d, axis, d.size()), 0};
  std::vector<Move> moves;
  for (int i = 0; i < count; ++i, part.offset += part.run) {
    const Dims own = dims(shape_of(i));
    part.run = product(own, axis, own.size());
    moves.push_back(move_of(i, part));
  }
  return moves;
}

std::vector<Move> concat(const TensorOp& op) {
  return moves_of_parts(
      op.output_shape(0), op.tg_concat_param().axis(), op.bottom_size(),
      [&](int i) { return op.input_shape(i); },
      [&](int i, const Part& p) -> Move {
        return {op.bottom(i), op.top(0), 0, p.offset, {p.along(p.run, p.row), {p.run, 1, 1}}};
      });
}

std::vector<Move> slice(const TensorOp& op) {
  return moves_of_parts(
      op.input_shape(0), op.tg_slice_param().axis(), op.top_size(),
      [&](int i) { return op.output_shape(i); },
      [&](int i, const Part& p) -> Move {
        return {op.bottom(0), op.top(i), p.offset, 0, {p.along(p.row, p.run), {p.run, 1, 1}}};
      });
}

std::vector<Move> permute(const TensorOp& op) {
  const Dims in = strides_of(dims(op.input_shape(0)));
  Dims source;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& order = op.tg_permute_param().order();
    source.push_back(in[static_cast<int>(i) < order.size() ? order[static_cast<int>(i)] : i]);
  }
  return {{op.bottom(0), op.top(0), 0, 0, loops_of(dims(op.output_shape(0)), source)}};
}

std::vector<Move> crop(const TensorOp& op) {
  const Dims in = strides_of(dims(op.input_shape(0)));
  const auto& offsets = op.tg_crop_param().offset();
  int64_t offset = 0;
  // A layer of fewer axes may have four offsets too.
  for (int i = 0; i < std::min(offsets.size(), static_cast<int>(in.size())); ++i)
    offset += offsets[i] * in[static_cast<size_t>(i)];
  return {{op.bottom(0), op.top(0), offset, 0, loops_of(dims(op.output_shape(0)), in)}};
}

// Channel i*(C/g) + j moves to j*g + i.
std::vector<Move> shuffle_channel(const TensorOp& op) {
  const Extents e = extents(op.input_shape(0));
  const int64_t g = op.tg_shuffle_channel_param().group(), per = e.c / g, plane = e.h * e.w;
  return {{op.bottom(0),
           op.top(0),
           0,
           0,
           {{e.n, e.c * plane, e.c * plane},
            {g, per * plane, plane},
            {per, plane, g * plane},
            {plane, 1, 1}}}};
}

// Moves pixels: out(n, (y%s*s + x%s)*C + c, y/s, x/s) = in(n, c, y, x).
std::vector<Move> reorg(const TensorOp& op) {
  const Extents e = extents(op.input_shape(0));
  const int64_t s = op.tg_reorg_param().stride(), h = e.h / s, w = e.w / s, plane = h * w;
  const int64_t sample = e.c * e.h * e.w;
  return {{op.bottom(0),
           op.top(0),
           0,
           0,
           {{e.n, sample, sample},
            {s, e.w, s * e.c * plane},
            {s, 1, e.c * plane},
            {e.c, e.h * e.w, plane},
            {h, s * e.w, w},
            {w, s, 1}}}};
}

std::vector<Move> tile(const TensorOp& op) {
  const Dims in = dims(op.input_shape(0));
  const size_t axis = axis_of(op.tg_tile_param().axis(), in);
  const int64_t outer = product(in, 0, axis), run = product(in, axis, in.size());
  const int64_t tiles = op.tg_tile_param().tiles();
  return {
      {op.bottom(0), op.top(0), 0, 0, {{outer, run, tiles * run}, {tiles, 0, run}, {run, 1, 1}}}};
}

std::vector<Move> reverse(const TensorOp& op) {
  const Dims in = dims(op.input_shape(0));
  const size_t axis = axis_of(op.tg_reverse_param().axis(), in);
  const int64_t outer = product(in, 0, axis), run = product(in, axis + 1, in.size());
  const int64_t count = in[axis];
  return {{op.bottom(0),
           op.top(0),
           (count - 1) * run,
           0,
           {{outer, count * run, count * run}, {count, -run, run}, {run, 1, 1}}}};
}

std::vector<Move> none(const TensorOp&) { return {}; }

struct MovesRow {
  Op op;
  std::vector<Move> (*moves)(const TensorOp&);
};
constexpr MovesRow kMoves[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, moves, ...) {Op::name, moves},
#include "bmnet/ir/ops.def"
};

// ---- Simplification ----

// Merges adjacent loops that step alike on both sides, and removes loops of one iteration. The last
// loop is a run of bytes.
std::vector<Loop> simplified(std::vector<Loop> loops) {
  loops.erase(
      std::remove_if(loops.begin(), loops.end(), [](const Loop& l) { return l.count == 1; }),
      loops.end());
  for (size_t i = 0; i + 1 < loops.size();) {
    Loop &outer = loops[i], inner = loops[i + 1];
    if (outer.source == inner.source * inner.count && outer.target == inner.target * inner.count) {
      outer = {outer.count * inner.count, inner.source, inner.target};
      loops.erase(loops.begin() + static_cast<ptrdiff_t>(i) + 1);
      i = i > 0 ? i - 1 : 0;
    } else {
      ++i;
    }
  }
  // The run is a loop that is packed on both sides.
  auto run = std::find_if(loops.begin(), loops.end(),
                          [](const Loop& l) { return l.source == 1 && l.target == 1; });
  Loop packed{1, 1, 1};
  if (run != loops.end()) {
    packed = *run;
    loops.erase(run);
  }
  loops.push_back(packed);
  return loops;
}

// ---- Samples ----

// A tensor inside a concatenation has a larger distance of samples than a packed one.
struct Samples {
  int64_t packed, distance;  // in bytes

  int64_t offset(int64_t at) const { return at / packed * distance + at % packed; }
};

// Makes the loops of one side step over the samples. A loop that passes the end of a sample is cut
// there. Example: 3 packed samples of 8 bytes are a run of 24, and at a distance of 16 they are
// 3 loops with a step of 16 over runs of 8.
void step_over_samples(std::vector<Loop>& loops, const Samples& samples, int64_t Loop::*side) {
  if (samples.packed == samples.distance) return;
  for (size_t i = 0; i < loops.size(); ++i) {
    Loop& loop = loops[i];
    const int64_t step = loop.*side;
    if (step > 0 && step < samples.packed && loop.count * step > samples.packed) {
      const int64_t part = samples.packed / step;
      const Loop whole{loop.count / part, loop.source * part, loop.target * part};
      loop.count = part;
      loops.insert(loops.begin() + static_cast<ptrdiff_t>(i), whole);
    }
    if (loops[i].*side % samples.packed == 0)
      loops[i].*side = loops[i].*side / samples.packed * samples.distance;
  }
}

}  // namespace

bool split(std::vector<Loop>& loops, size_t index, int64_t limit) {
  Loop& l = loops[index];
  if (l.count <= limit) return false;
  for (int64_t part = limit; part > 1; --part)
    if (l.count % part == 0) {
      const Loop outer{l.count / part, l.source * part, l.target * part};
      l.count = part;
      loops.insert(loops.begin() + static_cast<ptrdiff_t>(index), outer);
      return true;
    }
  return false;
}

std::vector<Move> moves_of(const TensorOp& op) {
  for (const MovesRow& row : kMoves) {
    if (!is(op, row.op)) continue;
    std::vector<Move> moves = row.moves(op);
    // Converts elements to bytes: the bytes of an element become the innermost run.
    const int64_t size = op.output_shape(0).data_type_size();
    for (Move& m : moves) {
      m.source *= size;
      m.target *= size;
      for (Loop& l : m.loops) l = {l.count, l.source * size, l.target * size};
      m.loops.push_back({size, 1, 1});
    }
    return moves;
  }
  return std::vector<Move>();
}

PlacedMove place_move(const Move& move, const TensorPositions& positions, const Network& network) {
  const TensorPosition &from = positions.find(move.from)->second,
                       &to = positions.find(move.to)->second;
  const auto samples = [&](const std::string& tensor, const TensorPosition& position) -> Samples {
    const TensorShape* shape = network.shape_of(tensor);
    const int64_t packed = count(*shape) / extents(*shape).n * shape->data_type_size();
    return {packed, static_cast<int64_t>(position.sample_bytes)};
  };
  const Samples source = samples(move.from, from), target = samples(move.to, to);
  std::vector<Loop> loops = move.loops;
  step_over_samples(loops, source, &Loop::source);
  step_over_samples(loops, target, &Loop::target);
  return {from.offset + static_cast<uint64_t>(source.offset(move.source)),
          to.offset + static_cast<uint64_t>(target.offset(move.target)),
          simplified(std::move(loops))};
}

}  // namespace tputwin::net
