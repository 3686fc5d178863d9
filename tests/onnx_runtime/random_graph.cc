// Random graphs of small layers: tensors of one to five axes that are changed, joined, reduced and
// read several times; weights that nodes share; several outputs.
#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

class Graph {
 public:
  explicit Graph(Draft& draft) : d_(draft) {}

  void draw() {
    for (auto inputs = d_.range(1, 2); inputs > 0; --inputs) {
      const Dims dims = d_.any(2, 4);
      tensors_.push_back({d_.input(fmt::format("x{}", inputs), dims, -2, 2), dims});
    }
    for (auto nodes = d_.range(3, 9); nodes > 0; --nodes) add();
    // The last tensor is y, and some others are outputs too.
    d_.builder.node("Identity", {tensors_.back().name}, {"y"});
    for (size_t i = 2; i + 1 < tensors_.size(); ++i)
      if (!tensors_[i].is_input && d_.rng.chance(1, 5)) d_.builder.output(tensors_[i].name);
  }

 private:
  struct Tensor {
    std::string name;
    Dims dims;
    bool is_input = true;
  };

  const Tensor& any() {
    return tensors_[tensors_.size() - 1 - d_.rng.below(std::min<size_t>(tensors_.size(), 3))];
  }

  onnx::NodeProto& node(const char* type, const std::vector<std::string>& inputs, Dims dims) {
    const std::string name = fmt::format("t{}", tensors_.size());
    tensors_.push_back({name, std::move(dims), false});
    d_.shape += fmt::format(" {}", type);
    return d_.builder.node(type, inputs, {name});
  }

  // A constant of this shape, which other nodes of the shape may read too.
  std::string shared(const Dims& dims) {
    const std::string name = fmt::format("w{}", fmt::join(dims, "_"));
    if (constants_.insert(name).second) d_.weights(name, dims, 0.2f, 1);
    return name;
  }
  std::string integers(const Dims& values) {
    return d_.integers(fmt::format("n{}", ++integers_), values);
  }

  void add() {
    const Tensor from = any();
    if (count(from.dims) > 20000) return function(from);
    switch (d_.rng.below(12)) {
      case 0:
        return two(from);
      case 1:
        return constant(from);
      case 2:
        return transpose(from);
      case 3:
        return reshape(from);
      case 4:
        return concat(from);
      case 5:
        return reduce(from);
      case 6:
        return soft(from);
      case 7:
        return slice(from);
      case 8:
        return product(from);
      case 9:
        return window(from);
      case 10:
        return tile(from);
      default:
        return function(from);
    }
  }

  void function(const Tensor& from) {
    node(d_.rng.pick({"Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Softplus", "HardSwish", "Elu"}),
         {from.name}, from.dims);
  }

  // Another tensor of the same shape, or the same tensor again.
  void two(const Tensor& from) {
    std::string other = from.name;
    for (const Tensor& t : tensors_)
      if (t.dims == from.dims && d_.rng.coin()) other = t.name;
    node(d_.rng.pick({"Add", "Sub", "Mul", "Max", "Min"}), {from.name, other}, from.dims);
  }

  void constant(const Tensor& from) {
    Dims dims = from.dims;
    for (int64_t& extent : dims)
      if (d_.rng.coin()) extent = 1;
    const std::string c = shared(dims);
    const bool swaps = d_.rng.coin();
    node(d_.rng.pick({"Add", "Sub", "Mul"}), {swaps ? c : from.name, swaps ? from.name : c},
         from.dims);
  }

  void transpose(const Tensor& from) {
    Dims order, dims;
    for (size_t i = 0; i < from.dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
    for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[d_.rng.below(i + 1)]);
    for (const int64_t axis : order) dims.push_back(from.dims[static_cast<size_t>(axis)]);
    set(node("Transpose", {from.name}, dims), "perm", order);
  }

