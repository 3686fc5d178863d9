// Calls use their operands' values at the time of the call.
#include "fixture.h"
#include "isa/bm1880_codec.h"

namespace {

class Operands : public BmKernel {
 protected:
  // Returns the only command so far.
  tputwin::Operation only_operation() {
    std::vector<uint8_t> all = commands();
    auto program = tputwin::isa::decode_program(all, tputwin::bm1880());
    EXPECT_TRUE(program.ok()) << program.status().message();
    EXPECT_EQ(program->size(), 1u);
    return program->at(0).op;
  }
};

TEST_F(Operands, MembersChangedAfterAllocationCount) {
  tensor_lmem* t = at(0, shape_t4(1, 4, 2, 8));
  t->shape = shape_t4(1, 8, 4, 2);
  t->operand.laddr = 0x40;
  relu(t);
  auto op = std::get<tputwin::Elementwise>(only_operation());
  EXPECT_EQ(op.out.shape, (tputwin::Shape{1, 8, 4, 2}));
  EXPECT_EQ(op.out.address, 0x40u);
}

TEST_F(Operands, StridesOverrideAligned) {
  stride_t stride = stride_st4(400, 200, 10, 1);
  tensor_lmem* t = at(0, shape_t4(2, 40, 3, 8));
  t->stride = &stride;
  relu(t);
  auto op = std::get<tputwin::Elementwise>(only_operation());
  EXPECT_EQ(op.out.stride, (tputwin::Stride{400, 200, 10, 1}));
}

TEST_F(Operands, StridesReachTheDma) {
  stride_t stride = stride_st4(400, 200, 10, 1);
  tensor_lmem* t = at(0, shape_t4(2, 40, 3, 8));
  t->stride = &stride;
  bmk1880_gdma_load(ctx_, t, 0, CTRL_NULL);
  auto op = std::get<tputwin::DmaTensor>(only_operation());
  EXPECT_EQ(op.dst.stride, (tputwin::Stride{400, 200, 10, 1}));
}

TEST_F(Operands, MatricesAreTensorsOfBlocks) {
  bmk1880_xor_int8_param_t p{};
  p.res = p.a = p.b = at(0, shape_t1(100));
  bmk1880_tpu_xor_int8(ctx_, &p);
  auto op = std::get<tputwin::Elementwise>(only_operation());
  EXPECT_EQ(op.out.shape, (tputwin::Shape{1, 4, 1, 32}));
}

TEST_F(Operands, AFullLaneFitsTheStrideFields) {
  tensor_lmem* t = at(0, shape_t4(1, 32, 256, 256));
  EXPECT_NE(relu(t), nullptr) << tputwin_last_error();
}

TEST_F(Operands, OneDimensionMoreThanTheLaneIsAnError) {
  EXPECT_EQ(relu(at(0, shape_t4(1, 33, 256, 256))), nullptr);
  EXPECT_EQ(last_code(), "TW-BMK-0031");
  EXPECT_EQ(relu(at(16, shape_t4(1, 32, 256, 256))), nullptr);
  EXPECT_EQ(last_code(), "TW-MEM-0002");
}

TEST_F(Operands, LeftShiftOfMatrixProductsCountsOnlyWithAccumulation) {
  bmk1880_matrix_mac_param_t p{};
  p.left = at(0, shape_t2(2, 16));
  p.right = at(0x100, shape_t2(16, 16));
  p.res = at(0x400, shape_t2(2, 16));
  p.res_is_int8 = true;
  p.lshift_width = -7;  // a value of an uninitialized member
  EXPECT_NE(bmk1880_tpu_matrix_mac(ctx_, &p), nullptr);
  p.ctrls = CTRL_RA;
  p.res = at(0x400, shape_t2(4, 16));
  EXPECT_EQ(bmk1880_tpu_matrix_mac(ctx_, &p), nullptr);
  EXPECT_EQ(last_code(), "TW-OPS-0013");
}

}  // namespace
