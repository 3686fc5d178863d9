// Passes on tiny programs of the BM1684X from bytes to bytes: the plan before and after them.
#include "machine/pass_test.h"

namespace tputwin::test::of_byte_passes {
namespace {

using PassesOfBytes = PassTest;

// A residual of the BM1684X: two products in 16 bits, and their sum in bytes.
struct BytesOfResidual {
  TensorView a = tensor(0, DType::i8), b = tensor(0x1000, DType::u8),
             wide = tensor(0x2000, DType::i16), other = tensor(0x3000, DType::i16),
             out = tensor(0x4000, DType::i8);
  static TensorView tensor(uint64_t address, DType dtype) {
    TensorView view = local_tensor(bm1684x(), address, {1, 64, 8, 8}, true, dtype);
    view.stride = lane_stride(bm1684x(), view.shape, 0, element_bytes(dtype), true);
    view.plane_stride = dtype == DType::i16;
    return view;
  }
  static IntArithmetic product(const TensorView& in, const TensorView& out) {
    return {.kind = IntArithmetic::Kind::mul,
            .out = out,
            .a = Source::tensor(in),
            .b = Source::value(25, DType::i8),
            .shift = Source::value(static_cast<uint32_t>(-5), DType::i8)};
  }
  void add_to(ProgramBuilder& b_) const {
    b_.add(product(a, wide), Engine::compute, 0).add(product(b, other), Engine::compute, 0);
    b_.add(IntArithmetic{.out = out, .a = Source::tensor(wide), .b = Source::tensor(other)},
           Engine::compute, 0);
  }
  void overwrite(ProgramBuilder& builder) const {
    for (const TensorView& view : {a, b, wide, other})
      builder.add(
          Copy{.engine = Engine::compute, .dst = view, .src = Source::value(0u, view.dtype)},
          Engine::compute, 0);
  }
};

TEST_F(PassesOfBytes, FuseByteSums) {
  ProgramBuilder b(bm1684x());
  const BytesOfResidual residual;
  residual.add_to(b);
  residual.overwrite(b);
  program_ = b.program();
  chip_ = &bm1684x();
  expect("fuse_byte_sums", "0 int_mul\n1 int_mul\n2 int_add\n3 fill\n4 fill\n5 fill\n6 fill\n",
         "0 int_mul: fused into 2\n1 int_mul: fused into 2\n2 int_add: kernel\n"
         "3 fill\n4 fill\n5 fill\n6 fill\n");
}

// The first input changes before the sum would read it.
TEST_F(PassesOfBytes, FuseByteSumsKeepsInputsThatChange) {
  ProgramBuilder b(bm1684x());
  const BytesOfResidual residual;
  b.add(BytesOfResidual::product(residual.a, residual.wide), Engine::compute, 0);
  b.add(Copy{.engine = Engine::compute, .dst = residual.a, .src = Source::value(0u, DType::i8)},
        Engine::compute, 0);
  b.add(BytesOfResidual::product(residual.b, residual.other), Engine::compute, 0);
  b.add(IntArithmetic{.out = residual.out,
                      .a = Source::tensor(residual.wide),
                      .b = Source::tensor(residual.other)},
        Engine::compute, 0);
  residual.overwrite(b);
  program_ = b.program();
  chip_ = &bm1684x();
  expect_unchanged("fuse_byte_sums");
}

// The second product overwrites bytes of the first one.
TEST_F(PassesOfBytes, FuseByteSumsKeepsProductsThatOverlap) {
  ProgramBuilder b(bm1684x());
  BytesOfResidual residual;
  residual.other.address = residual.wide.address + 64;
  residual.add_to(b);
  residual.overwrite(b);
  program_ = b.program();
  chip_ = &bm1684x();
  expect_unchanged("fuse_byte_sums");
}

TEST_F(PassesOfBytes, FuseByteSumsKeepsProductsThatStay) {
  ProgramBuilder b(bm1684x());
  BytesOfResidual().add_to(b);
  program_ = b.program();
  chip_ = &bm1684x();
  expect_unchanged("fuse_byte_sums");
}

}  // namespace
}  // namespace tputwin::test::of_byte_passes
