// Shapes of operations from their parameters.
#include "bmnet/ir/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/ir/infer_host.h"

namespace tputwin::net {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kLargestParameter = 65535;  // largest kernel, stride, pad or factor
constexpr int64_t kLargestCount = int64_t{1} << 31;

// Infers shapes. The first error found is the result.
class Inference {
 public:
  explicit Inference(const TensorOp& op) : op_(op) {}

  Result<std::vector<TensorShape>> run() {
    if (op_.bottom_size() != op_.input_shape_size() || op_.bottom().empty())
      return fail("bottoms", std::to_string(op_.bottom_size()), "each has a shape");
    for (const TensorShape& shape : op_.input_shape()) {
      const bool known = shape.dim_size() >= 1 && shape.dim_size() <= 4 &&
                         std::ranges::all_of(shape.dim(), [](int64_t d) { return d >= 1; });
      if (!known) return fail("input", describe(shape), "one to four extents of at least 1");
      const bool takes_floats = has_trait(op_, trait::moves_elements) || is(op_, Op::host);
      if (shape.data_type_size() != 1 && !takes_floats)
        return fail("input", describe(shape), "int8");
    }
    shape_of_results();
    if (!status_.ok()) return status_.error();
    std::vector<TensorShape> shapes;
    if (static_cast<int>(results_.size()) != op_.top_size())
      return fail("tops", std::to_string(op_.top_size()), std::to_string(results_.size()));
    for (const Dims& dims : results_) {
      int64_t elements = 1;
      for (int64_t d : dims)
        if (d < 1 || d >= kLargestCount || (elements *= d) >= kLargestCount)
          return Error(errors::net_shape)
              .in(where())
              .argument("result", describe(make_shape(dims)));
      if (dims.empty() || dims.size() > 4)
        return fail("result", describe(make_shape(dims)), "one to four extents");
      const int bytes = has_trait(op_, trait::float_results) ? 4
                        : is(op_, Op::host)                  ? 1
                                                             : op_.input_shape(0).data_type_size();
      shapes.push_back(make_shape(dims, bytes));
    }
    return shapes;
  }

 private:
  std::string where() const { return "layer " + op_.name() + " (" + op_.type() + ")"; }
  Error fail(std::string_view what, std::string value, std::string rule) const {
    return Error(errors::net_layer_parameter)
        .in(where())
        .argument(what, std::move(value))
        .detail(std::move(rule));
  }
  bool require(bool holds, std::string_view what, int64_t value, std::string rule) {
    if (!holds && status_.ok()) status_ = fail(what, std::to_string(value), std::move(rule));
    return holds && status_.ok();
  }
  bool range(std::string_view what, int64_t value, int64_t low, int64_t high) {
    return require(value >= low && value <= high, what, value,
                   fmt::format("in [{}, {}]", low, high));
  }
  Dims in(int i = 0) const { return dims(op_.input_shape(i)); }
  Extents in4(int i = 0) const { return extents(op_.input_shape(i)); }
  bool inputs(int least, int most) { return range("bottoms", op_.bottom_size(), least, most); }
  bool axis(int64_t value, size_t axes) {
    return range("axis", value, 0, static_cast<int64_t>(axes) - 1);
  }
  void result(Dims dims) { results_.push_back(std::move(dims)); }

  // Calls the function in column `shapes` of ir/ops.def.
  void shape_of_results() {
    switch (properties(op_.type()).op) {
#define TW_OP_TPU(name, traits, shapes, ...) \
  case Op::name:                             \
    return shapes();
#define TW_OP_HOST(name, plugin, function, traits, shapes) \
  case Op::name:                                           \
    return shapes();
#define TW_OP_SUBNET(name, traits, shapes) \
  case Op::name:                           \
    return shapes();
#include "bmnet/ir/ops.def"
      default:
        return unknown();
    }
  }
  // For operations that only Caffe's layer importers make; they set the shapes of the results.
  void unknown() {
    if (status_.ok()) status_ = Error(errors::net_ir_type).in(where()).argument("type", op_.type());
  }

