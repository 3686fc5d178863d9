// The context of a customized layer's code: the command stream and the net's table.
#include <bmnet/targets/Target.hpp>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>

#include <algorithm>

#include "bmnet/kernels/target.h"

namespace bmnet {
namespace {

int logarithm(uint64_t value) {
  int bits = 0;
  while (value > 1) value >>= 1, ++bits;
  return bits;
}

// An operand has at most 4095 channels (a field of 12 bits). A one-dimensional tensor has 32
// elements in each channel.
constexpr int kMaxElements = 4095 * 32;

}  // namespace

BM188xBackendContext::BM188xBackendContext(bmk1880_context_t* kernel,
                                           const ::NetCalibrationParameter* table,
                                           const void* weight, uint64_t weight_size)
    : kernel_(kernel), table_(table), weight_(weight), weight_size_(weight_size) {
  const tputwin::Chip& chip = tputwin::net::target();
  hw.chip_version = BM_CHIP_BM1880;
  hw.nodechip_num = 1;
  hw.npu_num = static_cast<int>(chip.lanes);
  hw.eu_num = static_cast<int>(chip.eu_bytes);
  hw.local_mem_size = static_cast<int>(chip.lane_bytes);
  hw.local_mem_banks = static_cast<int>(chip.banks);
  hw.global_mem_size = chip.global_bytes;
  hw.unit_size = 1;
  hw.npu_shift = logarithm(chip.lanes);
  hw.eu_shift = logarithm(chip.eu_bytes);
  hw.local_mem_shift = logarithm(chip.lane_bytes);
}

const ::LayerCalibrationParameter* BM188xBackendContext::GetLayerCalibrationParameter(
    const std::string& name) const {
  if (table_ == nullptr) return nullptr;
  for (const auto& layer : table_->layer())
    if (layer.name() == name) return &layer;
  for (const auto& layer : table_->layer())
    for (const auto& blob : layer.blob_param())
      if (blob.name() == name) return &layer;
  return nullptr;
}

int get_csize_local_bitwidth(const BackendContext& ctx, int h, int w, int bits) {
  const int bytes = (h * w * bits + 7) / 8;
  return (bytes + ctx.hw.eu_num - 1) / ctx.hw.eu_num * ctx.hw.eu_num;
}
int get_csize_local(const BackendContext& ctx, int h, int w) {
  return get_csize_local_bitwidth(ctx, h, w, 8 * ctx.hw.unit_size);
}
int get_cstride_local(const BackendContext& ctx, int h, int w) {
  return get_csize_local(ctx, h, w) / ctx.hw.unit_size;
}
int get_csize_global_bitwidth(const BackendContext&, int h, int w, int bits) {
  return (h * w * bits + 7) / 8;
}
int get_cstride_global_bitwidth(const BackendContext&, int h, int w, int) { return h * w; }

uint64_t align_addr_to_eu_num(const BackendContext& ctx, uint64_t addr) {
  const uint64_t unit = static_cast<uint64_t>(ctx.hw.eu_num);
  return (addr + unit - 1) / unit * unit;
}

int get_height_with_fixed_width(const BackendContext& ctx, int w) {
  return ctx.hw.local_mem_size / (w * ctx.hw.unit_size);
}

int get_slice_num_element_wise(const BackendContext& ctx, int blob_num, int count) {
  // A slice of n elements has ceil(n / 32) channels of 32 bytes, distributed over the lanes in a
  // round-robin.
  const int channels = ctx.hw.local_mem_size / std::max(blob_num, 1) / 32 * ctx.hw.npu_num;
  const int longest = std::max(1, std::min(channels * 32, kMaxElements));
  return std::max(1, (count + longest - 1) / longest);
}

}  // namespace bmnet
