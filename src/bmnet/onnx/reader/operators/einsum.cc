// Einsum: transpositions around a product of matrices. Repeated labels of an operand become its
// diagonal, and more than two operands are products one after the other.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// The labels of an operand or of the result, one character for each axis.
using Labels = std::string;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
  std::map<char, int64_t> extents;
};

bool has(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }

// Labels of the axes that "..." stands for, the last one first.
constexpr std::string_view kEllipsis = "9876543210";

Labels expanded(const Node& node, const Labels& labels, size_t hidden) {
  const size_t dots = labels.find("...");
  if (dots == Labels::npos) return labels;
  node.require(hidden <= kEllipsis.size(), "equation", labels, "at most ten axes for ...");
  return labels.substr(0, dots) + Labels(kEllipsis.substr(kEllipsis.size() - hidden)) +
         labels.substr(dots + 3);
}

size_t hidden_axes(const Node& node, const Labels& labels, size_t input) {
  const size_t named = labels.find("...") == Labels::npos ? labels.size() : labels.size() - 3;
  const size_t axes = node.dims(input).size();
  node.require(named <= axes, "equation", labels,
               "a label for each axis of " + text(node.dims(input)));
  return axes - named;
}

// The result of an equation without "->": labels that appear once, in alphabetical order.
Labels implied(const std::string& operands) {
  Labels result = operands.find("...") != Labels::npos ? "..." : "";
  for (char label = 'A'; label <= 'z'; ++label)
    if (std::ranges::count(operands, label) == 1) result += label;
  return result;
}

void read_operand(const Node& node, Equation& equation, Labels labels, size_t input) {
  labels = expanded(node, labels, hidden_axes(node, labels, input));
  const Dims& dims = node.dims(input);
  node.require(labels.size() == dims.size(), "equation", labels,
               "a label for each axis of " + text(dims));
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    int64_t& extent = equation.extents.emplace(labels[axis], 1).first->second;
    node.require(extent == 1 || dims[axis] == 1 || extent == dims[axis], "equation", labels,
                 "labels with one extent");
    extent = std::max(extent, dims[axis]);
  }
  equation.operands.push_back(std::move(labels));
}

Equation equation_of(const Node& node) {
  std::string given = node.text("equation", "");
  std::erase(given, ' ');
  const size_t arrow = given.find("->");
  const std::string left = given.substr(0, arrow);
  Equation equation;
  size_t begin = 0, most_hidden = 0;
  for (size_t input = 0; input < node.inputs(); ++input) {
    node.require(begin <= left.size(), "equation", given, "labels for each input");
    const size_t end = std::min(left.find(',', begin), left.size());
    const Labels labels = left.substr(begin, end - begin);
    if (labels.find("...") != Labels::npos)
      most_hidden = std::max(most_hidden, hidden_axes(node, labels, input));
    read_operand(node, equation, labels, input);
    begin = end + 1;
  }
  node.require(begin > left.size(), "equation", given, "labels for each input");
  equation.result = expanded(
      node, arrow == std::string::npos ? implied(left) : given.substr(arrow + 2), most_hidden);
  for (const char label : equation.result)
    node.require(
        equation.extents.contains(label) && std::ranges::count(equation.result, label) == 1,
        "equation", given, "labels of operands in the result, each once");
  return equation;
}

std::string transposed(Expansion& made, const std::string& x, const Labels& from,
                       const Labels& to) {
  if (from == to) return x;
  Dims order;
  for (const char label : to) order.push_back(static_cast<int64_t>(from.find(label)));
  return made.add("Transpose", {x}, {{"perm", order}});
}

// Sums over the labels that `kept` does not have. Removes them from `labels`.
std::string summed(Expansion& made, std::string x, Labels& labels, const Labels& kept) {
  Dims axes;
  Labels left;
  for (size_t axis = 0; axis < labels.size(); ++axis)
    if (has(kept, labels[axis]))
      left += labels[axis];
    else
      axes.push_back(static_cast<int64_t>(axis));
  if (!axes.empty())
    x = made.add("ReduceSum", {x, made.integers(axes)}, {{"keepdims", int64_t{0}}});
  labels = left;
  return x;
}

Dims extents_of(const Equation& equation, const Labels& labels) {
  Dims dims;
  for (const char label : labels) dims.push_back(equation.extents.at(label));
  return dims;
}

// Repeats axes of extent 1 whose label is longer in another operand.
std::string whole(Expansion& made, const Equation& equation, const std::string& x, const Dims& dims,
                  const Labels& labels) {
  const Dims wanted = extents_of(equation, labels);
  return dims == wanted ? x : made.add("Expand", {x, made.integers(wanted)});
}