  void host() {
    for (const TensorShape& shape : op_.tg_host_param().result()) result(dims(shape));
  }
  void like_input() {
    if (inputs(1, 1)) result(in());
  }
  void four_axes() {
    like_input();
    require(in().size() == 4, "axes", static_cast<int64_t>(in().size()), "4");
  }
  void along_axis(int64_t value) {
    like_input();
    axis(value, in().size());
  }
  // The second bottom and the blob, if there are any, are added to the first.
  void softmax() {
    const auto& p = op_.tg_softmax_param();
    if (!inputs(1, 2)) return;
    result(in());
    axis(p.axis(), in().size());
    if (op_.bottom_size() == 2) addend(in(1));
    if (p.has_addend_shape()) addend(dims(p.addend_shape()));
  }
  void addend(const Dims& other) {
    if (!require(other.size() == in().size(), "axes", static_cast<int64_t>(other.size()),
                 "both addends have as many"))
      return;
    for (size_t i = 0; i < other.size(); ++i)
      require(other[i] == 1 || other[i] == in()[i], "extent", other[i],
              "1, or that of the first addend");
  }
  void reverse() { along_axis(op_.tg_reverse_param().axis()); }
  void standardize() {
    const auto& p = op_.tg_standardize_param();
    along_axis(p.per_channel() ? 0 : p.axis());
  }

  void scale() {
    like_input();
    require(op_.tg_scale_param().axis() == 1 && in().size() > 1, "axis",
            op_.tg_scale_param().axis(), "1");
  }
  void prelu() {
    like_input();
    require(in().size() > 1, "axes", static_cast<int64_t>(in().size()), "at least 2");
  }
  void lrn() {
    four_axes();
    const auto& p = op_.tg_lrn_param();
    range("local_size", p.local_size(), 1, 31);
    require(p.local_size() % 2 == 1, "local_size", p.local_size(), "odd");
    require(p.norm_region() == ::bmnet::TGLRNParameter::ACROSS_CHANNELS, "norm_region",
            p.norm_region(), "across channels");
  }

  bool window_fits(const google::protobuf::RepeatedField<uint32_t>& list, std::string_view name,
                   int values, int64_t low, int64_t high) {
    if (!range(std::string(name) + " values", list.size(), values, values)) return false;
    for (uint32_t value : list)
      if (!range(name, static_cast<int32_t>(value), low, high)) return false;
    return true;
  }

  void convolution() {
    const auto& p = op_.tg_convolution_param();
    const bool transposed = is_deconvolution(op_);
    if (!inputs(1, 1) || !require(in().size() == 4, "axes", static_cast<int64_t>(in().size()), "4"))
      return;
    if (!window_fits(p.kernel_size(), "kernel_size", 2, 1, kLargestParameter) ||
        !window_fits(p.stride(), "stride", 2, 1, kLargestParameter) ||
        !window_fits(p.dilation(), "dilation", 2, 1, kLargestParameter) ||
        !window_fits(p.pad(), "pad", 4, transposed ? -kLargestParameter : 0, kLargestParameter) ||
        !range("group", p.group(), 1, kLargestCount))
      return;
    if (!require(p.ins().empty() || transposed, "ins", p.ins_size(), "none, or two values")) return;
    if (!op_.output_shape().empty()) outputs_ = extents(op_.output_shape(0)).c;
    require(outputs_ >= 1 && outputs_ % p.group() == 0 && in4().c % p.group() == 0, "group",
            p.group(), "divides input and output channels");
    const Window2d w = convolution_window(op_);
    if (transposed) {
      require(
          static_cast<int64_t>(p.ins(0)) == w.ins_h && static_cast<int64_t>(p.ins(1)) == w.ins_w,
          "ins", p.ins(0), "stride - 1");
      range("pad", std::min({w.pad_top, w.pad_bottom, w.pad_left, w.pad_right}), 0,
            kLargestParameter);
    }
    if (!status_.ok()) return;
    const auto extent = [](int64_t size, int64_t ins, int64_t pads, int64_t reach, int64_t stride) {
      const int64_t slack = (size - 1) * (ins + 1) + 1 + pads - reach;
      return slack < 0 ? 0 : slack / stride + 1;
    };
    result({in4().n, outputs_,
            extent(in4().h, w.ins_h, int64_t{w.pad_top} + w.pad_bottom,
                   int64_t{w.kernel_h - 1} * w.dilation_h + 1, w.stride_h),
            extent(in4().w, w.ins_w, int64_t{w.pad_left} + w.pad_right,
                   int64_t{w.kernel_w - 1} * w.dilation_w + 1, w.stride_w)});
  }

