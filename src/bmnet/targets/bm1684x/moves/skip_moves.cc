// Pass skip_moves: steps of views through a move. A move is a list of loops, each with a step in
// its source and in its result. A view that steps along single loops has steps on both sides.
#include "bmnet/targets/bm1684x/moves/skip_moves.h"

#include <algorithm>
#include <array>

#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

// Shorter runs take longer to load than to move once and load whole.
constexpr int64_t kLeastRunBytes = 32;

// A loop of a move seen from the dense side: the tensor that all loops cover. Steps are elements.
struct Axis {
  int64_t count, dense, other;
};

// The axes of a move, from large steps of the dense side to small ones.
struct Axes {
  std::vector<Axis> list;
  int64_t begin = 0;  // first element of the other side
  int64_t element_bytes = 1;
};

// Returns the axes if the loops cover the dense side, of so many elements, once and in forward
// steps.
std::optional<Axes> axes_of(const Move& move, int64_t Loop::*dense, int64_t elements) {
  const int64_t bytes = move.loops.back().count;
  Loop whole;
  whole.source = move.source;
  whole.target = move.target;
  int64_t Loop::*const other = dense == &Loop::source ? &Loop::target : &Loop::source;
  if (whole.*dense != 0) return std::nullopt;
  Axes axes{.list = {}, .begin = whole.*other / bytes, .element_bytes = bytes};
  for (const Loop& loop : std::span(move.loops).first(move.loops.size() - 1)) {
    if (loop.count == 1) continue;
    if (loop.source < 0 || loop.target < 0) return std::nullopt;
    axes.list.push_back({loop.count, loop.*dense / bytes, loop.*other / bytes});
  }
  std::ranges::sort(axes.list, std::ranges::greater{}, &Axis::dense);
  int64_t covered = 1;
  for (size_t i = axes.list.size(); i-- > 0;) {
    Axis& axis = axes.list[i];
    if (axis.dense != covered) return std::nullopt;
    covered *= axis.count;
    // Axes that follow each other on both sides are one.
    if (i + 1 < axes.list.size()) {
      const Axis inner = axes.list[i + 1];
      if (axis.other != inner.other * inner.count) continue;
      axis = {axis.count * inner.count, inner.dense, inner.other};
      axes.list.erase(axes.list.begin() + static_cast<ptrdiff_t>(i) + 1);
    }
  }
  if (covered != elements) return std::nullopt;
  return axes;
}

// Maps the elements of a view of the dense side to the other side.
class Mapping {
 public:
  Mapping(const Axes& axes, int64_t first) : axes_(axes) {
    for (const Axis& axis : axes.list) used_.push_back(first / axis.dense % axis.count);
    at_ = axes.begin;
    for (size_t i = 0; i < used_.size(); ++i) at_ += used_[i] * axes.list[i].other;
  }

  // Returns the step of the other side for a loop of a view; nullopt if it has no single one.
  std::optional<int64_t> step(int64_t count, int64_t step) {
    if (step == 0) return 0;
    if (count == 1) return 1;
    const auto axis =
        std::ranges::find_if(axes_.list, [&](const Axis& a) { return a.dense <= step; });
    if (axis == axes_.list.end() || step % axis->dense != 0) return std::nullopt;
    const int64_t each = step / axis->dense;
    used_[static_cast<size_t>(axis - axes_.list.begin())] += (count - 1) * each;
    return each * axis->other;
  }

  // Returns true if no loop passes the end of its axis.
  bool stays_inside() const {
    for (size_t i = 0; i < used_.size(); ++i)
      if (used_[i] >= axes_.list[i].count) return false;
    return true;
  }
  int64_t first() const { return at_; }

 private:
  const Axes& axes_;
  std::vector<int64_t> used_;  // the last index of each axis
  int64_t at_ = 0;
};

