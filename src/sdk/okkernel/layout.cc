// Layout utilities. They issue no command and also work outside kernels.
#include <okk.h>

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "base/last_error.h"
#include "memory/layout.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

// Checks for NULL only; the numbers that these functions divide by and multiply with are the
// caller's responsibility.
bool present(std::string_view name, const dim4* stride, const dim4* shape) {
  if (stride != nullptr && shape != nullptr) return true;
  std::string_view argument = stride == nullptr ? "stride" : "shape";
  Error error = Error(errors::okk_null).argument(argument, "NULL");
  if (Session* session = current_session())
    session->report(std::move(error), name);
  else
    static_cast<void>(report(std::move(error).in(name)));
  return false;
}

// Channels start at multiples of `quantum` elements.
void dense_stride(std::string_view name, dim4* stride, int start_idx, const dim4* shape,
                  int64_t quantum) {
  if (!present(name, stride, shape)) return;
  const int64_t plane = int64_t{shape->h} * shape->w;
  const int64_t c = (plane + quantum - 1) / quantum * quantum;
  const int64_t n = c * okk_channle_num_per_npu(start_idx, shape->c);
  *stride = {static_cast<int>(n), static_cast<int>(c), shape->w, 1};
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

int okk_start_npu_index(local_addr_t addr) {
  return static_cast<int>(addr / chip_in_use().lane_bytes);
}

int okk_channle_num_per_npu(int start_idx, int num_channels) {
  const int64_t lanes = chip_in_use().lanes;
  return static_cast<int>((int64_t{start_idx} + num_channels + lanes - 1) / lanes);
}

void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape) {
  dense_stride(__func__, stride, start_idx, shape, 32);
}

void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape) {
  dense_stride(__func__, stride, start_idx, shape, 64);
}

void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape) {
  dense_stride(__func__, stride, start_idx, shape, 128);
}

void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape) {
  dense_stride(__func__, stride, start_idx, shape, 1);
}

void okk_continuous_stride(dim4* stride, const dim4* shape) {
  if (!present(__func__, stride, shape)) return;
  const int64_t h = shape->w, c = h * shape->h, n = c * shape->c;
  *stride = {static_cast<int>(n), static_cast<int>(c), static_cast<int>(h), 1};
}
