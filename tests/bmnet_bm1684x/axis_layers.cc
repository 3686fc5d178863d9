// Layers of two operands and layers that work along an axis, in every type.
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

using Dims = std::vector<int64_t>;

// ---- Two operands ----

using TwoOperands = ::bmnet::TGArithmeticParameter;

TensorOp arithmetic(TwoOperands::ArithmeticOp operation) {
  TensorOp op;
  set_type(op, Op::arithmetic);
  op.mutable_tg_arithmetic_param()->set_operation(operation);
  return op;
}

const std::pair<Dims, Dims> kOperands[] = {{{2, 6, 11, 9}, {2, 6, 11, 9}},
                                           {{2, 6, 11, 9}, {1, 6, 1, 1}},
                                           {{2, 6, 11, 9}, {2, 1, 11, 9}},
                                           {{2, 6, 11, 9}, {2, 6, 11, 1}},
                                           {{2, 6, 1, 9}, {2, 6, 11, 1}},
                                           {{2, 6, 11, 9}, {1, 1, 1, 9}},
                                           {{3, 1, 11, 9}, {1, 70, 11, 9}},
                                           {{2, 6, 11, 9}, {2, 1, 1, 1}},
                                           {{1, 90, 7}, {1, 1, 7}},
                                           {{2, 90, 7}, {1, 90, 7}},
                                           {{2, 90, 1}, {2, 1, 33}},
                                           {{20, 30}, {1, 30}},
                                           {{20, 30}, {20, 1}},
                                           {{3, 30}, {1, 30}},
                                           {{5, 700}, {5, 700}},
                                           {{40}, {40}},
                                           {{1, 3, 120, 130}, {1, 3, 1, 130}}};

TEST(Bm1684xArithmetic, TwoTensors) {
  for (const auto& [a, b] : kOperands)
    for (const auto operation :
         {TwoOperands::ADD, TwoOperands::SUB, TwoOperands::MUL, TwoOperands::DIV, TwoOperands::MAX,
          TwoOperands::MIN, TwoOperands::KEEP, TwoOperands::DROP}) {
      const bool is_typical = operation == TwoOperands::SUB || operation == TwoOperands::DIV ||
                              operation == TwoOperands::KEEP;
      if (!is_typical && a != kOperands[0].first) continue;
      SCOPED_TRACE(text(a) + " " + TwoOperands::ArithmeticOp_Name(operation) + " " + text(b));
      TensorOp op = arithmetic(operation);
      auto net = layer_net(op, {a, b}, {});
      ASSERT_TRUE(net.ok()) << net.status().message();
      Values inputs{{"x0", random_blob(a, 1)}, {"x1", random_blob(b, 2, 0.25f, 1)}};
      // A condition is 0 or 1.
      if (operation == TwoOperands::KEEP || operation == TwoOperands::DROP)
        for (float& v : inputs["x1"].data) v = std::round(v);
      expect_equal(*net, inputs);
    }
}

TEST(Bm1684xArithmetic, Constants) {
  for (const auto& [a, b] : kOperands)
    for (const bool reversed : {false, true})
      for (const auto operation : {TwoOperands::SUB, TwoOperands::DIV, TwoOperands::KEEP}) {
        SCOPED_TRACE(text(a) + " " + TwoOperands::ArithmeticOp_Name(operation) + " " + text(b) +
                     (reversed ? " reversed" : ""));
        TensorOp op = arithmetic(operation);
        op.mutable_tg_arithmetic_param()->set_reversed(reversed);
        *op.mutable_tg_arithmetic_param()->mutable_b_shape() = make_shape(b);
        Blob x = random_blob(a, 1, 0.25f, 1), constants = random_blob(b, 3, 0.25f, 1);
        if (operation == TwoOperands::KEEP)
          for (Blob* blob : {&x, &constants})
            for (float& v : blob->data) v = std::round(v);
        auto net = layer_net(op, {a}, {constants});
        ASSERT_TRUE(net.ok()) << net.status().message();
        expect_equal(*net, {{"x0", x}});
      }
}

TEST(Bm1684xArithmetic, OneValue) {
  for (const bool reversed : {false, true})
    for (const auto operation :
         {TwoOperands::SUB, TwoOperands::DIV, TwoOperands::MIN, TwoOperands::KEEP}) {
      SCOPED_TRACE(TwoOperands::ArithmeticOp_Name(operation));
      TensorOp op = arithmetic(operation);
      op.mutable_tg_arithmetic_param()->set_reversed(reversed);
      *op.mutable_tg_arithmetic_param()->mutable_b_shape() = make_shape({1, 1, 1, 1});
      auto net = layer_net(op, {{2, 6, 11, 9}}, {{{1, 1, 1, 1}, {0.7f}}});
      ASSERT_TRUE(net.ok()) << net.status().message();
      Blob x = random_blob({2, 6, 11, 9}, 1, 0.25f, 1);
      if (operation == TwoOperands::KEEP)
        for (float& v : x.data) v = std::round(v);
      expect_equal(*net, {{"x0", x}});
    }
}