// Returns true if the elements of a view that follow each other in global memory are many enough,
// or all.
bool has_runs(const View& view) {
  const std::array<std::pair<int64_t, int64_t>, 4> loops = {{{view.e.w, view.steps->w},
                                                             {view.e.h, view.steps->h},
                                                             {view.e.c, view.steps->c},
                                                             {view.e.n, view.steps->n}}};
  int64_t run = 1;
  for (const auto& [count, step] : loops) {
    if (count == 1) continue;
    if (step != run) break;
    run *= count;
  }
  return run == view.e.count() || run * element_bytes(view.type) >= kLeastRunBytes;
}

class Skipping {
 public:
  explicit Skipping(StreamCompilation& c) : c_(c) {
    for (size_t i = 0; i < ops().size(); ++i) {
      if (is(ops()[i], Op::reshape)) renamed_[ops()[i].bottom(0)].push_back(ops()[i].top(0));
      if (is(ops()[i], Op::host)) hosts_.push_back(i);
    }
    for (size_t k = 0; k < kernels().size(); ++k) {
      for (const View& in : kernels()[k]->inputs) readers_[in.tensor].insert(k);
      writers_[kernels()[k]->output.tensor].insert(k);
    }
  }

  // Later moves first: a move of a move is read through both.
  void run() {
    for (size_t i = ops().size(); i-- > 0;) {
      if (is(ops()[i], Op::reshape) || c_.shared.last_kernel_of.contains(i)) continue;
      const std::vector<Move> moves = moves_of(ops()[i]);
      for (size_t k = 0; k < moves.size(); ++k) {
        if (c_.shared.storage->is_inside(moves[k].from, moves[k].to)) continue;
        if (read_through(i, moves, k) || write_through(i, moves, k))
          c_.shared.skipped_moves.insert({i, k});
      }
    }
  }

 private:
  using Kernels = std::set<size_t>;

  const std::vector<TensorOp>& ops() const { return c_.shared.net.network.ops; }
  std::vector<KernelPtr>& kernels() { return c_.shared.kernels; }
  int64_t elements(const std::string& t) const { return count(*c_.shared.net.network.shape_of(t)); }
  // Returns true if the samples of a tensor follow each other.
  bool is_whole(const std::string& t) const {
    const Storage& storage = *c_.shared.storage;
    return storage.bytes(storage.root(t)) == storage.bytes(t);
  }
  bool have_same_numbers(const Move& move) const {
    return c_.types.of(move.from) == c_.types.of(move.to);
  }
  // Returns true if the host computes nothing between two layers: a subnet would end there.
  bool are_together(size_t first, size_t last) const {
    return std::ranges::none_of(hosts_, [&](size_t i) { return first < i && i < last; });
  }

  // Returns the tensor and its other names.
  std::vector<std::string> names(const std::string& tensor) const {
    std::vector<std::string> all = {tensor};
    for (size_t i = 0; i < all.size(); ++i)
      if (const auto found = renamed_.find(all[i]); found != renamed_.end())
        all.insert(all.end(), found->second.begin(), found->second.end());
    return all;
  }
  // Returns the name that the tensor has first.
  std::string first_name(std::string tensor) const {
    for (const TensorOp* op = producer(tensor); op != nullptr && is(*op, Op::reshape);
         op = producer(tensor))
      tensor = op->bottom(0);
    return tensor;
  }
  const TensorOp* producer(const std::string& tensor) const {
    return c_.shared.net.network.producer(tensor);
  }

  Kernels kernels_of(const std::map<std::string, Kernels>& list, const std::string& tensor) const {
    Kernels all;
    for (const std::string& name : names(tensor))
      if (const auto found = list.find(name); found != list.end())
        all.insert(found->second.begin(), found->second.end());
    return all;
  }

  // Returns true if nothing reads the tensor but kernels, moves that are skipped, and `except`.
  bool is_read_by_kernels_alone(const std::string& tensor, size_t except) const {
    for (const std::string& name : names(tensor))
      for (const size_t i : c_.shared.storage->readers(name)) {
        if (i == except || is(ops()[i], Op::reshape) || c_.shared.last_kernel_of.contains(i))
          continue;
        if (!is_skipped(i, name)) return false;
      }
    return true;
  }
  bool is_skipped(size_t i, const std::string& from) const {
    const std::vector<Move> moves = moves_of(ops()[i]);
    if (moves.empty()) return false;
    for (size_t k = 0; k < moves.size(); ++k)
      if (moves[k].from == from && !c_.shared.skipped_moves.contains({i, k})) return false;
    return true;
  }

