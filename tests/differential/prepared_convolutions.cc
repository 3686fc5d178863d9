// Prepared convolutions of the BM1880 that read and write lanes or global memory: the results equal
// the reference kernel's.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/parallel.h"
#include "memory/layout.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/operation.h"
#include "selftest/fill_operands.h"
#include "selftest/lanes.h"
#include "selftest/rng.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

struct Layer {
  const char* name;
  Shape in;
  uint32_t channels, kernel, stride, pad;
};
constexpr Layer kLayers[] = {
    {"3x3", {1, 16, 30, 31}, 40, 3, 1, 1},
    {"3x3, two strides", {1, 19, 31, 29}, 33, 3, 2, 1},
    {"1x1, rows that touch", {1, 70, 20, 16}, 24, 1, 1, 0},
    {"5x5 of images", {3, 7, 17, 19}, 21, 5, 1, 2},
    {"more weights than inputs", {1, 64, 7, 7}, 150, 3, 1, 1},
    {"the same of images", {2, 130, 4, 5}, 99, 3, 1, 1},
    {"rows of a vector and one element", {1, 32, 12, 17}, 32, 1, 1, 0},
};

Conv2dBm1880 convolution(const Layer& layer, DType type) {
  const Axis axis{.kernel = layer.kernel,
                  .stride = layer.stride,
                  .pad_before = layer.pad,
                  .pad_after = layer.pad};
  const Shape out{layer.in.n, layer.channels, axis.output(layer.in.h), axis.output(layer.in.w)};
  Lanes lanes(bm1880());
  Conv2dBm1880 op{.out = lanes.aligned(out, DType::i8),
                  .in = lanes.aligned(layer.in, type),
                  .window = {axis, axis},
                  .rshift = 9};
  op.weight =
      conv_weight(lanes.end(), {layer.in.c, layer.channels, axis.kernel, axis.kernel}, DType::i8);
  return op;
}

TensorView in_global(TensorView view, uint64_t address) {
  view.space = Space::global;
  view.address = address;
  view.stride = system_stride(view.shape, 1);
  return view;
}

constexpr uint64_t kInput = 0x1000;

// The bytes of the input above 127: any, none, only the last one, all.
enum class Input : uint8_t { any, low, nearly_low, high };

// The memories that a prepared kernel reads and writes.
struct Moves {
  bool reads_global, writes_global, touch;
};

struct Memories {
  TestMemory random{bm1880(), 1 << 18}, before{bm1880(), 1 << 18}, expected{bm1880(), 1 << 18},
      actual{bm1880(), 1 << 18};
  Memories() {
    Rng rng(11);
    for (const auto bytes : random.all_bytes()) fill_random(rng, bytes);
  }
  void start(const TensorView& in, Input input) {
    before.copy_from(random);
    if (input == Input::any) return;
    const Memory memory = before.memory();
    size_t left = in.shape.count();
    for_each_index(in.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      const bool is_high = input == Input::high || (input == Input::nearly_low && --left == 0);
      const int32_t value = memory.read(in, n, c, h, w);
      memory.write(in, n, c, h, w, is_high ? value | 0x80 : value & 0x7f);
    });
  }
  bool are_equal() {
    const auto a = expected.all_bytes(), b = actual.all_bytes();
    for (size_t i = 0; i < a.size(); ++i)
      if (std::memcmp(a[i].data(), b[i].data(), a[i].size()) != 0) return false;
    return true;
  }
};

// Runs a prepared kernel on the selected instruction set.
void run_prepared(const Conv2dBm1880& op, const Conv2dBm1880& moved, const Moves& moves,
                  const Memory& memory) {
  const auto prepared = fast::prepare(op, memory);
  ASSERT_NE(prepared, nullptr);
  if (moves.reads_global) prepared->move(fast::Moved::input, moved.in);
  if (moves.writes_global) prepared->move(fast::Moved::result, moved.out);
  prepared->pack(memory);
  prepared->run(memory);
}

// Compares every instruction set, on one thread, on two, and on more than the kernel can use.
void expect_reference_bytes(Memories& memories, const Layer& layer, DType type, const Moves& moves,
                            Input input) {
  auto& [random, before, expected, actual] = memories;
  const Conv2dBm1880 op = convolution(layer, type);
  Conv2dBm1880 moved = op;
  const uint64_t after_input = kInput + op.in.shape.count();
  if (moves.reads_global) moved.in = in_global(op.in, kInput);
  if (moves.writes_global)
    moved.out = in_global(op.out, moves.touch ? after_input : after_input + 0x1000);
  memories.start(moved.in, input);
  expected.copy_from(before);
  execute(Operation(moved), expected.memory(), KernelChoice::reference);
  for (const std::string& isa : fast::available_isas())
    for (const int threads : {1, 2, 5}) {
      if (isa == "reference" || isa == "onednn") continue;
      fast::select_isa(isa);
      set_thread_count(threads);
      actual.copy_from(before);
      run_prepared(op, moved, moves, actual.memory());
      EXPECT_TRUE(memories.are_equal())
          << layer.name << " on " << isa << " with " << threads << " threads, from "
          << (moves.reads_global ? "global memory" : "lanes") << " to "
          << (moves.writes_global ? "global memory" : "lanes") << ", input "
          << static_cast<int>(input);
    }
}

class PreparedConvolutions : public ::testing::Test {
 protected:
  void TearDown() override {
    set_thread_count(0);
    fast::set_budgets({});
    fast::select_isa("");
  }
};

TEST_F(PreparedConvolutions, LeaveTheBytesOfTheReferenceKernel) {
  Memories memories;
  fast::set_budgets({.task_work = 1000});
  for (const Layer& layer : kLayers)
    for (const Moves moves :
         {Moves{false, false, false}, Moves{true, false, false}, Moves{false, true, false},
          Moves{true, true, true}, Moves{true, true, false}})
      for (const DType type : {DType::i8, DType::u8})
        for (const Input input : {Input::any, Input::low, Input::nearly_low, Input::high})
          expect_reference_bytes(memories, layer, type, moves, input);
}

}  // namespace
}  // namespace tputwin::testing
