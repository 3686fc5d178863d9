// Random small nets of windows: convolutions, depthwise and grouped ones, deconvolutions, pads and
// pooling with every combination of kernel, stride, pads and rounding. They compile at every level
// without an error, and their results equal the interpreter's.
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/caffe/import.h"
#include "bmnet/ir/infer.h"
#include "bmnet/support.h"
#include "common/rng.h"

namespace tputwin::testing {
namespace {

using net::TensorOp;

// ---- Nets of the intermediate representation, with pads of each side ----

// Adds operations, each on the tensor before it. Draws until an operation is valid.
class NetBuilder {
 public:
  explicit NetBuilder(Rng& rng) : rng_(rng) {
    shape_ = {rng_.range(1, 2), rng_.coin() ? rng_.range(1, 8) : rng_.range(1, 70), extent(),
              extent()};
    TensorOp op;
    set_type(op, net::Op::start);
    *op.add_output_shape() = net::make_shape(shape_);
    name(op);
    network_.ops.push_back(std::move(op));
  }

  // Returns false if no valid layer was drawn.
  bool add_layer() {
    for (int tries = 0; tries < 100; ++tries) {
      TensorOp op = draw();
      name(op);
      op.add_bottom(network_.ops.back().top(0));
      *op.add_input_shape() = net::make_shape(shape_);
      auto shapes = net::infer_shapes(op);
      if (!shapes.ok() || net::count((*shapes)[0]) > 20000) continue;
      op.clear_output_shape();
      *op.add_output_shape() = (*shapes)[0];
      shape_ = net::dims((*shapes)[0]);
      network_.ops.push_back(std::move(op));
      return true;
    }
    return false;
  }

  Network finish() {
    TensorOp end;
    set_type(end, net::Op::end);
    end.set_name("end");
    end.mutable_end_param();
    end.add_bottom(network_.ops.back().top(0));
    *end.add_input_shape() = net::make_shape(shape_);
    network_.ops.push_back(std::move(end));
    return std::move(network_);
  }

 private:
  // Mostly few rows or columns, so that the first and last windows are a large part.
  uint32_t extent() { return rng_.chance(2, 3) ? rng_.range(1, 6) : rng_.range(1, 40); }

  void name(TensorOp& op) const {
    const std::string name = "t" + std::to_string(network_.ops.size());
    op.set_name(name);
    op.set_calib_id(name);
    op.add_top(name);
  }

  template <class List>
  void put(List* list, std::initializer_list<uint32_t> values) {
    for (uint32_t value : values) list->Add(value);
  }

  TensorOp draw() {
    if (rng_.chance(1, 8)) return relu();
    if (rng_.chance(2, 5)) return pooling();
    return convolution();
  }

  TensorOp relu() {
    TensorOp op;
    set_type(op, net::Op::activation);
    op.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
    return op;
  }

  uint32_t kernel() { return rng_.chance(1, 3) ? 1 : rng_.range(1, 6); }
  uint32_t stride() { return rng_.chance(1, 3) ? 1 : rng_.range(1, rng_.chance(1, 4) ? 15 : 4); }

  TensorOp pooling() {
    TensorOp op;
    set_type(op, net::Op::pooling);
    auto& p = *op.mutable_tg_pooling_param();
    using Parameter = ::bmnet::TGPoolingParameter;
    p.set_pool(rng_.coin() ? Parameter::MAX : Parameter::AVE);
    const uint32_t rows = kernel(), columns = kernel();
    put(p.mutable_kernel_size(), {rows, columns});
    put(p.mutable_stride(), {stride(), stride()});
    const auto pad = [&](uint32_t kernel) {
      return rng_.coin() ? 0 : static_cast<uint32_t>(rng_.below(kernel));
    };
    put(p.mutable_pad(), {pad(rows), pad(rows), pad(columns), pad(columns)});
    return op;
  }

