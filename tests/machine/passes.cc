// Each pass of the optimizer on a tiny program: the plan before and after it.
#include "common/command_program.h"
#include "machine/pass_test.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::test::of_passes {
namespace {

// Addresses in global memory.
constexpr uint64_t kIn = 0, kOther = 0x2000, kOut = 0x8000, kWeight = 0x10000, kGlobal = 1 << 20;

using Kind = Elementwise::Kind;

class Passes : public PassTest {
 protected:
  // A convolution of 32 channels, its input in bank 0 and its output in bank 1.
  static Conv2dBm1880 convolution(const ProgramBuilder& b) {
    Conv2dBm1880 op;
    op.in = b.tensor(0x4000, {1, 32, 8, 8});
    op.out = b.tensor(0x6000, {1, 32, 8, 8});
    op.weight = conv_weight(0, {32, 32, 1, 1}, DType::i8);
    op.rshift = 6;
    return op;
  }
  static void add(ProgramBuilder& b, const Conv2dBm1880& op) { b.add(op, Engine::compute, 0); }
  // Overwrites all of local memory.
  static void overwrite_all(ProgramBuilder& b) {
    b.load(local_tensor(bm1880(), 0, {1, 32, 256, 128}, true, DType::i8), 0);
    b.load(local_tensor(bm1880(), 0x8000, {1, 32, 256, 128}, true, DType::i8), 0);
  }
};

TEST_F(Passes, GraphKnowsWritersOfBytes) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  b.load(op.in, kIn);
  load_constants(b, op, kWeight);
  add(b, op);
  b.pointwise(Kind::max, op.out, op.out, 0).store(op.out, kOut);
  b.load(b.tensor(0x4000, {1, 32, 8, 8}), kOther);
  program_ = b.program();
  EXPECT_EQ(text_of(ProgramGraph(program_, *chip_)),
            "0 gdma_load: overwritten\n"
            "1 gdma_load: 1024 bytes live-out\n"
            "2 conv: reads [0], constants [1], overwritten\n"
            "3 max_const: reads [2], 2048 bytes live-out\n"
            "4 gdma_store: reads [3], overwritten\n"
            "5 gdma_load: 2048 bytes live-out\n");
}

TEST_F(Passes, PrepareKernels) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  b.call("host").store(op.out, kOut);
  program_ = b.program();
  expect("prepare_kernels",
         "0 gdma_load\n"
         "1 conv\n"
         "2 cpu_op\n"
         "3 gdma_store\n",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 cpu_op\n"
         "3 gdma_store: begins a section\n");
}

TEST_F(Passes, FuseRequantize) {
  chip_ = &bm1684x();
  testing::CommandProgram b(*chip_);
  Conv2dBm1684xInt8 op;
  const Shape map{1, 64, 4, 4};
  op.in = b.lanes(map, DType::i8);
  op.out = b.lanes(map, DType::i32);
  op.weight = Source::tensor(b.lanes(weight_shape(64, 64, op.window, DType::i8), DType::i8, false));
  TensorView bias = b.lanes({1, 64, 1, 1}, DType::i32, false);
  b.load(op.in, kIn);
  b.load(op.weight.view, kWeight);
  b.load(bias, kWeight + 0x4000);
  b.add(op);
  bias.shape = map;
  bias.stride.n = bias.stride.h = bias.stride.w = 0;
  b.add(IntArithmetic{.out = op.out, .a = Source::tensor(op.out), .b = Source::tensor(bias)});
  Requantize narrow{.in = op.out,
                    .multiplier = Source::value(1u << 30, DType::i32),
                    .shift = Source::value(static_cast<uint32_t>(-33), DType::i32),
                    .offset = Source::value(0u, DType::i32)};
  narrow.out = b.lanes(map, DType::i8);
  b.add(narrow);
  b.store(narrow.out, kOut);
  b.load(op.out, kOther);
  program_ = b.program();
  expect("fuse_requantize",
         "0 dma_copy\n"
         "1 dma_copy\n"
         "2 dma_copy\n"
         "3 conv2d_quant: kernel, constants 0 = loads [1]\n"
         "4 int_add\n"
         "5 requantize\n"
         "6 dma_copy\n"
         "7 dma_copy\n",
         "0 dma_copy\n"
         "1 dma_copy\n"
         "2 dma_copy\n"
         "3 conv2d_quant: kernel, constants 0 = loads [1, 2]\n"
         "4 int_add: fused into 3, kept by constants 0\n"
         "5 requantize: fused into 3, kept by constants 0\n"
         "6 dma_copy\n"
         "7 dma_copy\n");
}