// ---- Along an axis ----

const std::pair<Dims, std::vector<int>> kAxes[] = {
    {{2, 6, 11, 9}, {1, 2, 3}}, {{1, 21, 65, 67}, {1, 3}},
    {{1, 1000}, {1}},           {{70, 33}, {1}},
    {{2, 197, 64}, {1, 2}},     {{2, 3, 50, 50}, {3, 2}},
    {{300, 1, 1, 5}, {3}},      {{5, 2, 7000}, {2}}};

TEST(Bm1684xAxis, Softmax) {
  for (const auto& [shape, axes] : kAxes)
    for (const int axis : axes)
      for (const bool log : {false, true}) {
        SCOPED_TRACE(text(shape) + " axis " + std::to_string(axis) + (log ? " log" : ""));
        TensorOp op;
        set_type(op, Op::softmax);
        op.mutable_tg_softmax_param()->set_axis(axis);
        op.mutable_tg_softmax_param()->set_log(log);
        auto net = layer_net(op, {shape}, {});
        ASSERT_TRUE(net.ok()) << net.status().message();
        expect_equal(*net, {{"x0", random_blob(shape, 1, -8, 8)}});
      }
}

TEST(Bm1684xAxis, Reduction) {
  using Reducing = ::bmnet::TGReductionParameter;
  for (const auto& [shape, axes] : kAxes)
    for (const int axis : axes)
      for (int i = Reducing::ReductionOp_MIN; i <= Reducing::ReductionOp_MAX; ++i) {
        const auto operation = static_cast<Reducing::ReductionOp>(i);
        const bool is_typical = operation == Reducing::MEAN || operation == Reducing::LOG_SUM_EXP;
        if (!is_typical && shape != kAxes[0].first && shape != kAxes[1].first) continue;
        SCOPED_TRACE(text(shape) + " axis " + std::to_string(axis) + " " +
                     Reducing::ReductionOp_Name(operation));
        TensorOp op;
        set_type(op, Op::reduction);
        op.mutable_tg_reduction_param()->set_axis(axis);
        op.mutable_tg_reduction_param()->set_operation(operation);
        op.mutable_tg_reduction_param()->set_coeff(0.5f);
        auto net = layer_net(op, {shape}, {});
        ASSERT_TRUE(net.ok()) << net.status().message();
        Blob x = random_blob(shape, 1, operation == Reducing::PROD ? 0.95f : 0.1f, 1.05f);
        // Products are exact in all types, and sums in fp32.
        const float unit = operation == Reducing::PROD ? 64 : 16;
        for (float& v : x.data) v = std::round(v * unit) / unit;
        expect_equal(*net, {{"x0", x}}, 4);
      }
}

TEST(Bm1684xAxis, Standardize) {
  for (const auto& [shape, axes] : kAxes)
    for (const int axis : axes)
      for (int kind = 0; kind < 3; ++kind) {
        SCOPED_TRACE(text(shape) + " axis " + std::to_string(axis) + " " + std::to_string(kind));
        TensorOp op;
        set_type(op, Op::standardize);
        auto& p = *op.mutable_tg_standardize_param();
        p.set_axis(axis);
        p.set_centered(kind != 1);
        std::vector<Blob> blobs;
        int64_t run = 1;
        for (size_t i = static_cast<size_t>(axis); i < shape.size(); ++i) run *= shape[i];
        const int64_t values = axis == 1 ? run : shape[1];
        if (kind > 0) blobs = {random_blob({values}, 5, 0.5f, 2), random_blob({values}, 6)};
        auto net = layer_net(op, {shape}, blobs);
        ASSERT_TRUE(net.ok()) << net.status().message();
        expect_equal(*net, {{"x0", random_blob(shape, 1, -2, 3)}});
      }
}

TEST(Bm1684xAxis, StandardizeOfChannels) {
  for (const Dims& shape : {Dims{3, 6, 11, 9}, Dims{1, 70, 8, 8}, Dims{4, 5, 30}}) {
    SCOPED_TRACE(text(shape));
    TensorOp op;
    set_type(op, Op::standardize);
    op.mutable_tg_standardize_param()->set_per_channel(true);
    auto net = layer_net(op, {shape}, {});
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob(shape, 1, -2, 3)}});
  }
}