  // Pads up to the field's limit, for every size of the kernel. A Pad layer is a depthwise window
  // of one element.
  TensorOp convolution() {
    TensorOp op;
    set_type(op, net::Op::convolution);
    auto& p = *op.mutable_tg_convolution_param();
    const auto channels = static_cast<uint32_t>(shape_[1]);
    const bool transposed = rng_.chance(1, 6), depthwise = rng_.chance(1, 3);
    const bool is_pad = depthwise && !transposed && rng_.chance(1, 3);
    const uint32_t rows = is_pad ? 1 : kernel(), columns = is_pad ? 1 : kernel();
    const uint32_t dilation = depthwise || rng_.chance(3, 4) ? 1 : rng_.range(2, 3);
    const uint32_t down = is_pad ? 1 : stride(), right = is_pad ? 1 : stride();
    put(p.mutable_kernel_size(), {rows, columns});
    put(p.mutable_stride(), {down, right});
    put(p.mutable_dilation(), {dilation, dilation});
    const auto pad = [&](uint32_t kernel) {
      if (transposed) return static_cast<uint32_t>(rng_.below((kernel - 1) * dilation + 1));
      return rng_.chance(1, 3) ? 0 : rng_.range(0, rng_.chance(1, 4) ? 15 : 3);
    };
    put(p.mutable_pad(), {pad(rows), pad(rows), pad(columns), pad(columns)});
    if (transposed) put(p.mutable_ins(), {down - 1, right - 1});
    uint32_t group = depthwise ? channels : rng_.pick({1u, 1u, 1u, 2u, 3u});
    if (channels % group != 0) group = 1;
    p.set_group(group);
    p.set_bias_term(rng_.coin());
    const uint32_t outputs = depthwise ? channels : group * rng_.range(1, rng_.coin() ? 3 : 40);
    *op.add_output_shape() = net::make_shape({1, outputs, 1, 1});
    return op;
  }

  Rng& rng_;
  Network network_;
  std::vector<int64_t> shape_;
};

std::string text_of(const Network& network) {
  std::string text;
  for (const TensorOp& op : network.ops) text += op.ShortDebugString() + "\n";
  return text;
}

TEST(RandomNets, OfWindowsEqualTheInterpreterAtEveryLevel) {
  const RandomCases cases(60);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    Rng rng = cases.rng(i);
    NetBuilder builder(rng);
    ASSERT_TRUE(builder.add_layer()) << cases.rerun(i);
    for (uint32_t more = rng.range(0, 2); more > 0; --more) builder.add_layer();
    const Network network = builder.finish();
    const Model model = random_model(network, rng.next());
    EXPECT_EQ(compare_levels(model.network, model.integers, i), "") << cases.rerun(i) << "\n"
                                                                    << text_of(network);
  }
}

// ---- Caffe's own pooling, by its rule for shapes ----

struct PoolingAxis {
  int64_t size, kernel, stride, pad;
  bool ceil;
  int64_t windows(bool any_pad) const {
    const int64_t slack = size + 2 * pad - kernel;
    if (slack < 0) return 0;
    int64_t count = (ceil ? slack + stride - 1 : slack) / stride + 1;
    if (any_pad && (count - 1) * stride >= size + pad) --count;
    return count;
  }
  // Returns true if a window is empty; without padding Caffe then takes the maximum or average of
  // no elements.
  bool has_empty_window(bool any_pad) const {
    return (windows(any_pad) - 1) * stride - pad >= size;
  }
};

TEST(RandomNets, OfCaffePoolingHaveItsShapesAndEqualTheInterpreter) {
  const RandomCases cases(60);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    Rng rng = cases.rng(i);
    const bool ceil = rng.chance(2, 3);
    const auto axis = [&] {
      const uint32_t kernel = rng.chance(1, 3) ? 1 : rng.range(1, 5);
      return PoolingAxis{rng.range(1, 12), kernel, rng.range(1, 6),
                         rng.coin() ? 0 : static_cast<int64_t>(rng.below(kernel)), ceil};
    };
    const PoolingAxis h = axis(), w = axis();
    const bool any_pad = h.pad > 0 || w.pad > 0;
    if (h.windows(any_pad) < 1 || w.windows(any_pad) < 1 || h.has_empty_window(any_pad) ||
        w.has_empty_window(any_pad))
      continue;
    const std::string text =
        "input: 'data' input_shape { dim: 1 dim: 3 dim: " + std::to_string(h.size) +
        " dim: " + std::to_string(w.size) + " }\n" +
        "layer { name: 'p' type: 'Pooling' bottom: 'data' top: 'p' pooling_param { pool: " +
        (rng.coin() ? "MAX" : "AVE") + " kernel_h: " + std::to_string(h.kernel) +
        " kernel_w: " + std::to_string(w.kernel) + " stride_h: " + std::to_string(h.stride) +
        " stride_w: " + std::to_string(w.stride) + " pad_h: " + std::to_string(h.pad) +
        " pad_w: " + std::to_string(w.pad) + (ceil ? "" : " ceil_mode: false") + " } }\n";
    auto model = random_model(text, i);
    ASSERT_TRUE(model.ok()) << model.error().message() << cases.rerun(i) << "\n" << text;
    EXPECT_EQ(net::dims(*model->network.shape_of("p")),
              (std::vector<int64_t>{1, 3, h.windows(any_pad), w.windows(any_pad)}))
        << cases.rerun(i) << "\n"
        << text;
    EXPECT_EQ(compare_levels(model->network, model->integers, i), "") << cases.rerun(i) << "\n"
                                                                      << text;
  }
}

}  // namespace
}  // namespace tputwin::testing
