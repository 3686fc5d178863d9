// The code numbers inside BM1880 descriptors, shared by the encoder and the decoder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chip/chip.h"
#include "isa/bm1880_descriptor.h"
#include "memory/tensor_view.h"
#include "ops/operation.h"

namespace tputwin::isa {

enum TaskType : uint32_t {
  kTaskConv = 0,
  kTaskPool = 1,
  kTaskMatrix = 2,
  kTaskElementwise = 3,  // tsk_eu_typ is Elementwise::Kind
  kTaskMatrix2 = 4,
};
enum PoolFunction : uint32_t { kPoolMax = 0, kPoolAverage = 1, kPoolDepthwise = 2 };
enum StrideKind : uint32_t {
  kStrideAligned = 0,  // from the shape, planes rounded up
  // Follows from the shape, without alignment. A convolution weight has a layout of its own.
  kStridePacked = 1,
  kStrideBias = 2,  // unaligned, two planes
  kStrideExplicit = 3,
};

enum Direction : uint64_t { kLoad = 0, kStore = 1, kGlobalCopy = 2, kLocalCopy = 3 };
enum SpecialFunction : uint64_t {
  kPlain = 0,
  kTranspose = 1,
  kLrnShift = 2,
  kFormatConversion = 3,
  kConstantFill = 4,
  kTransposeCw = 5,
  kWinogradKernel = 6,
};

// Layout of a CPU payload: operator name, size of the parameters, parameters.
constexpr size_t kCpuNameBytes = 16, kCpuSizeOffset = 16, kCpuParamOffset = 20;

// Returns the padding value of maximum pooling.
constexpr uint32_t lowest_byte(DType dtype) { return dtype == DType::i8 ? 0x80 : 0; }

// Returns the distance by which the DMA engine moves a start address to skip `step` channels.
constexpr uint64_t channel_shift(const Chip& chip, uint32_t step, uint32_t c_stride) {
  return uint64_t{step % chip.lanes} * chip.lane_bytes + uint64_t{step / chip.lanes} * c_stride;
}

// decode() without a copy of the operation.
Status decode_into(const BdDescriptor&, const Chip&, Operation&);
Status decode_into(const GdmaDescriptor&, const Chip&, Operation&);
Status decode_into(const CpuDescriptor&, Operation&);

GdmaDescriptor encode_dma(const DmaTensor&, const Chip&);
GdmaDescriptor encode_dma(const DmaMatrix&, const Chip&);
GdmaDescriptor encode_dma(const DmaLrnShift&, const Chip&);
GdmaDescriptor encode_dma(const DmaWinogradKernel&, const Chip&);

}  // namespace tputwin::isa
