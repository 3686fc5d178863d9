// Kernels that read or write through moves of elements: results have the bits of nets whose moves
// are transfers of their own.
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/net_builder.h"
#include "common/rng.h"

namespace tputwin::net::testing {
namespace {

using tputwin::testing::RandomCases;
using tputwin::testing::Rng;

TensorOp op_of(Op type) {
  TensorOp op;
  set_type(op, type);
  return op;
}

TensorOp permute(std::vector<uint32_t> order) {
  TensorOp op = op_of(Op::permute);
  while (order.size() < 4) order.push_back(static_cast<uint32_t>(order.size()));
  for (const uint32_t axis : order) op.mutable_tg_permute_param()->add_order(axis);
  return op;
}

TensorOp crop(const Extent& offsets, const Extent& to) {
  TensorOp op = op_of(Op::crop);
  for (size_t i = 0; i < 4; ++i)
    op.mutable_tg_crop_param()->add_offset(i < offsets.size() ? static_cast<uint32_t>(offsets[i])
                                                              : 0);
  *op.add_output_shape() = make_shape(to);
  return op;
}

TensorOp half() {
  TensorOp op = op_of(Op::power);
  op.mutable_tg_power_param()->set_scale(0.5f);
  op.mutable_tg_power_param()->set_shift(0.25f);
  return op;
}

TensorOp sum() {
  TensorOp op = op_of(Op::eltwise);
  op.mutable_tg_eltwise_param()->set_operation(::bmnet::TGEltwiseParameter::SUM);
  return op;
}

// Draws chains of moves between layers that compute.
class RandomMoves {
 public:
  explicit RandomMoves(Rng& rng) : rng_(rng) {}

  Network draw() {
    const int64_t columns = rng_.chance(1, 2) ? 16 * rng_.range(1, 3) : rng_.range(1, 70);
    all_ = {b_.input("x", {rng_.range(1, 3), rng_.range(1, 6), rng_.range(1, 9), columns})};
    all_.push_back(b_.layer(half(), {"x"}));
    for (uint32_t i = rng_.range(3, 12); i > 0; --i) add();
    std::vector<std::string> outputs = {b_.layer(half(), {all_.back()})};
    for (size_t i = 1; i < all_.size(); ++i)
      if (rng_.chance(1, 6)) outputs.push_back(all_[i]);
    return b_.finished(outputs);
  }

 private:
  void add() {
    const std::string x = all_[all_.size() - 1 - rng_.below(std::min<size_t>(all_.size(), 3))];
    const Extent d = b_.dims(x);
    switch (rng_.below(10)) {
      case 0:
        return put(b_.layer(half(), {x}));
      case 1:
        return put(b_.layer(sum(), {x, partner(x)}));
      case 2:
        return put(softmax(x));
      case 3:
        return put(concat(x, d));
      case 4:
        return put(b_.layer(regrouped(d), {x}));
      case 5:
        return put(cropped(x, d));
      case 6:
        return repeat(x, d);
      case 7:
        if (d.size() == 4 && d[1] % 2 == 0) put(groups(x, d));
        return;
      default:
        return put(permuted(x, d));
    }
  }
  void put(const std::string& tensor) { all_.push_back(tensor); }

  std::string partner(const std::string& x) {
    for (const std::string& t : all_)
      if (t != x && b_.dims(t) == b_.dims(x) && rng_.chance(1, 2)) return t;
    return x;
  }
  std::string softmax(const std::string& x) {
    TensorOp op = op_of(Op::softmax);
    op.mutable_tg_softmax_param()->set_axis(static_cast<int>(b_.dims(x).size()) - 1);
    return b_.layer(std::move(op), {x});
  }
  std::string concat(const std::string& x, const Extent& d) {
    TensorOp op = op_of(Op::concat);
    op.mutable_tg_concat_param()->set_axis(static_cast<int>(rng_.below(d.size())));
    return b_.layer(std::move(op), {x, rng_.chance(1, 2) ? partner(x) : b_.layer(half(), {x})});
  }
  // Each group reads a range of the channels.
  std::string groups(const std::string& x, const Extent& d) {
    TensorOp op = op_of(Op::convolution);
    auto& p = *op.mutable_tg_convolution_param();
    for (auto* list : {p.mutable_kernel_size(), p.mutable_stride(), p.mutable_dilation()})
      for (int i = 0; i < 2; ++i) list->Add(1);
    for (int i = 0; i < 4; ++i) p.add_pad(0);
    *op.add_output_shape() = make_shape({d[0], 4, d[2], d[3]});
    p.set_group(2);
    return b_.layer(std::move(op), {x},
                    {net::testing::random_blob({4, d[1] / 2, 1, 1}, rng_.below(100))});
  }
  // Splits an axis, or joins two.
  TensorOp regrouped(Extent d) {
    const size_t i = rng_.below(d.size());
    if (d.size() > 3 || (d.size() > 2 && rng_.chance(1, 2))) {
      const size_t first = std::min(i, d.size() - 2);
      d[first] *= d[first + 1];
      d.erase(d.begin() + static_cast<ptrdiff_t>(first) + 1);
      return reshape(d);
    }
    int64_t part = 1;
    for (const int64_t f : {2, 3, 8})
      if (d[i] % f == 0) part = f;
    d[i] /= part;
    d.insert(d.begin() + static_cast<ptrdiff_t>(i) + 1, part);
    return reshape(d);
  }
  std::string cropped(const std::string& x, const Extent& d) {
    Extent offsets, to;
    for (const int64_t extent : d) {
      const bool is_whole = rng_.chance(1, 2);
      to.push_back(is_whole ? extent : rng_.range(1, static_cast<uint32_t>(extent)));
      offsets.push_back(rng_.range(0, static_cast<uint32_t>(extent - to.back())));
    }
    return b_.layer(crop(offsets, to), {x});
  }
  void repeat(const std::string& x, const Extent& d) {
    const auto axis = static_cast<int>(rng_.below(d.size()));
    TensorOp op = op_of(rng_.chance(1, 2) ? Op::tile : Op::reverse);
    if (is(op, Op::tile)) {
      op.mutable_tg_tile_param()->set_axis(axis);
      op.mutable_tg_tile_param()->set_tiles(static_cast<int>(rng_.range(1, 2)));
    } else {
      op.mutable_tg_reverse_param()->set_axis(axis);
    }
    put(b_.layer(std::move(op), {x}));
  }
  std::string permuted(const std::string& x, const Extent& d) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < d.size(); ++i)
      order.insert(order.begin() + static_cast<ptrdiff_t>(rng_.below(order.size() + 1)), i);
    return b_.layer(permute(order), {x});
  }

