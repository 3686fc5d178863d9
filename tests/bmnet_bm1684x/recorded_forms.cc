// Every command of compiled nets has a form that recordings of the reference model have: the same
// operation on operands of the same types in the same memories.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_bm1684x/forms.h"
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {
namespace {

// Expects that every command of the net has a recorded form. Each form is reported once.
void expect_recorded(const Network& network, DType type, const Forms& recorded, Forms& missing) {
  const NetCalibrationParameter table = largest_values(network, random_inputs(network, 1));
  auto compiled = bm1684x::compile(network, {.type = type, .table = &table});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const auto program = transmitted(compiled->program);
  ASSERT_TRUE(program.ok()) << program.status().message();
  for (const Instruction& i : *program)
    if (recorded.count(form_of(i)) == 0 && missing.insert(form_of(i)).second)
      ADD_FAILURE() << to_string(type) << ": " << form_of(i);
}

TEST(Bm1684xForms, AreAllRecorded) {
  const Forms recorded = recorded_forms();
  ASSERT_GT(recorded.size(), 300u);
  Forms missing;
  for (const LayerCase& c : layer_cases()) {
    SCOPED_TRACE(c.name);
    auto network = random_net(net_of(c), {{"y", c.blobs}}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i8})
      expect_recorded(*network, type, recorded, missing);
  }
  // Weights of four bits, whose zeros are equal or not.
  for (const bool is_one_zero : {true, false}) {
    TensorOp op;
    set_type(op, Op::inner_product);
    op.mutable_tg_inner_product_param()->set_num_output(200);
    op.mutable_tg_inner_product_param()->set_bias_term(false);
    op.mutable_tg_inner_product_param()->set_weight_transpose(true);
    Blob weights{{200, 256}, std::vector<float>(200 * 256)};
    for (size_t i = 0; i < weights.data.size(); ++i)
      weights.data[i] =
          0.01f * (static_cast<float>(i * 7 % 16) - (is_one_zero || i < 128 ? 8.0f : 3.0f));
    auto network = layer_net(op, {{20, 256}}, {weights});
    ASSERT_TRUE(network.ok()) << network.status().message();
    for (const DType type : {DType::f16, DType::bf16})
      expect_recorded(*network, type, recorded, missing);
  }
}

}  // namespace
}  // namespace tputwin::net::testing