  // Joins two axes, or adds one.
  void reshape(const Tensor& from) {
    Dims dims = from.dims;
    const size_t i = d_.rng.below(dims.size());
    if (d_.rng.coin() && i + 1 < dims.size()) {
      dims[i] *= dims[i + 1];
      dims.erase(dims.begin() + static_cast<int64_t>(i) + 1);
    } else if (dims.size() < 5) {
      dims.insert(dims.begin() + static_cast<int64_t>(i), 1);
    }
    node("Reshape", {from.name, integers(dims)}, dims);
  }

  void concat(const Tensor& from) {
    const size_t axis = d_.rng.below(from.dims.size());
    std::vector<std::string> names{from.name};
    Dims dims = from.dims;
    for (const Tensor& t : tensors_) {
      Dims other = t.dims;
      if (other.size() != dims.size()) continue;
      other[axis] = from.dims[axis];
      if (other != from.dims || d_.rng.coin()) continue;
      names.push_back(t.name);
      dims[axis] += t.dims[axis];
    }
    if (d_.rng.coin()) {
      names.insert(names.begin(), shared(from.dims));
      dims[axis] += from.dims[axis];
    }
    set(node("Concat", names, dims), "axis", static_cast<int64_t>(axis));
  }

  void reduce(const Tensor& from) {
    const size_t axis = d_.rng.below(from.dims.size());
    Dims dims = from.dims;
    dims[axis] = 1;
    const std::string axes = integers({static_cast<int64_t>(axis)});
    node(d_.rng.pick({"ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2"}), {from.name, axes},
         dims);
  }

  void soft(const Tensor& from) {
    set(node(d_.rng.pick({"Softmax", "LogSoftmax"}), {from.name}, from.dims), "axis",
        d_.axis(from.dims.size()));
  }

  void slice(const Tensor& from) {
    const size_t axis = d_.rng.below(from.dims.size());
    Dims dims = from.dims;
    const int64_t begin = d_.range(0, dims[axis] - 1), step = d_.range(1, 2);
    dims[axis] = (dims[axis] - begin + step - 1) / step;
    const std::string b = integers({begin}), e = integers({INT64_MAX}),
                      a = integers({static_cast<int64_t>(axis)}), s = integers({step});
    node("Slice", {from.name, b, e, a, s}, dims);
  }

  void product(const Tensor& from) {
    Dims dims = from.dims;
    if (d_.rng.coin() || dims.size() < 2) {
      const int64_t k = dims.back();
      dims.back() = d_.range(1, 6);
      node("MatMul", {from.name, shared({k, dims.back()})}, dims);
      return;
    }
    Dims turned = dims;
    Dims order;
    for (size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    set(node("Transpose", {from.name}, turned), "perm", order);
    dims.back() = dims[dims.size() - 2];
    node("MatMul", {from.name, tensors_.back().name}, dims);
  }

  void window(const Tensor& from) {
    if (from.dims.size() != 4) return function(from);
    if (d_.rng.coin()) {
      auto& pool = node(d_.rng.pick({"MaxPool", "AveragePool"}), {from.name}, from.dims);
      set(pool, "kernel_shape", Dims{3, 3});
      set(pool, "pads", Dims{1, 1, 1, 1});
      return;
    }
    Dims dims = from.dims;
    dims[1] = d_.range(1, 4);
    auto& conv = node("Conv", {from.name, shared({dims[1], from.dims[1], 3, 3})}, dims);
    set(conv, "pads", Dims{1, 1, 1, 1});
  }

  void tile(const Tensor& from) {
    Dims dims = from.dims, repeats;
    for (int64_t& extent : dims) {
      repeats.push_back(d_.rng.chance(1, 3) ? 2 : 1);
      extent *= repeats.back();
    }
    node("Tile", {from.name, integers(repeats)}, dims);
  }

  Draft& d_;
  std::vector<Tensor> tensors_;
  std::set<std::string> constants_;
  int integers_ = 0;
};

}  // namespace

std::vector<Kind> kinds_of_graphs() {
  return {{"graph", 18, [](Draft& d) { Graph(d).draw(); }}};
}

}  // namespace tputwin::test