TEST(Bm1684xAxis, Norm) {
  for (const Dims& shape : {Dims{2, 6, 11, 9}, Dims{1, 256, 19, 19}})
    for (const bool across : {false, true}) {
      SCOPED_TRACE(text(shape) + (across ? " across" : ""));
      TensorOp op;
      set_type(op, Op::norm);
      op.mutable_tg_norm_param()->set_across_spatial(across);
      op.mutable_tg_norm_param()->set_channel_shared(false);
      auto net = layer_net(op, {shape}, {random_blob({shape[1]}, 5, 0.5f, 2)});
      ASSERT_TRUE(net.ok()) << net.status().message();
      expect_equal(*net, {{"x0", random_blob(shape, 1, -2, 3)}});
    }
}

// ---- Weighted sums of rows and columns, and of neighbouring channels ----

TEST(Bm1684xResample, RowsAndColumns) {
  using Taps = std::vector<std::pair<uint32_t, float>>;
  struct Axis {
    uint32_t taps;
    Taps all;
  };
  const Axis same{1, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}};
  const Axis twice{
      1, {{0, 1}, {0, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {3, 1}, {3, 1}, {4, 1}, {4, 1}}};
  const Axis padded{1, {{0, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {0, 0}}};
  const Axis linear{2, {{0, 1}, {0, 0}, {0, 0.3f}, {1, 0.7f}, {2, 0.4f}, {4, 0.6f}}};
  const Axis reversed{1, {{4, 1}, {3, 2}, {2, 1}, {1, -1}, {0, 1}}};
  for (const Axis* rows : {&same, &twice, &padded, &linear, &reversed})
    for (const Axis* columns : {&same, &twice, &padded, &linear, &reversed}) {
      TensorOp op;
      set_type(op, Op::resample);
      auto& p = *op.mutable_tg_resample_param();
      p.set_row_taps(rows->taps);
      p.set_column_taps(columns->taps);
      for (const auto& [source, weight] : rows->all) {
        p.add_row_source(source);
        p.add_row_weight(weight);
      }
      for (const auto& [source, weight] : columns->all) {
        p.add_column_source(source);
        p.add_column_weight(weight);
      }
      const Dims shape{2, 70, 5, 5};
      auto net = layer_net(op, {shape}, {});
      ASSERT_TRUE(net.ok()) << net.status().message();
      expect_equal(*net, {{"x0", random_blob(shape, 1)}});
    }
}

// Neighbouring slices of large results need the same rows, which are loaded once.
TEST(Bm1684xResample, SlicesShareRows) {
  for (const auto& [rows, columns] : {std::pair(384, 384), {450, 450}, {600, 450}, {384, 30}}) {
    TensorOp op;
    set_type(op, Op::interp);
    op.mutable_tg_interp_param()->set_pad_beg(0);
    op.mutable_tg_interp_param()->set_pad_end(0);
    const Dims shape{1, 2, 3, 3};
    *op.add_output_shape() = make_shape({1, 2, rows, columns});
    const auto net = layer_net(op, {shape}, {});
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob(shape, 1)}});
  }
}

TEST(Bm1684xResample, CornersAndCuts) {
  for (const auto& [from, to, cut] : {std::tuple(5, 9, 0), std::tuple(9, 4, 0), std::tuple(6, 6, 1),
                                      std::tuple(1, 3, 0), std::tuple(60, 119, 0)}) {
    SCOPED_TRACE(text({from, to, cut}));
    TensorOp op;
    set_type(op, Op::interp);
    op.mutable_tg_interp_param()->set_pad_beg(static_cast<uint32_t>(-cut));
    op.mutable_tg_interp_param()->set_pad_end(0);
    const Dims shape{2, 6, from, from + 1};
    *op.add_output_shape() = make_shape({2, 6, to, to + 2});
    auto net = layer_net(op, {shape}, {});
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob(shape, 1)}});
  }
}

TEST(Bm1684xLrn, AcrossChannels) {
  for (const uint32_t size : {1, 3, 5}) {
    SCOPED_TRACE(size);
    TensorOp op;
    set_type(op, Op::lrn);
    auto& p = *op.mutable_tg_lrn_param();
    p.set_local_size(size);
    p.set_alpha(0.3f);
    p.set_k(2);
    const Dims shape{2, 70, 9, 5};
    auto net = layer_net(op, {shape}, {});
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob(shape, 1, -3, 3)}});
  }
}

}  // namespace
}  // namespace tputwin::net::testing
