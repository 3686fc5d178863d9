// One job in the three ways the BM1880 lets a program order its engines: serially, with engines in
// parallel, and as streams with dependencies. All three leave the same bytes.
//
// The job: raise every tile to a common floor, out = max(tile, floor), through two buffers.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <stdint.h>
#include <stdio.h>
#include <tputwin/error.h>

#include <vector>

namespace {

const int kTiles = 8;
const u64 kBytes = 32 * 16 * 16;  // of a tile (1,32,16,16)

struct Job {
  bmk1880_context_t* bk;
  u64 in, out;  // global addresses
  tensor_lmem *floor, *buffer[2];
};

bmk1880_op_t* load_floor(const Job& job) {
  return bmk1880_gdma_load(job.bk, job.floor, job.in + kTiles * kBytes, CTRL_NULL);
}

bmk1880_op_t* load(const Job& job, int tile) {
  return bmk1880_gdma_load(job.bk, job.buffer[tile % 2], job.in + tile * kBytes, CTRL_NULL);
}

bmk1880_op_t* compute(const Job& job, int tile) {
  bmk1880_max_param_t p;
  p.max = p.a = job.buffer[tile % 2];
  p.b = job.floor;
  return bmk1880_tpu_max(job.bk, &p);
}

bmk1880_op_t* store(const Job& job, int tile) {
  return bmk1880_gdma_store(job.bk, job.buffer[tile % 2], job.out + tile * kBytes, CTRL_NULL);
}

// Every command waits for the one before it.
void serial(const Job& job) {
  load_floor(job);
  for (int tile = 0; tile < kTiles; tile++) {
    load(job, tile);
    compute(job, tile);
    store(job, tile);
  }
}

// A software pipeline: inside a group the engines run independently. The DMA engine stores the tile
// before the current one and then loads the tile after it into the buffer that became free.
void engine_parallel(const Job& job) {
  load_floor(job);
  load(job, 0);
  for (int tile = 0; tile < kTiles; tile++) {
    bmk1880_parallel_enable(job.bk);
    compute(job, tile);
    if (tile > 0) store(job, tile - 1);
    if (tile + 1 < kTiles) load(job, tile + 1);
    bmk1880_parallel_disable(job.bk);
  }
  store(job, kTiles - 1);
}

// Two streams, one per buffer: order inside a stream, none between them. The floor is loaded by the
// first stream; a dependency makes the second one's first computation wait for it.
void streams(const Job& job) {
  bmk1880_create_streams(job.bk, 2);
  bmk1880_set_stream(job.bk, 0);
  bmk1880_op_t* floor_loaded = load_floor(job);
  for (int tile = 0; tile < kTiles; tile++) {
    bmk1880_set_stream(job.bk, tile % 2);
    load(job, tile);
    bmk1880_op_t* computed = compute(job, tile);
    if (tile == 1) bmk1880_add_dependency(job.bk, floor_loaded, computed);
    store(job, tile);
  }
  bmk1880_destroy_streams(job.bk);
}

std::vector<uint8_t> run(bmctx_t ctx, const std::vector<uint8_t>& input,
                         void (*order)(const Job&)) {
  bmmem_device_t in = bmmem_device_alloc_raw(ctx, input.size());
  bmmem_device_t out = bmmem_device_alloc_raw(ctx, kTiles * kBytes);
  bm_memcpy_s2d(ctx, in, const_cast<uint8_t*>(input.data()));

  void* kernel = NULL;
  bmruntime_bmkernel_create(ctx, &kernel);
  Job job = {(bmk1880_context_t*)kernel,
             bmmem_device_addr(ctx, in),
             bmmem_device_addr(ctx, out),
             NULL,
             {NULL, NULL}};
  // The tensors are in different banks, so that the engines have no bank conflicts.
  shape_t shape = shape_t4(1, 32, 16, 16);
  job.floor = bmk1880_tl_alloc_bank(job.bk, 0, shape, FMT_I8, CTRL_AL);
  job.buffer[0] = bmk1880_tl_alloc_bank(job.bk, 1, shape, FMT_I8, CTRL_AL);
  job.buffer[1] = bmk1880_tl_alloc_bank(job.bk, 2, shape, FMT_I8, CTRL_AL);
  order(job);
  bmk1880_tl_free(job.bk, job.buffer[1]);
  bmk1880_tl_free(job.bk, job.buffer[0]);
  bmk1880_tl_free(job.bk, job.floor);
  bmruntime_bmkernel_submit(ctx);
  bmruntime_bmkernel_destroy(ctx);

  std::vector<uint8_t> output(kTiles * kBytes);
  bm_memcpy_d2s(ctx, output.data(), out);
  bmmem_device_free(ctx, out);
  bmmem_device_free(ctx, in);
  return output;
}

}  // namespace

int main() {
  std::vector<uint8_t> input((kTiles + 1) * kBytes), expected(kTiles * kBytes);  // floor comes last
  for (size_t i = 0; i < input.size(); i++) input[i] = (uint8_t)(i * 131 + i / 251);
  for (size_t i = 0; i < expected.size(); i++)
    expected[i] = (uint8_t)math_max((int8_t)input[i], (int8_t)input[kTiles * kBytes + i % kBytes]);
  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return 1;
  const struct {
    const char* name;
    void (*order)(const Job&);
  } orders[] = {{"serial", serial}, {"engine-parallel", engine_parallel}, {"streams", streams}};
  int failures = 0;
  for (const auto& o : orders) {
    bool equal = run(ctx, input, o.order) == expected;
    printf("streams: %-15s %s\n", o.name, equal ? "equals the host's result" : "DIFFERS");
    failures += !equal;
  }
  if (tputwin_error_count() > 0) printf("streams: %s\n", tputwin_last_error());
  bm_exit(ctx);
  return failures != 0;
}