// A product of matrices (batch, left, sum) and (batch, sum, right).
std::string product(const Node& node, Expansion& made, const Equation& equation) {
  const Labels &a = equation.operands[0], &b = equation.operands[1];
  Labels batch, sum, left, right;
  for (const char label : a)
    (!has(b, label) ? left : has(equation.result, label) ? batch : sum) += label;
  for (const char label : b)
    if (!has(a, label)) right += label;
  std::string x = whole(made, equation, made.in(0), node.dims(0), a);
  std::string y = whole(made, equation, made.in(1), node.dims(1), b);
  Labels in_x = a, in_y = b;
  x = summed(made, x, in_x, b + equation.result);
  y = summed(made, y, in_y, a + equation.result);
  std::erase_if(left, [&](char label) { return !has(in_x, label); });
  std::erase_if(right, [&](char label) { return !has(in_y, label); });
  const auto count = [&](const Labels& labels) {
    int64_t product = 1;
    for (const char label : labels) product *= equation.extents.at(label);
    return product;
  };
  x = transposed(made, x, in_x, batch + left + sum);
  y = transposed(made, y, in_y, batch + sum + right);
  x = made.add("Reshape", {x, made.integers({count(batch), count(left), count(sum)})});
  y = made.add("Reshape", {y, made.integers({count(batch), count(sum), count(right)})});
  const std::string z = made.add("MatMul", {x, y});
  const Labels made_labels = batch + left + right;
  return transposed(made,
                    made.add("Reshape", {z, made.integers(extents_of(equation, made_labels))}),
                    made_labels, equation.result);
}

}  // namespace

namespace {

// Returns the position of the second axis of a repeated label; npos if there is none.
size_t repeated(const Labels& labels) {
  for (size_t axis = 1; axis < labels.size(); ++axis)
    if (labels.find(labels[axis]) < axis) return axis;
  return Labels::npos;
}

// Returns the operand with each label once: the sum over the second axis of a label, where only
// elements of equal positions are kept.
std::string diagonal(const Node& node, Expansion& made, std::string x, Dims dims, Labels& labels) {
  for (size_t axis = repeated(labels); axis != Labels::npos; axis = repeated(labels)) {
    const size_t first = labels.find(labels[axis]);
    const int64_t extent = dims[axis];
    node.require(dims[first] == extent, "equation", labels, "one extent for a repeated label");
    Dims mask(dims.size(), 1);
    mask[first] = mask[axis] = extent;
    std::vector<float> values(static_cast<size_t>(extent * extent));
    for (int64_t i = 0; i < extent; ++i) values[static_cast<size_t>(i * (extent + 1))] = 1;
    x = made.keep(x, made.reals(mask, values));
    x = made.add("ReduceSum", {x, made.integers({static_cast<int64_t>(axis)})},
                 {{"keepdims", int64_t{0}}});
    labels.erase(axis, 1);
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return x;
}

// Einsum of operands without repeated labels, two at a time.
void expand_pairs(Node& node, const Equation& equation) {
  Expansion made(node);
  std::vector<std::string> tensors;
  std::vector<Labels> labels = equation.operands;
  for (size_t i = 0; i < labels.size(); ++i)
    tensors.push_back(diagonal(node, made, made.in(i), node.dims(i), labels[i]));
  while (tensors.size() > 2) {
    Labels later = equation.result, kept;
    for (size_t i = 2; i < labels.size(); ++i) later += labels[i];
    for (const char label : labels[0] + labels[1])
      if (has(later, label) && !has(kept, label)) kept += label;
    tensors[1] = made.add("Einsum", {tensors[0], tensors[1]},
                          {{"equation", labels[0] + "," + labels[1] + "->" + kept}});
    labels[1] = kept;
    tensors.erase(tensors.begin());
    labels.erase(labels.begin());
  }
  const Labels left = labels.size() == 1 ? labels[0] : labels[0] + "," + labels[1];
  made.set(made.add("Einsum", tensors, {{"equation", left + "->" + equation.result}}));
}

}  // namespace

void expand_einsum(Node& node) {
  node.require(node.inputs() >= 1, "inputs", std::to_string(node.inputs()), "at least one");
  const Equation equation = equation_of(node);
  const auto is_repeated = [](const Labels& labels) { return repeated(labels) != Labels::npos; };
  if (node.inputs() > 2 || std::ranges::any_of(equation.operands, is_repeated))
    return expand_pairs(node, equation);
  Expansion made(node);
  if (node.inputs() == 2) return made.set(product(node, made, equation));
  Labels labels = equation.operands[0];
  const std::string sums = summed(made, made.in(0), labels, equation.result);
  made.set(transposed(made, sums, labels, equation.result));
}

}  // namespace tputwin::net::onnx_reader
