// Layers of int8 nets that compute in floats all the same, and what is merged into them.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

TensorOp& add_layer(Network& net, Op kind, const std::vector<std::string>& bottoms,
                    const std::string& top, const std::vector<int64_t>& shape) {
  TensorOp op;
  op.set_name(top);
  set_type(op, kind);
  for (const std::string& bottom : bottoms) {
    op.add_bottom(bottom);
    *op.add_input_shape() = *net.shape_of(bottom);
  }
  op.add_top(top);
  *op.add_output_shape() = make_shape(shape);
  net.ops.insert(net.ops.end() - 1, std::move(op));
  return *(net.ops.end() - 2);
}

// Makes another tensor the result.
void end_with(Network& net, const std::string& tensor) {
  net.ops.back().set_bottom(0, tensor);
  *net.ops.back().mutable_input_shape(0) = *net.shape_of(tensor);
}

// No byte saturates for the clip: the sum has no input of bytes, and is fp32.
TEST(ClipOfFloats, StaysAClip) {
  const std::vector<int64_t> shape{1, 3, 4, 4};
  TensorOp sum, scale;
  set_type(sum, Op::eltwise);
  sum.mutable_tg_eltwise_param()->set_operation(::bmnet::TGEltwiseParameter::SUM);
  set_type(scale, Op::scale);
  scale.mutable_tg_scale_param()->set_axis(1);
  for (const bool is_sum : {true, false}) {
    Network net = is_sum ? *layer_net(sum, {shape, shape}, {})
                         : *layer_net(scale, {shape}, {Blob{{3}, {2, 3, 4}}});
    TensorOp& clip = add_layer(net, Op::clip, {"y"}, "z", shape);
    clip.mutable_tg_clip_param()->set_min(0);
    clip.mutable_tg_clip_param()->set_max(0.3f);
    end_with(net, "z");
    for (const bm1684x::Target* target : {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()}) {
      const bm1684x::ScopedTarget scope(*target);
      EXPECT_EQ(compare(net, DType::i8, 4e-2f, 1), "") << is_sum << " " << target->chip.name;
    }
  }
}

// Weights so large, and results so small, that no right shift of the BM1684 scales them.
TEST(LayerWithoutShift, IsFp32) {
  Blob weights{{2, 2}, {1e5f, -1e5f, 1e5f, -1e5f}};
  TensorOp op;
  set_type(op, Op::inner_product);
  op.mutable_tg_inner_product_param()->set_num_output(2);
  op.mutable_tg_inner_product_param()->set_bias_term(false);
  op.mutable_tg_inner_product_param()->set_weight_transpose(true);
  Network net = *layer_net(op, {{1, 2}}, {weights});
  TensorOp& clip = add_layer(net, Op::clip, {"y"}, "z", {1, 2});
  clip.mutable_tg_clip_param()->set_min(0);
  clip.mutable_tg_clip_param()->set_max(1);
  end_with(net, "z");
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  const Values inputs{{"x0", {{1, 2}, {0.5f, 0.499995f}}}};
  EXPECT_EQ(compare(net, DType::i8, 1e-3f, inputs), "");
}

}  // namespace
}  // namespace tputwin::net::testing
