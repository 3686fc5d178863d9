// Passes on tiny programs of the BM1684X with sums of floats: the plan before and after them.
#include "machine/pass_test.h"

namespace tputwin::test::of_float_passes {
namespace {

constexpr uint64_t kIn = 0, kOther = 0x10000, kOut = 0x20000;

class PassesOfFloats : public PassTest {
 protected:
  static TensorView tensor(uint64_t address) {
    TensorView view = local_tensor(bm1684x(), address, {4, 64, 1, 1}, true, DType::f16);
    view.stride = lane_stride(bm1684x(), view.shape, 0, 2, true);
    view.plane_stride = 1;
    return view;
  }
  static TensorView in_global(uint64_t address) {
    TensorView view = tensor(address);
    view.space = Space::global;
    view.stride = system_stride(view.shape, 2);
    return view;
  }
  static Copy move(const TensorView& to, const TensorView& from) {
    return {.dst = to, .src = Source::tensor(from)};
  }

  // Two loads, their sum, and its store.
  void add_sum() {
    b_.add(move(a_, in_global(kIn)), Engine::dma, 0);
    b_.add(move(other_, in_global(kOther)), Engine::dma, 0);
    b_.add(FloatArithmetic{.out = out_, .a = Source::tensor(a_), .b = Source::tensor(other_)},
           Engine::compute, 0);
    b_.add(move(in_global(kOut), out_), Engine::dma, 0);
  }
  void overwrite(const TensorView& view) {
    b_.add(Copy{.engine = Engine::compute, .dst = view, .src = Source::value(0u, DType::f16)},
           Engine::compute, 0);
  }
  void finish() {
    program_ = b_.program();
    chip_ = &bm1684x();
  }

  ProgramBuilder b_{bm1684x()};
  TensorView a_ = tensor(0), other_ = tensor(0x1000), out_ = tensor(0x2000);
};

TEST_F(PassesOfFloats, PrepareFloatMaps) {
  add_sum();
  for (const TensorView& view : {a_, other_, out_}) overwrite(view);
  finish();
  expect("prepare_float_maps",
         "0 dma_copy\n1 dma_copy\n2 add\n3 dma_copy\n4 fill\n5 fill\n6 fill\n",
         "0 dma_copy\n1 dma_copy\n2 add: kernel\n3 dma_copy\n4 fill\n5 fill\n6 fill\n");
}

// The host may read the result in local memory.
TEST_F(PassesOfFloats, PrepareFloatMapsKeepsResultsThatStay) {
  add_sum();
  for (const TensorView& view : {a_, other_}) overwrite(view);
  finish();
  expect_unchanged("prepare_float_maps");
}

// The first load stays, because its bytes are live-out.
TEST_F(PassesOfFloats, FuseDmaOfFloatMaps) {
  add_sum();
  for (const TensorView& view : {other_, out_}) overwrite(view);
  finish();
  expect("fuse_dma", "0 dma_copy\n1 dma_copy\n2 add: kernel\n3 dma_copy\n4 fill\n5 fill\n",
         "0 dma_copy\n1 dma_copy: fused into 2\n2 add: kernel\n3 dma_copy: fused into 2\n"
         "4 fill\n5 fill\n");
}

}  // namespace
}  // namespace tputwin::test::of_float_passes
