// Elements that constant positions pick from tensors: a Gather from all elements in one row.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

// A value whose elements are the whole numbers from `first` on.
Value numbered(const Dims& dims, int64_t first) {
  std::vector<int64_t> values(static_cast<size_t>(elements(dims)));
  std::iota(values.begin(), values.end(), first);
  return {dims, make_integers(dims, std::move(values)), "", {}};
}

// Folds the node for numbered elements, which gives the number of the element that each result is.
ConstantPtr sources(const Node& node, Fold* fold) {
  const Value data = numbered(node.dims(), 0);
  const Value updates = node.has(2) ? numbered(node.dims(2), elements(data.dims)) : Value{};
  std::vector<const Value*> inputs = node.values();
  inputs[0] = &data;
  if (inputs.size() > 2) inputs[2] = &updates;
  return fold(
      Node(node.graph, node.proto, node.opset, std::move(inputs), node.folder(), node.wanted()));
}

std::string row_of(Expansion& made, size_t input) {
  return made.add("Reshape", {made.in(input), made.integers({-1})});
}

void pick(Node& node, Fold* fold) {
  if (node.constant(1) == nullptr) return import_of_host(node);
  const ConstantPtr from = sources(node, fold);
  Expansion made(node);
  std::string all = row_of(made, 0);
  if (node.has(2)) all = made.add("Concat", {all, row_of(made, 2)}, {{"axis", int64_t{0}}});
  const std::string positions =
      made.add("Reshape", {made.integers(from->integers), made.integers(from->dims)});
  made.set(made.add("Gather", {all, positions}, {{"axis", int64_t{0}}}));
}

// ---- Reductions of updates ----

// The updates in rounds: each has at most one of each position, and a position's updates keep their
// order.
struct Round {
  Dims positions, updates;
};

std::vector<Round> rounds_of(const Dims& targets) {
  std::vector<Round> rounds;
  std::map<int64_t, size_t> seen;
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t round = seen[targets[i]]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].positions.push_back(targets[i]);
    rounds[round].updates.push_back(static_cast<int64_t>(i));
  }
  return rounds;
}

// `gather` is the fold that reads the positions which the node updates.
void combine(Node& node, Fold* gather, const std::string& reduction) {
  constexpr size_t kMostRounds = 64;
  static const std::map<std::string, const char*> kOperators{
      {"add", "Add"}, {"mul", "Mul"}, {"max", "Max"}, {"min", "Min"}};
  const auto type = kOperators.find(reduction);
  node.require(type != kOperators.end(), "reduction", reduction, "none, add, mul, max or min");
  const Value data = numbered(node.dims(), 0);
  std::vector<const Value*> inputs{&data, node.values()[1]};
  const ConstantPtr targets = gather(
      Node(node.graph, node.proto, node.opset, std::move(inputs), node.folder(), node.wanted()));
  const std::vector<Round> rounds = rounds_of(targets->integers);
  node.require(rounds.size() <= kMostRounds, "indices", fmt::format("{} equal ones", rounds.size()),
               fmt::format("at most {} of one position", kMostRounds));
  Expansion made(node);
  const auto gathered = [&](const std::string& from, const Dims& positions) {
    return made.add("Gather", {from, made.integers(positions)}, {{"axis", int64_t{0}}});
  };
  std::string now = row_of(made, 0);
  const std::string updates = row_of(made, 2);
  for (const Round& round : rounds) {
    const std::string changed =
        made.add(type->second, {gathered(now, round.positions), gathered(updates, round.updates)});
    Dims from = data.constant->integers;
    for (size_t i = 0; i < round.positions.size(); ++i)
      from[static_cast<size_t>(round.positions[i])] = elements(data.dims) + static_cast<int64_t>(i);
    now = gathered(made.add("Concat", {now, changed}, {{"axis", int64_t{0}}}), from);
  }
  made.set(made.add("Reshape", {now, made.integers(node.dims())}));
}

void scatter(Node& node, Fold* scatter, Fold* gather) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "none" || node.constant(1) == nullptr) return pick(node, scatter);
  combine(node, gather, reduction);
}

}  // namespace

// Chips with parts on the host have operators for these.
void import_gather_elements(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : pick(node, fold_gather_elements);
}
void import_gather_nd(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : pick(node, fold_gather_nd);
}
void import_scatter_nd(Node& node) {
  node.graph.has_subnets ? import_of_host(node) : scatter(node, fold_scatter_nd, fold_gather_nd);
}
void import_scatter_elements(Node& node) {
  const bool is_computed = node.constant(1) == nullptr;
  const bool varies = node.in(0).varies || node.in(2).varies;
  if (node.graph.has_subnets && (is_computed || varies)) return scatter_elements_of_host(node);
  scatter(node, fold_scatter_elements, fold_gather_elements);
}

// Writes updates of each sample from a position on, which may go on at the front.
void expand_tensor_scatter(Node& node) {
  const Dims &cache = node.dims(), &update = node.dims(1);
  const size_t axis = node.axis(node.integer("axis", -2), cache.size());
  node.require(update.size() == cache.size() && axis > 0 && update[axis] <= cache[axis], "update",
               text(update), "at most as long as the cache, along an axis other than the first");
  const std::string mode = node.text("mode", "linear");
  node.require(mode == "linear" || mode == "circular", "mode", mode, "linear or circular");
  Expansion made(node);
  Dims steps(static_cast<size_t>(update[axis])), of_steps(cache.size(), 1),
      of_samples(cache.size(), 1);
  std::iota(steps.begin(), steps.end(), 0);
  of_steps[axis] = update[axis];
  of_samples[0] = cache[0];
  std::string positions = made.add("Reshape", {made.integers(steps), made.integers(of_steps)});
  if (node.has(2))
    positions =
        made.add("Add", {positions, made.add("Reshape", {made.in(2), made.integers(of_samples)})});
  if (mode == "circular") positions = made.add("Mod", {positions, made.integer(cache[axis])});
  positions = made.add("Expand", {positions, made.integers(update)});
  made.set(made.add("ScatterElements", {made.in(0), positions, made.in(1)},
                    {{"axis", static_cast<int64_t>(axis)}}));
}

}  // namespace tputwin::net::onnx_reader
