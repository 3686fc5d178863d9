// Observes the chip: counts the instructions and bytes of a small program with tputwin's own C++
// interface, and prints each instruction as the disassembler does.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <stdio.h>
#include <tputwin/device.h>
#include <tputwin/error.h>

#include <vector>

namespace {

class Counter : public tputwin::api::Observer {
 public:
  void on_instruction(const tputwin::api::Event& event) override {
    printf("  %s\n", event.text.c_str());
    instructions++;
    cycles += event.cycles;
    for (const tputwin::api::Range& range : event.ranges)
      if (!range.local) global_bytes += range.end - range.begin;
  }
  uint64_t instructions = 0, cycles = 0, global_bytes = 0;
};

// out = relu(in), 4 KiB in, 4 KiB out.
void relu_kernel(bmk1880_context_t* bk, u64 in, u64 out) {
  tensor_lmem* map = bmk1880_tl_alloc(bk, shape_t4(1, 16, 16, 16), FMT_I8, CTRL_AL);
  bmk1880_gdma_load(bk, map, in, CTRL_NULL);
  bmk1880_relu_param_t p = {map, map};
  bmk1880_tpu_relu(bk, &p);
  bmk1880_gdma_store(bk, map, out, CTRL_NULL);
  bmk1880_tl_free(bk, map);
}

}  // namespace

int main() {
  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return 1;
  bmmem_device_t in = bmmem_device_alloc_raw(ctx, 4096);
  bmmem_device_t out = bmmem_device_alloc_raw(ctx, 4096);
  std::vector<uint8_t> bytes(4096, 0x80);
  bm_memcpy_s2d(ctx, in, bytes.data());

  Counter counter;
  tputwin::api::Device device(ctx);
  device.add_observer(&counter);
  void* kernel = NULL;
  bmruntime_bmkernel_create(ctx, &kernel);
  relu_kernel((bmk1880_context_t*)kernel, bmmem_device_addr(ctx, in), bmmem_device_addr(ctx, out));
  bmruntime_bmkernel_submit(ctx);
  bmruntime_bmkernel_destroy(ctx);
  device.remove_observer(&counter);
  bm_exit(ctx);

  printf("observer: %llu instructions, %llu bytes of global memory, %llu cycles predicted\n",
         (unsigned long long)counter.instructions, (unsigned long long)counter.global_bytes,
         (unsigned long long)counter.cycles);
  return tputwin_error_count() == 0 ? 0 : 1;
}
