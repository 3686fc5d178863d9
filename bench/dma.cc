// DMA instructions compared with memcpy of the same bytes.
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;

constexpr uint64_t kGlobalBytes = 96 << 20;

void run(benchmark::State& state, Operation op, uint64_t moved) {
  auto device = bench::make_device(kGlobalBytes);
  bench::next_to_memcpy(state, *device, std::move(op), 2 * moved);
}

TensorView local(const Shape& shape) {
  return local_tensor(bm1880(), 0, shape, /*aligned=*/true, DType::i8);
}

void load_tensor(benchmark::State& state) {
  const Shape s{1, 32, 128, 256};
  run(state, DmaTensor{.dst = local(s), .src = global_tensor(0, s)}, s.count());
}
BENCHMARK(load_tensor)->UseManualTime();

void store_tensor(benchmark::State& state) {
  const Shape s{1, 32, 128, 256};
  run(state, DmaTensor{.dst = global_tensor(0, s), .src = local(s)}, s.count());
}
BENCHMARK(store_tensor)->UseManualTime();

// A feature map of many small planes.
void load_small_planes(benchmark::State& state) {
  const Shape s{1, 1024, 14, 14};
  run(state, DmaTensor{.dst = local(s), .src = global_tensor(0, s)}, s.count());
}
BENCHMARK(load_small_planes)->UseManualTime();

// A tile of a larger feature map: rows with gaps.
void load_strided_rows(benchmark::State& state) {
  const Shape s{1, 64, 64, 112};
  TensorView src = global_tensor(0, {1, 64, 224, 224});
  src.shape = s;
  run(state, DmaTensor{.dst = local(s), .src = src, .explicit_strides = true}, s.count());
}
BENCHMARK(load_strided_rows)->UseManualTime();

// dst(n,c) = src(c,n), as batches are rearranged.
void load_transposed(benchmark::State& state) {
  const Shape s{32, 32, 16, 32};
  run(state, DmaTensor{.dst = local(s), .src = global_tensor(0, s), .transpose_nc = true},
      s.count());
}
BENCHMARK(load_transposed)->UseManualTime();

void copy_global(benchmark::State& state) {
  const Shape s{1, 32, 1024, 1024};
  run(state, DmaTensor{.dst = global_tensor(s.count(), s), .src = global_tensor(0, s)}, s.count());
}
BENCHMARK(copy_global)->UseManualTime();

void copy_local(benchmark::State& state) {
  const Shape s{1, 32, 128, 128};
  TensorView dst = local(s);
  dst.address = 32 << 10;
  run(state, DmaTensor{.dst = dst, .src = local(s)}, s.count());
}
BENCHMARK(copy_local)->UseManualTime();

void load_matrix(benchmark::State& state) {
  const uint32_t rows = 1024, cols = 1024;
  run(state,
      DmaMatrix{.dst = local_matrix(bm1880(), 0, rows, cols, DType::i8),
                .src = global_matrix(0, rows, cols, cols)},
      rows * cols);
}
BENCHMARK(load_matrix)->UseManualTime();

void load_matrix_transposed(benchmark::State& state) {
  const uint32_t rows = 1024, cols = 1024;
  run(state,
      DmaMatrix{.dst = local_matrix(bm1880(), 0, rows, cols, DType::i8),
                .src = global_matrix(0, cols, rows, rows),
                .transpose = true},
      rows * cols);
}
BENCHMARK(load_matrix_transposed)->UseManualTime();

void copy_global_matrix_transposed(benchmark::State& state) {
  const uint32_t rows = 2000, cols = 3000;
  run(state,
      DmaMatrix{.dst = global_matrix(32 << 20, rows, cols, cols),
                .src = global_matrix(0, cols, rows, rows),
                .transpose = true},
      rows * cols);
}
BENCHMARK(copy_global_matrix_transposed)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