// Two slices of a map, each with a load of the weights.
TEST_F(Passes, ShareConstants) {
  ProgramBuilder b;
  Conv2dBm1880 op = convolution(b);
  for (int slice = 0; slice < 2; ++slice) {
    load_constants(b, op, kWeight);
    add(b, op);
    op.in.address += 0x200, op.out.address += 0x200;
  }
  program_ = b.program();
  expect("share_constants",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 gdma_load\n"
         "3 conv: kernel, constants 1 = loads [2]\n",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 gdma_load\n"
         "3 conv: kernel, constants 0 = loads [0]\n");
}

TEST_F(Passes, ElideConstantLoads) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  overwrite_all(b);
  program_ = b.program();
  expect("elide_constant_loads",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 gdma_load\n"
         "3 gdma_load\n",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 gdma_load\n"
         "3 gdma_load\n");
}

TEST_F(Passes, DeferLoads) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  b.load(op.in, kIn);
  load_constants(b, op, kWeight);
  add(b, op);
  program_ = b.program();
  expect("defer_loads",
         "0 gdma_load\n"
         "1 gdma_load\n"
         "2 conv: kernel, constants 0 = loads [1]\n",
         "0 gdma_load\n"
         "1 gdma_load: deferred, needed by [0]\n"
         "2 conv: kernel, constants 0 = loads [1]\n");
}

TEST_F(Passes, MakeLoadsRestorable) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  overwrite_all(b);
  program_ = b.program();
  expect("make_loads_restorable",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 gdma_load\n"
         "3 gdma_load\n",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "2 gdma_load\n"
         "3 gdma_load\n");
}

TEST_F(Passes, FuseResidual) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  TensorView wide = b.tensor(0x7000, op.out.shape), sum = wide;
  wide.dtype = DType::i16;
  wide.plane_stride = sum.plane_stride = 64;
  load_constants(b, op, kWeight);
  add(b, op);
  b.pointwise(Kind::mul, wide, b.tensor(0x7100, op.out.shape), 3);
  b.pointwise(Kind::mac, sum, op.out, 5);
  overwrite_all(b);
  program_ = b.program();
  expect("fuse_residual",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "2 mul_const\n"
         "3 mac_const\n"
         "4 gdma_load\n"
         "5 gdma_load\n",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "2 mul_const: fused into 1\n"
         "3 mac_const: fused into 1\n"
         "4 gdma_load\n"
         "5 gdma_load\n");
}

TEST_F(Passes, FuseRelu) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  b.pointwise(Kind::max, op.out, op.out, 0);
  program_ = b.program();
  expect("fuse_relu",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 max_const\n",
         "0 gdma_load\n"
         "1 conv: kernel, constants 0 = loads [0]\n"
         "2 max_const: fused into 1\n");
}

TEST_F(Passes, FuseDma) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  b.load(op.in, kIn);
  add(b, op);
  b.pointwise(Kind::max, op.out, op.out, 0).store(op.out, kOut);
  overwrite_all(b);
  program_ = b.program();
  expect("fuse_dma",
         "0 gdma_load: elided, needed by [0]\n"
         "1 gdma_load\n"
         "2 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "3 max_const: fused into 2\n"
         "4 gdma_store\n"
         "5 gdma_load\n"
         "6 gdma_load\n",
         "0 gdma_load: elided, needed by [0]\n"
         "1 gdma_load: fused into 2\n"
         "2 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "3 max_const: fused into 2\n"
         "4 gdma_store: fused into 2\n"
         "5 gdma_load\n"
         "6 gdma_load\n");
}

