// Debug print of a tensor in local memory.
#include <fmt/format.h>

#include <cstdio>

#include "base/errors/tpukernel.h"
#include "ops/contract/kernel_steps.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

std::string element(const Memory& memory, const TensorView& view, uint32_t n, uint32_t c,
                    uint32_t h, uint32_t w) {
  if (is_float(view.dtype)) return fmt::format("{:g}", read_float(memory, view, n, c, h, w));
  return fmt::format("{}", integer_value(memory.read(view, n, c, h, w), view.dtype));
}

// Prints one line per row.
void print(const Memory& memory, const TensorView& view) {
  const Shape& s = view.shape;
  for_each_index({s.n, s.c, s.h, 1}, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t) {
    std::string line = fmt::format("({},{},{}):", n, c, h);
    for (uint32_t w = 0; w < s.w; ++w) line += ' ' + element(memory, view, n, c, h, w);
    std::puts(line.c_str());
  });
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_print_local_mem_data(local_addr_t local_offset, int start_idx, const dim4* shape,
                              const dim4* stride, data_type_t dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  const int last = static_cast<int>(call.chip().lanes) - 1;
  if (!call.in_range(start_idx, 0, last, errors::tpu_value, "start_idx") ||
      !call.require(local_offset < call.chip().lane_bytes, errors::tpu_local_address,
                    "local_offset", Hex{local_offset}))
    return;
  const local_addr_t address =
      static_cast<uint32_t>(start_idx) * call.chip().lane_bytes + local_offset;
  const TensorView view = call.lanes("local_offset", address, s, stride, type);
  if (!call.ok()) return;
  call.require(!call.session().unpolled(), errors::tpu_pointer_unpolled, "local_offset",
               Hex{local_offset});
  const Status inside = check_bounds(view, "local_offset", call.chip(), /*global_bytes=*/0);
  if (!inside.ok() && !call.session().report(inside.error(), call.name())) return;
  if (call.ok()) print(call.session().device().memories().take_all(), view);
}
