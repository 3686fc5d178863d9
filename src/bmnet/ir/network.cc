// Network: names, shapes, windows of layers, and the checks that every stage relies on.
#include "bmnet/ir/network.h"

#include "base/errors/bmnet.h"

#include <algorithm>

namespace tputwin::net {

// ---- Network ----

const std::string& Network::blob_name(const std::string& tensor) const {
  const auto found = blob_names.find(tensor);
  return found == blob_names.end() ? tensor : found->second;
}

const TensorOp* Network::producer(std::string_view tensor) const {
  for (const TensorOp& op : ops)
    if (std::find(op.top().begin(), op.top().end(), tensor) != op.top().end()) return &op;
  return nullptr;
}

bool Network::is_read(std::string_view tensor) const {
  return std::ranges::any_of(ops, [&](const TensorOp& op) {
    return std::ranges::find(op.bottom(), tensor) != op.bottom().end();
  });
}

const TensorShape* Network::shape_of(std::string_view tensor) const {
  for (const TensorOp& op : ops)
    for (int i = 0; i < op.top_size(); ++i)
      if (op.top(i) == tensor) return i < op.output_shape_size() ? &op.output_shape(i) : nullptr;
  return nullptr;
}

std::vector<std::string> Network::inputs() const {
  std::vector<std::string> names;
  for (const TensorOp& op : ops)
    if (is(op, Op::start)) names.insert(names.end(), op.top().begin(), op.top().end());
  return names;
}

std::vector<std::string> Network::outputs() const {
  std::vector<std::string> names;
  for (const TensorOp& op : ops)
    if (is(op, Op::end)) names.insert(names.end(), op.bottom().begin(), op.bottom().end());
  return names;
}

// ---- Shapes ----

Extents extents(const TensorShape& shape) {
  Extents e;
  int64_t* const axis[] = {&e.n, &e.c, &e.h, &e.w};
  for (int i = 0; i < shape.dim_size(); ++i) *axis[std::min(i, 3)] *= shape.dim(i);
  return e;
}

int64_t count(const TensorShape& shape) {
  int64_t product = 1;
  for (int64_t d : shape.dim()) product *= d;
  return product;
}

std::vector<int64_t> dims(const TensorShape& shape) {
  return {shape.dim().begin(), shape.dim().end()};
}

TensorShape make_shape(const std::vector<int64_t>& dims, int data_type_size) {
  TensorShape shape;
  for (int64_t d : dims) shape.add_dim(d);
  shape.set_data_type_size(data_type_size);
  return shape;
}

std::string describe(const TensorShape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.dim_size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape.dim(i));
  }
  return text + ")";
}

// ---- Parameters ----

namespace {
// Returns value `i` of a list with one value per axis. A single value applies to both axes; an
// empty list gives `otherwise`.
int at(const google::protobuf::RepeatedField<uint32_t>& list, int i, int otherwise) {
  if (list.empty()) return otherwise;
  return static_cast<int>(list.Get(std::min(i, list.size() - 1)));
}

// Sets pads from (top, bottom, left, right), from (height, width), or from one value for all sides.
void set_pads(const google::protobuf::RepeatedField<uint32_t>& pad, Window2d& window) {
  const bool four = pad.size() == 4;
  window.pad_top = at(pad, 0, 0);
  window.pad_bottom = four ? at(pad, 1, 0) : window.pad_top;
  window.pad_left = at(pad, four ? 2 : 1, 0);
  window.pad_right = four ? at(pad, 3, 0) : window.pad_left;
}
}  // namespace

bool is_deconvolution(const TensorOp& op) {
  return is(op, Op::convolution) && op.tg_convolution_param().ins_size() == 2;
}

bool is_depthwise(const TensorOp& op) {
  if (!is(op, Op::convolution) || op.input_shape().empty() || op.output_shape().empty())
    return false;
  const int64_t group = op.tg_convolution_param().group();
  return extents(op.input_shape(0)).c == group && extents(op.output_shape(0)).c == group;
}

Window2d convolution_window(const TensorOp& op) {
  const auto& param = op.tg_convolution_param();
  Window2d window;
  window.kernel_h = at(param.kernel_size(), 0, 1);
  window.kernel_w = at(param.kernel_size(), 1, 1);
  window.stride_h = at(param.stride(), 0, 1);
  window.stride_w = at(param.stride(), 1, 1);
  window.dilation_h = at(param.dilation(), 0, 1);
  window.dilation_w = at(param.dilation(), 1, 1);
  set_pads(param.pad(), window);
  if (!is_deconvolution(op)) return window;
  const int reach_h = (window.kernel_h - 1) * window.dilation_h;
  const int reach_w = (window.kernel_w - 1) * window.dilation_w;
  window.pad_top = reach_h - window.pad_top;
  window.pad_bottom = reach_h - window.pad_bottom;
  window.pad_left = reach_w - window.pad_left;
  window.pad_right = reach_w - window.pad_right;
  window.ins_h = window.stride_h - 1;
  window.ins_w = window.stride_w - 1;
  window.stride_h = window.stride_w = 1;
  return window;
}

Window2d pooling_window(const TensorOp& op) {
  const auto& param = op.tg_pooling_param();
  Window2d window;
  window.kernel_h = at(param.kernel_size(), 0, 1);
  window.kernel_w = at(param.kernel_size(), 1, 1);
  window.stride_h = at(param.stride(), 0, 1);
  window.stride_w = at(param.stride(), 1, 1);
  set_pads(param.pad(), window);
  return window;
}

