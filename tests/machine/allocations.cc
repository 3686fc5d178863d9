// A program that runs repeatedly allocates no memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/parallel.h"
#include "machine/planned_program.h"
#include "machine/programs.h"
#include "ops/fast/fast.h"

namespace {

std::atomic<uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = alignment == 0 ? std::malloc(bytes)
                                : std::aligned_alloc(
                                      alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined: otherwise the compiler would warn about a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, 0); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace tputwin::test {
namespace {

// Returns operations of typical networks, on maps that are large enough for several threads.
std::vector<Instruction> network() {
  ProgramBuilder b;
  const Shape map{1, 64, 28, 28}, half{1, 64, 14, 14};
  const TensorView in = b.tensor(0, map), out = b.tensor(0x1000, map),
                   small = b.tensor(0x2000, half);
  const Axis three{.kernel = 3, .pad_before = 1, .pad_after = 1};
  const Axis two{.kernel = 2, .stride = 2};
  for (int layer = 0; layer < 3; ++layer) {
    b.load(local_tensor(bm1880(), 0x3000, {1, 64, 9, 64}, false, DType::i8), 0x10000);
    b.load(in, 0x40000);
    b.add(Conv2dBm1880{.out = out,
                       .in = in,
                       .weight = conv_weight(0x3000, {64, 64, 3, 3}, DType::i8),
                       .window = {three, three},
                       .rshift = 8},
          Engine::compute, 0);
    b.pointwise(Elementwise::Kind::max, out, out, 0);
    b.pointwise(Elementwise::Kind::mul, in, out, 3);
    b.load(b.tensor(0x3800, {1, 64, 3, 3}), 0x30000);
    b.add(Depthwise2dBm1880{.out = out,
                            .in = in,
                            .weight = b.tensor(0x3800, {1, 64, 3, 3}),
                            .window = {three, three},
                            .rshift = 4},
          Engine::compute, 0);
    b.add(Pool2dBm1880{.out = small, .in = out, .window = {two, two}}, Engine::compute, 0);
    b.add(Pool2dBm1880{.out = b.tensor(0x2200, half), .in = small, .window = {three, three}},
          Engine::compute, 0);
    b.store(small, 0x60000);
  }
  return b.program();
}

// Returns how many of `runs` allocated memory.
int allocating_runs(Device& device, PlannedProgram& plan, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    const uint64_t before = allocations;
    EXPECT_TRUE(device.run(plan).ok());
    count += allocations != before;
  }
  return count;
}

void expect_no_allocations(int threads, const std::string& isa) {
  set_thread_count(threads);
  ASSERT_TRUE(fast::select_isa(isa));
  auto device = make_device({.chip = &bm1880()});
  PlannedProgram plan(network());
  allocating_runs(*device, plan, 3);
  // A second thread allocates its scratch memory with its first task, which may be in any run.
  constexpr int kRuns = 5, kMostAttempts = 40;
  int left = threads == 1 ? 1 : kMostAttempts;
  while (left > 0 && allocating_runs(*device, plan, kRuns) != 0) --left;
  EXPECT_GT(left, 0) << "on " << threads << " threads with " << isa;
}

// Tests every instruction set, because each has its own kernels. oneDNN allocates a table of
// arguments for every call.
TEST(Allocations, NoneFromTheThirdRunOn) {
  for (const std::string& isa : fast::available_isas())
    for (int threads : {1, 2})
      if (isa != "reference" && isa != "onednn") expect_no_allocations(threads, isa);
  fast::select_isa("");
  set_thread_count(0);
}

}  // namespace
}  // namespace tputwin::test