  Rng& rng_;
  NetBuilder b_;
  std::vector<std::string> all_;
};

TEST(SkippedMoves, RandomChainsHaveTheBitsOfTransfers) {
  const RandomCases cases(24);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    const Network network = RandomMoves(rng).draw();
    for (const auto& [type, tolerance] : {std::pair(DType::f32, 1e-5f),
                                          {DType::f16, 1e-2f},
                                          {DType::bf16, 8e-2f},
                                          {DType::i8, 0.1f}})
      EXPECT_EQ(compare(network, type, tolerance, index), "") << to_string(type);
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    for (const auto& [type, tolerance] : {std::pair(DType::f32, 1e-5f), {DType::i8, 0.1f}})
      EXPECT_EQ(compare(network, type, tolerance, index), "") << "BM1684 " << to_string(type);
  }
}

// The slopes are those of the second axis, whatever view of a matrix the layers beside it have.
TEST(SlopesByChannel, AreThoseOfTheSecondAxis) {
  for (const Extent& shape :
       {Extent{9, 128}, {5, 70}, {200, 3}, {9, 70000}, {2, 9, 20}, {2, 9, 3, 5}}) {
    SCOPED_TRACE(text(shape));
    NetBuilder b;
    TensorOp op = op_of(Op::prelu);
    op.mutable_tg_prelu_param()->set_channel_shared(false);
    const std::string x = b.layer(half(), {b.input("x", shape)});
    const std::string y = b.layer(op, {x}, {net::testing::random_blob({shape[1]}, 4)});
    const Network network = b.finished({b.layer(half(), {y})});
    for (const auto& [type, tolerance] :
         {std::pair(DType::f32, 1e-5f), {DType::f16, 1e-2f}, {DType::i8, 0.1f}})
      EXPECT_EQ(compare(network, type, tolerance, 3), "") << to_string(type);
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    EXPECT_EQ(compare(network, DType::f32, 1e-5f, 3), "");
  }
}

// A column is repeated in local memory; other tiles are transfers.
TEST(RepeatedColumns, HaveTheBitsOfTransfers) {
  for (const auto& [shape, tiles] : {std::pair(Extent{300, 1}, 20),
                                     {Extent{1, 7, 10, 1}, 1000},
                                     {Extent{3, 5, 1}, 9000},
                                     {Extent{70000, 1}, 3}}) {
    SCOPED_TRACE(text(shape));
    NetBuilder b;
    TensorOp op = op_of(Op::tile);
    op.mutable_tg_tile_param()->set_axis(static_cast<int>(shape.size()) - 1);
    op.mutable_tg_tile_param()->set_tiles(tiles);
    const std::string x = b.layer(half(), {b.input("x", shape)});
    const Network network = b.finished({b.layer(half(), {b.layer(op, {x})})});
    for (const auto& [type, tolerance] :
         {std::pair(DType::f32, 1e-5f), {DType::f16, 1e-2f}, {DType::i8, 0.1f}})
      EXPECT_EQ(compare(network, type, tolerance, 3), "") << to_string(type);
  }
}

// Heads of attention: parts of the columns, and rows of each head, are read from the product.
TEST(SkippedMoves, HeadsOfAttentionAreNotMoved) {
  NetBuilder b;
  const int64_t rows = 24, heads = 3, width = 32, all = heads * width;
  TensorOp product = op_of(Op::inner_product);
  product.mutable_tg_inner_product_param()->set_num_output(static_cast<uint32_t>(2 * all));
  product.mutable_tg_inner_product_param()->set_bias_term(false);
  product.mutable_tg_inner_product_param()->set_weight_transpose(true);
  const std::string x = b.input("x", {rows, 64});
  const std::string p = b.layer(product, {x}, {random_blob({2 * all, 64}, 1)});
  std::vector<std::string> parts;
  for (const int64_t first : {int64_t{0}, all}) {
    const std::string cut = b.layer(crop({0, first}, {rows, all}), {p});
    parts.push_back(b.layer(permute({1, 0, 2}), {b.layer(reshape({rows, heads, width}), {cut})}));
  }
  const std::string keys = b.layer(permute({0, 2, 1}), {parts[1]});
  const std::string scores = b.layer(op_of(Op::matmul), {parts[0], keys});
  const std::string values = b.layer(op_of(Op::matmul), {scores, parts[1]});
  const std::string back = b.layer(reshape({rows, all}), {b.layer(permute({1, 0, 2}), {values})});
  const Network network = b.finished({b.layer(half(), {back})});
  EXPECT_EQ(compare(network, DType::f16, 1e-2f, 1), "");
  auto compiled = bm1684x::compile(network, {.type = DType::f16});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(compiled->explanation.find("moved by transfers"), std::string::npos)
      << compiled->explanation;
}

}  // namespace
}  // namespace tputwin::net::testing