bool is_channel_product(const TensorOp& op) {
  if (!is(op, Op::eltwise) || op.bottom_size() != 2 ||
      op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD)
    return false;
  const Extents x = extents(op.input_shape(0)), y = extents(op.input_shape(1));
  return y == Extents{x.n, x.c, 1, 1} && x.h * x.w > 1;
}

Overhang average_overhang(const TensorOp& op) {
  if (op.tg_pooling_param().pool() != ::bmnet::TGPoolingParameter::AVE) return {};
  const Window2d w = pooling_window(op);
  return {std::max(0, w.pad_bottom - w.pad_top), std::max(0, w.pad_right - w.pad_left)};
}

std::vector<float> convolution_kernel(const TensorOp& op, const Blob& weight) {
  if (!is_deconvolution(op)) return weight.data;
  const Window2d window = convolution_window(op);
  const int64_t group = op.tg_convolution_param().group();
  const int64_t inputs = extents(op.input_shape(0)).c / group;    // per group
  const int64_t outputs = extents(op.output_shape(0)).c / group;  // per group
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  std::vector<float> kernel(weight.data.size());
  for (int64_t g = 0; g < group; ++g)
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t o = 0; o < outputs; ++o) {
        const float* from = &weight.data[((g * inputs + i) * outputs + o) * taps];
        float* to = &kernel[((g * outputs + o) * inputs + i) * taps];
        std::reverse_copy(from, from + taps, to);
      }
  return kernel;
}

std::vector<float> inner_product_matrix(const TensorOp& op, const Blob& weight) {
  const auto& param = op.tg_inner_product_param();
  if (param.weight_transpose()) return weight.data;
  const size_t rows = param.num_output(), columns = weight.data.size() / rows;
  std::vector<float> matrix(weight.data.size());
  for (size_t k = 0; k < columns; ++k)
    for (size_t n = 0; n < rows; ++n) matrix[n * columns + k] = weight.data[k * rows + n];
  return matrix;
}

// ---- verify ----

namespace {
constexpr int64_t kElements = int64_t{1} << 31;

class Verifier {
 public:
  explicit Verifier(const Network& network) : network_(network) {}

  Status run() {
    if (network_.ops.empty()) return Error(errors::net_ir).in("network").detail("no layers");
    for (const TensorOp& op : network_.ops) {
      TW_RETURN_IF_ERROR(position(op));
      TW_RETURN_IF_ERROR(parameters(op));
      TW_RETURN_IF_ERROR(inputs(op));
      TW_RETURN_IF_ERROR(outputs(op));
    }
    if (!is(network_.ops.back(), Op::end)) return fail(network_.ops.back(), "the last op is end");
    return {};
  }

 private:
  static Error fail(const TensorOp& op, std::string rule) {
    return Error(errors::net_ir).in("layer " + op.name() + " (" + op.type() + ")").detail(rule);
  }

  Status position(const TensorOp& op) {
    if (op.name().empty()) return fail(op, "an op has a name");
    if (op.type().empty()) return fail(op, "an op has a type");
    const bool start = is(op, Op::start), end = is(op, Op::end);
    if (start != op.bottom().empty()) return fail(op, "start, and nothing else, has no bottoms");
    if (end != op.top().empty()) return fail(op, "end, and nothing else, has no tops");
    if (end && &op != &network_.ops.back()) return fail(op, "end is the last op");
    return {};
  }

  static Status parameters(const TensorOp& op) {
    const auto* field = TensorOp::descriptor()->FindFieldByName(op.type() + "_param");
    if (field == nullptr || is(op, Op::start) || is(op, Op::end)) return {};
    if (field->is_repeated() || op.GetReflection()->HasField(op, field)) return {};
    return fail(op, "the op has its " + field->name());
  }

  Status inputs(const TensorOp& op) {
    if (op.input_shape_size() != op.bottom_size()) return fail(op, "every bottom has a shape");
    for (int i = 0; i < op.bottom_size(); ++i) {
      const auto found = shapes_.find(op.bottom(i));
      if (found == shapes_.end()) return fail(op, "bottom " + op.bottom(i) + " is made before it");
      const TensorShape &made = *found->second, &wanted = op.input_shape(i);
      if (dims(made) != dims(wanted) || made.data_type_size() != wanted.data_type_size())
        return fail(op, "bottom " + op.bottom(i) + " is " + describe(made) + ", as input " +
                            describe(wanted));
    }
    return {};
  }

  Status outputs(const TensorOp& op) {
    if (op.output_shape_size() != op.top_size()) return fail(op, "every top has a shape");
    for (int i = 0; i < op.top_size(); ++i) {
      int64_t product = 1;
      for (int64_t d : op.output_shape(i).dim()) {
        if (d < 1 || d >= kElements || (product *= d) >= kElements)
          return fail(op, "top " + op.top(i) + " has extents of at least 1 and fewer than 2^31 " +
                              "elements, not " + describe(op.output_shape(i)));
      }
      if (!shapes_.emplace(op.top(i), &op.output_shape(i)).second)
        return fail(op, "top " + op.top(i) + " has one producer");
    }
    return {};
  }

  const Network& network_;
  std::map<std::string, const TensorShape*, std::less<>> shapes_;
};
}  // namespace

Status verify(const Network& network) { return Verifier(network).run(); }

}  // namespace tputwin::net