// Two slices of output channels, which read the same input.
TEST_F(Passes, SharePackedInputs) {
  ProgramBuilder b;
  Conv2dBm1880 op = convolution(b);
  op.weight = conv_weight(0, {32, 32, 3, 3}, DType::i8);
  for (Axis* axis : {&op.window.h, &op.window.w})
    axis->kernel = 3, axis->pad_before = axis->pad_after = 1;
  for (int slice = 0; slice < 2; ++slice) {
    load_constants(b, op, kWeight + slice * 0x4000);
    add(b, op);
    op.out.address += 0x200;
  }
  program_ = b.program();
  expect("share_packed_inputs",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "2 gdma_load\n"
         "3 conv: kernel, constants 1 = loads [2]\n",
         "0 gdma_load: elided, needed by [0]\n"
         "1 conv: kernel, constants 0 = loads [0], may restore [0]\n"
         "2 gdma_load\n"
         "3 conv: kernel, constants 1 = loads [2], shares input\n");
}

TEST_F(Passes, RecordGlobalUse) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  b.load(op.in, kIn);
  load_constants(b, op, kWeight);
  add(b, op);
  b.store(op.out, kOut);
  overwrite_all(b);
  program_ = b.program();
  const auto device = make_device({.chip = chip_, .global_bytes = 2 << 20});
  const ProgramGraph graph(program_, *chip_);
  PlanBuilder plan(graph, device->memories().take_all());
  run_passes(plan);
  EXPECT_EQ(text_of(plan.parts().used_by_elided), "0x10000 + 1280");
  EXPECT_EQ(text_of(plan.parts().used_by_others), "0x0 + 1048832");
}

// The host is called between two slices and may write the weights.
TEST_F(Passes, ShareConstantsKeepsSectionsSeparate) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  for (int slice = 0; slice < 2; ++slice) {
    load_constants(b, op, kWeight);
    add(b, op);
    b.call("host");
  }
  program_ = b.program();
  expect_unchanged("share_constants");
}

TEST_F(Passes, ElideConstantLoadsKeepsBytesThatOthersRead) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  b.store(b.tensor(0), kOut);
  overwrite_all(b);
  program_ = b.program();
  expect_unchanged("elide_constant_loads");
}

// The convolution reads an input from before the program, which may be in bytes of the load.
TEST_F(Passes, DeferLoadsKeepsLoadsOfProgramsThatReadOldBytes) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  program_ = b.program();
  expect_unchanged("defer_loads");
}

TEST_F(Passes, FuseResidualKeepsOutputsThatOthersTouch) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  TensorView wide = b.tensor(0x7000, op.out.shape), sum = wide;
  wide.dtype = DType::i16;
  wide.plane_stride = sum.plane_stride = 64;
  load_constants(b, op, kWeight);
  add(b, op);
  b.store(b.tensor(0x7000), kOut);
  b.pointwise(Kind::mul, wide, b.tensor(0x7100, op.out.shape), 3);
  b.pointwise(Kind::mac, sum, op.out, 5);
  overwrite_all(b);
  program_ = b.program();
  expect_unchanged("fuse_residual");
}

TEST_F(Passes, FuseReluKeepsResultsThatOthersRead) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  add(b, op);
  b.store(op.out, kOut).pointwise(Kind::max, op.out, op.out, 0);
  program_ = b.program();
  expect_unchanged("fuse_relu");
}

// A store writes the source of the load before the kernel runs.
TEST_F(Passes, FuseDmaKeepsLoadsWhoseSourceIsWritten) {
  ProgramBuilder b;
  const Conv2dBm1880 op = convolution(b);
  load_constants(b, op, kWeight);
  b.load(op.in, kIn).store(b.tensor(0x8000), kIn + 5);
  add(b, op);
  overwrite_all(b);
  program_ = b.program();
  expect_unchanged("fuse_dma");
}

TEST_F(Passes, SharePackedInputsKeepsInputsThatChange) {
  ProgramBuilder b;
  Conv2dBm1880 op = convolution(b);
  op.weight = conv_weight(0, {32, 32, 3, 3}, DType::i8);
  for (Axis* axis : {&op.window.h, &op.window.w})
    axis->kernel = 3, axis->pad_before = axis->pad_after = 1;
  for (int slice = 0; slice < 2; ++slice) {
    load_constants(b, op, kWeight + slice * 0x4000);
    add(b, op);
    b.pointwise(Kind::max, op.in, op.in, 3);
    op.out.address += 0x200;
  }
  program_ = b.program();
  expect_unchanged("share_packed_inputs");
}

}  // namespace
}  // namespace tputwin::test::of_passes