  void inner_product() {
    const auto& p = op_.tg_inner_product_param();
    if (!inputs(1, 1) || !range("num_output", p.num_output(), 1, 16777215)) return;
    require(p.weight_transpose(), "weight_transpose", 0, "true");
    result({in()[0], p.num_output()});
  }

  void pooling() {
    const auto& p = op_.tg_pooling_param();
    if (!inputs(1, 1) || !require(in().size() == 4, "axes", static_cast<int64_t>(in().size()), "4"))
      return;
    if (!window_fits(p.kernel_size(), "kernel_size", 2, 1, kLargestParameter) ||
        !window_fits(p.stride(), "stride", 2, 1, kLargestParameter) ||
        !window_fits(p.pad(), "pad", 4, 0, kLargestParameter))
      return;
    const Window2d w = pooling_window(op_);
    const auto extent = [&](int64_t size, int64_t kernel, int64_t before, int64_t after,
                            int64_t stride) {
      require(before < kernel && after < kernel, "pad", std::max(before, after),
              "below the kernel");
      const int64_t slack = size + before + after - kernel;
      if (slack < 0) return int64_t{0};
      require((slack / stride) * stride - before < size, "stride", stride,
              "the last window is on the input");
      return slack / stride + 1;
    };
    const int64_t rows = extent(in4().h, w.kernel_h, w.pad_top, w.pad_bottom, w.stride_h);
    const int64_t columns = extent(in4().w, w.kernel_w, w.pad_left, w.pad_right, w.stride_w);
    result({in4().n, in4().c, rows, columns});
  }

  void eltwise() {
    const auto& p = op_.tg_eltwise_param();
    if (!inputs(2, 1024)) return;
    const bool product = p.operation() == ::bmnet::TGEltwiseParameter::PROD;
    if (product && !inputs(2, 2)) return;
    require(p.coeff().empty() || p.coeff_size() == op_.bottom_size(), "coeff", p.coeff_size(),
            "one per input");
    for (float c : p.coeff()) require(std::isfinite(c), "coeff", 0, "finite");
    for (int i = 1; i < op_.bottom_size() && !is_channel_product(op_); ++i)
      require(in(i) == in(), "bottom", i, "inputs have one shape");
    result(in());
  }

  void arithmetic() {
    if (!inputs(1, 2)) return;
    Dims to = in();
    const Dims other = op_.bottom_size() == 2 ? in(1) : dims(op_.tg_arithmetic_param().b_shape());
    if (!require(other.size() == to.size(), "axes", static_cast<int64_t>(other.size()),
                 "both operands have as many"))
      return;
    for (size_t i = 0; i < to.size(); ++i) {
      require(other[i] == to[i] || other[i] == 1 || to[i] == 1, "extent", other[i],
              "1, or that of the other operand");
      to[i] = std::max(to[i], other[i]);
    }
    result(to);
  }

  void concat() {
    const int at = op_.tg_concat_param().axis();
    if (!inputs(2, 1024) || !axis(at, in().size())) return;
    Dims to = in();
    for (int i = 1; i < op_.bottom_size(); ++i) {
      Dims part = in(i);
      if (!require(part.size() == to.size(), "axes", static_cast<int64_t>(part.size()),
                   "of one number"))
        return;
      const int64_t extent = part[static_cast<size_t>(at)];
      part[static_cast<size_t>(at)] = to[static_cast<size_t>(at)];
      if (!require(part == to, "bottom", i, "extents of the other axes are equal")) return;
      to[static_cast<size_t>(at)] += extent;
    }
    result(to);
  }

  Dims stated(int i) const { return dims(op_.output_shape(i)); }

