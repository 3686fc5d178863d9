// The device form of a command buffer, which the firmware of the chip executes.
//
//     header            64 bytes: magic, size, number of CPU, BD and GDMA descriptors
//     CPU descriptors   one per segment: counts of the segment's commands and pointers to them; 224
//                       bytes, or more if the parameters of an operator exceed 176 bytes
//     BD runs           one per segment, at multiples of 256
//     GDMA runs         one per segment, at multiples of 64
//
// A segment ends at a CPU command, after sequence number 0xffff, and at the end of the buffer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin::isa {

constexpr uint32_t kDmabufMagic = 0xa7;
constexpr size_t kDmabufHeaderBytes = 64;

// Returns the size of the device form of a command buffer, in bytes.
Result<size_t> dmabuf_size(std::span<const uint8_t> commands);
// Returns the size of a device form, from its header.
Result<size_t> dmabuf_bytes(std::span<const uint8_t, kDmabufHeaderBytes> header);

// Writes the device form. `out` must have dmabuf_size() bytes. Pointers are relative to its start.
Status dmabuf_convert(std::span<const uint8_t> commands, std::span<uint8_t> out);

// Adapts the pointers to a copy at `device_address` (offset in global memory plus the base that the
// runtime reports). May be called again with another address.
Status dmabuf_relocate(std::span<uint8_t> dmabuf, uint64_t device_address);

// Returns readable text, one line per descriptor.
Result<std::string> dmabuf_dump(std::span<const uint8_t> dmabuf, const Chip& chip);

}  // namespace tputwin::isa
