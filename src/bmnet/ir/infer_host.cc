// Shapes of operations of the host from their parameters.
#include "bmnet/ir/infer_host.h"

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"

namespace tputwin::net {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kMostTaps = 65535;

// Computes the result's shape; throws if a parameter is wrong.
class HostOperation {
 public:
  explicit HostOperation(const TensorOp& op) : op_(op) {}

  Dims shape() {
    switch (properties(op_.type()).op) {
      case Op::reduction:
        return reduction();
      case Op::resample:
        return resample();
      case Op::matmul:
        return matmul();
      case Op::top_values:
        return top(op_.tg_top_values_param());
      default:
        return top(op_.tg_top_positions_param());
    }
  }

 private:
  void require(bool holds, std::string_view what, const std::string& value, std::string rule) {
    if (!holds)
      throw Error(errors::net_layer_parameter)
          .in("layer " + op_.name() + " (" + op_.type() + ")")
          .argument(what, value)
          .detail(std::move(rule));
  }
  void range(std::string_view what, int64_t value, int64_t low, int64_t high) {
    require(value >= low && value <= high, what, std::to_string(value),
            "in [" + std::to_string(low) + ", " + std::to_string(high) + "]");
  }
  Dims in(int i = 0) const { return dims(op_.input_shape(i)); }
  void inputs(int count) { range("bottoms", op_.bottom_size(), count, count); }
  void axes(size_t least, size_t most) {
    range("axes", static_cast<int64_t>(in().size()), static_cast<int64_t>(least),
          static_cast<int64_t>(most));
  }

  Dims reduction() {
    const int at = op_.tg_reduction_param().axis();
    inputs(1);
    range("axis", at, 1, static_cast<int64_t>(in().size()) - 1);
    Dims to = in();
    to.resize(static_cast<size_t>(at));
    return to;
  }

  template <class Sources, class Weights>
  int64_t side(const Sources& source, const Weights& weight, int64_t taps, int64_t extent) {
    range("taps", taps, 1, kMostTaps);
    require(source.size() == weight.size() && source.size() % taps == 0, "taps",
            std::to_string(source.size()), "as many sources as weights");
    for (uint32_t s : source) require(s < extent, "source", std::to_string(s), "inside the input");
    for (float w : weight) require(std::isfinite(w), "weight", std::to_string(w), "finite");
    return source.size() / taps;
  }

  Dims resample() {
    const auto& p = op_.tg_resample_param();
    inputs(1);
    axes(4, 4);
    const Dims x = in();
    return {x[0], x[1], side(p.row_source(), p.row_weight(), p.row_taps(), x[2]),
            side(p.column_source(), p.column_weight(), p.column_taps(), x[3])};
  }

  Dims matmul() {
    inputs(2);
    axes(2, 4);
    const Dims a = in(0), b = in(1);
    require(b.size() == a.size(), "axes", std::to_string(b.size()), "both operands have as many");
    const size_t rows = a.size() - 2, columns = a.size() - 1;
    require(b[rows] == a[columns], "rows", std::to_string(b[rows]),
            "as many as the first operand has columns");
    Dims to = a;
    to[columns] = b[columns];
    for (size_t i = 0; i < rows; ++i) {
      require(a[i] == b[i] || a[i] == 1 || b[i] == 1, "extent", std::to_string(b[i]),
              "1, or that of the other operand");
      to[i] = std::max(a[i], b[i]);
    }
    return to;
  }

  Dims top(const ::bmnet::TGTopParameter& p) {
    inputs(1);
    range("axis", p.axis(), 0, static_cast<int64_t>(in().size()) - 1);
    Dims to = in();
    int64_t& extent = to[static_cast<size_t>(p.axis())];
    range("count", p.count(), 1, extent);
    extent = p.count();
    return to;
  }

  const TensorOp& op_;
};

}  // namespace

Result<std::vector<int64_t>> infer_host_shape(const TensorOp& op) {
  try {
    return HostOperation(op).shape();
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace tputwin::net