  void slice() {
    const int at = op_.tg_slice_param().axis();
    if (!inputs(1, 1) || !axis(at, in().size())) return;
    int64_t whole = 0;
    for (int i = 0; i < op_.output_shape_size(); ++i) {
      Dims part = in();
      if (!require(stated(i).size() == part.size(), "axes", op_.output_shape(i).dim_size(),
                   "those of the input"))
        return;
      part[static_cast<size_t>(at)] = stated(i)[static_cast<size_t>(at)];
      whole += part[static_cast<size_t>(at)];
      result(part);
    }
    require(whole == in()[static_cast<size_t>(at)], "parts", whole, "the extent of the axis");
  }

  void reshape() {
    if (!inputs(1, 1) || !range("output shapes", op_.output_shape_size(), 1, 1)) return;
    int64_t elements = 1;
    for (int64_t d : stated(0))
      if (d < 1 || __builtin_mul_overflow(elements, d, &elements)) elements = 0;
    require(elements == count(op_.input_shape(0)), "elements", elements, "those of the input");
    result(stated(0));
  }

  void permute() {
    const auto& order = op_.tg_permute_param().order();
    if (!inputs(1, 1) || !range("order values", order.size(), 4, 4)) return;
    std::vector<bool> seen(4);
    Dims to;
    for (int i = 0; i < 4; ++i) {
      const uint32_t from = order.Get(i);
      if (!range("order", from, 0, 3) || !require(!seen[from], "order", from, "each axis once"))
        return;
      seen[from] = true;
      if (i < static_cast<int>(in().size())) {
        if (!range("order", from, 0, static_cast<int64_t>(in().size()) - 1)) return;
        to.push_back(in()[from]);
      }
    }
    result(to);
  }

  void crop() {
    const auto& offset = op_.tg_crop_param().offset();
    if (!inputs(1, 1) || !range("output shapes", op_.output_shape_size(), 1, 1) ||
        !range("offset values", offset.size(), 4, 4))
      return;
    Dims to = stated(0);
    if (!require(to.size() == in().size(), "axes", static_cast<int64_t>(to.size()),
                 "those of the input"))
      return;
    for (size_t i = 0; i < 4; ++i) {
      const int64_t first = offset.Get(static_cast<int>(i));
      const int64_t whole = i < to.size() ? in()[i] : 1, part = i < to.size() ? to[i] : 1;
      require(first + part <= whole, "offset", first, "the part is in the input");
    }
    result(to);
  }

  void upsample() {
    const auto& size = op_.tg_upsample_param().size();
    if (!inputs(1, 1) || !require(in().size() == 4, "axes", static_cast<int64_t>(in().size()), "4"))
      return;
    if (!window_fits(size, "size", 2, 1, kLargestParameter)) return;
    result({in4().n, in4().c, in4().h * size.Get(0), in4().w * size.Get(1)});
  }

  void reorg() {
    const int64_t s = op_.tg_reorg_param().stride();
    if (!inputs(1, 1) || !range("stride", s, 1, kLargestParameter)) return;
    if (!require(in().size() == 4 && in4().h % s == 0 && in4().w % s == 0, "stride", s,
                 "divides rows and columns"))
      return;
    result({in4().n, in4().c * s * s, in4().h / s, in4().w / s});
  }

  void tile() {
    const auto& p = op_.tg_tile_param();
    if (!inputs(1, 1) || !axis(p.axis(), in().size()) || !range("tiles", p.tiles(), 1, 16777215))
      return;
    Dims to = in();
    to[static_cast<size_t>(p.axis())] *= p.tiles();
    result(to);
  }

  void on_host() {
    auto shape = infer_host_shape(op_);
    if (shape.ok())
      result(std::move(*shape));
    else if (status_.ok())
      status_ = shape.error();
  }

  const TensorOp& op_;
  Status status_;
  std::vector<Dims> results_;
  int64_t outputs_ = 0;
};

}  // namespace

Result<std::vector<TensorShape>> infer_shapes(const TensorOp& op) { return Inference(op).run(); }

}  // namespace tputwin::net