  // Returns the view of the other side of a move.
  std::optional<View> mapped(const View& view, const std::string& tensor, const Axes& axes) const {
    const int64_t bytes = element_bytes(view.type), size = elements(view.tensor);
    if (bytes != axes.element_bytes) return std::nullopt;
    ViewSteps steps = packed_steps(view.e);
    steps.n = size / extents(*c_.shared.net.network.shape_of(view.tensor)).n;
    if (view.steps) steps = *view.steps;
    Mapping mapping(axes, view.offset / bytes);
    const auto n = mapping.step(view.e.n, steps.n), c = mapping.step(view.e.c, steps.c);
    const auto h = mapping.step(view.e.h, steps.h), w = mapping.step(view.e.w, steps.w);
    if (!n || !c || !h || !w || !mapping.stays_inside()) return std::nullopt;
    View other = view;
    other.tensor = tensor;
    other.offset = mapping.first() * bytes;
    other.steps = {*n, *c, *h, *w};
    if (!has_runs(other)) return std::nullopt;
    return other;
  }

  bool read_through(size_t i, const std::vector<Move>& moves, size_t k) {
    const Move& move = moves[k];
    const auto writes = std::ranges::count(moves, move.to, &Move::to);
    const std::optional<Axes> axes = axes_of(move, &Loop::target, elements(move.to));
    if (writes != 1 || !axes || !is_whole(move.from) || !have_same_numbers(move) ||
        !is_read_by_kernels_alone(move.to, ops().size()))
      return false;
    const std::vector<std::string> aliases = names(move.to);
    std::vector<std::pair<View*, View>> changes;
    const Kernels readers = kernels_of(readers_, move.to);
    for (const size_t reader : readers) {
      if (!are_together(i, kernels()[reader]->op)) return false;
      for (View& in : kernels()[reader]->inputs) {
        if (std::ranges::find(aliases, in.tensor) == aliases.end()) continue;
        const std::optional<View> source = mapped(in, move.from, *axes);
        if (!source) return false;
        changes.emplace_back(&in, *source);
      }
    }
    for (auto& [view, source] : changes) *view = source;
    for (const size_t reader : readers) readers_[move.from].insert(reader);
    return !readers.empty();
  }

  bool write_through(size_t i, const std::vector<Move>& moves, size_t k) {
    const Move& move = moves[k];
    const std::string from = first_name(move.from);
    const auto reads = std::ranges::count(moves, move.from, &Move::from);
    const std::optional<Axes> axes = axes_of(move, &Loop::source, elements(move.from));
    if (reads != 1 || !axes || !is_whole(move.to) || !is_whole(move.from) ||
        !have_same_numbers(move) || !is_read_by_kernels_alone(from, i) ||
        !kernels_of(readers_, from).empty())
      return false;
    std::vector<std::pair<View*, View>> changes;
    const Kernels writers = kernels_of(writers_, from);
    for (const size_t writer : writers) {
      View& out = kernels()[writer]->output;
      if (!are_together(kernels()[writer]->op, i)) return false;
      const std::optional<View> target = mapped(out, move.to, *axes);
      if (!target) return false;
      changes.emplace_back(&out, *target);
    }
    for (auto& [view, target] : changes) *view = target;
    for (const size_t writer : writers) writers_[move.to].insert(writer);
    return !writers.empty();
  }

  StreamCompilation& c_;
  std::map<std::string, std::vector<std::string>> renamed_;  // by bottom, tops of reshapes
  std::vector<size_t> hosts_;
  std::map<std::string, Kernels> readers_, writers_;
};

}  // namespace

Status skip_moves(StreamCompilation& c) {
  if (c.shared.at_least(Level::layer_group) && !c.options.keep_all) Skipping(c).run();
  return {};
}

}  // namespace tputwin::net::bm1684x
