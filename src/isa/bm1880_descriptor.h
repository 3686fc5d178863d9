// The BM1880's descriptors with one member per field. Packing to words is generated from the field
// tables bd_fields.def and gdma_fields.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace tputwin::isa {

constexpr size_t kBdBytes = 112, kGdmaBytes = 64, kCpuBytes = 224, kHeaderBytes = 8;
constexpr uint8_t kHeaderMagic = 0xa5;
enum EngineCode : uint8_t { kEngineBd = 0, kEngineCpu = 1, kEngineGdma = 2 };
enum HeaderFlag : uint8_t { kFlagNone = 0, kFlagNeuron = 1, kFlagWeight = 2 };

// Members have the field names of the register layout. A default-constructed descriptor holds the
// reset values. One reserved field is wider than 32 bits.
struct BdDescriptor {
#define TW_FIELD(name, word, bit, width, reset) uint32_t name = reset;
#define TW_FIELD2(name, word, bit, width, word2, bit2, width2, reset) \
  std::conditional_t<(width + width2 > 32), uint64_t, uint32_t> name = reset;
#include "isa/bd_fields.def"
#undef TW_FIELD
#undef TW_FIELD2
  bool operator==(const BdDescriptor&) const = default;
};

// Addresses are 40 bits wide and strides up to 32, so all members are 64 bits wide. Defaults are
// the initial values of every emitted command: 0 except for valid and the two format fields.
struct GdmaDescriptor {
#define TW_FIELD(name, word, bit, width, reset) uint64_t name = reset;
#define TW_FIELD2(name, word, bit, width, word2, bit2, width2, reset) uint64_t name = reset;
#include "isa/gdma_fields.def"
#undef TW_FIELD
#undef TW_FIELD2
  bool operator==(const GdmaDescriptor&) const = default;
};

// Words 0 to 6, then the payload as stored in the record: words 7 to 55. In the long form the
// payload is longer, and the header's mask holds its length.
constexpr size_t kCpuHeadBytes = 28, kCpuPayloadBytes = kCpuBytes - kCpuHeadBytes;
enum CpuOpType : uint32_t { kCpuSync = 2, kCpuOperator = 3 };
struct CpuDescriptor {
  uint32_t op_type = kCpuOperator;
  uint32_t bd_count = 0, gdma_count = 0, bd_offset = 0, gdma_offset = 0;
  uint32_t reserved0 = 0, reserved1 = 0;
  std::vector<uint8_t> payload = std::vector<uint8_t>(kCpuPayloadBytes);
  size_t bytes() const { return kCpuHeadBytes + payload.size(); }
  bool operator==(const CpuDescriptor&) const = default;
};

void pack(const BdDescriptor&, std::span<uint8_t, kBdBytes>);
void pack(const GdmaDescriptor&, std::span<uint8_t, kGdmaBytes>);
void pack(const CpuDescriptor&, std::span<uint8_t>);  // bytes() long
BdDescriptor unpack_bd(std::span<const uint8_t, kBdBytes>);
GdmaDescriptor unpack_gdma(std::span<const uint8_t, kGdmaBytes>);
CpuDescriptor unpack_cpu(std::span<const uint8_t>);  // at least kCpuHeadBytes

}  // namespace tputwin::isa
