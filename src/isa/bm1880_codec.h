// BM1880 codec: converts operations to descriptors, command buffers to instructions, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"
#include "isa/bm1880_descriptor.h"
#include "ops/instruction.h"

namespace tputwin::isa {

using Descriptor = std::variant<BdDescriptor, GdmaDescriptor, CpuDescriptor>;

// Returns the descriptor that the vendor's kernel library emits for an operation. Sequence ids are
// 0. The operation must have passed check(). Values wider than their field are truncated, as by the
// vendor's library.
//
// Some fields depend on the API call and not on the operation. encode() writes the form below, and
// the caller patches the descriptor:
//   * Elementwise: opd2, and opd1 when it is a constant or absent, hold shape and strides of `out`.
//     (tpu_copy_with_stride leaves the strides of opd1 and opd2 at reset.)
//   * Mdsum: the opd0 strides are those of `a`, which the contract makes aligned. (The call writes
//     those of the tensor it was given, aligned or not.)
//   * Lut, bit logic and copy: sign bits 0, except opd1_sign of copy.
//   * DmaTensor: strides are written when explicit_strides is set, between global addresses, and
//     when a side is not in its default layout. (load and store set explicit_strides for every
//     unaligned tensor, even where both layouts coincide.)
//   * DmaMatrix inside local memory, or reshaping with a local side, has no descriptor; the result
//     of encode() does not decode.
//   * Header flags (neuron, weight) are not part of the operation; see append_record().
Descriptor encode(const Operation&, const Chip&);

// Returns the operation of a descriptor. Errors name the field and its value.
Result<Operation> decode(const BdDescriptor&, const Chip&);
Result<Operation> decode(const GdmaDescriptor&, const Chip&);
Result<Operation> decode(const CpuDescriptor&);

// An instruction as stored in a command buffer.
struct Command {
  Instruction instruction;
  // Base that the global address is relative to.
  uint8_t flags = kFlagNone;
  // Upper half of the header's engine byte. The vendor's library leaves there whatever the buffer
  // held before a reset, and the chip ignores it.
  uint8_t reserved = 0;
  size_t offset = 0;  // of the record in the buffer
  // Fields whose value the operation does not determine. Compilers leave old values there, and the
  // chip ignores them. Empty for commands of our kernel library. Kept so that re-encoding is exact.
  struct Residue {
    // Row of the field table of the engine; for a CPU record, byte of the body.
    uint32_t field;
    uint64_t value;
    bool operator==(const Residue&) const = default;
  };
  std::vector<Residue> residue;
};

std::string_view residue_name(Engine, const Command::Residue&);  // "opd1_n_str"

// Splits and decodes a whole buffer. An error names the offset of the record and the field.
// `keep_residue` fills Command::residue, which is slower and only needed for re-encoding.
Result<std::vector<Command>> decode_commands(std::span<const uint8_t> buffer, const Chip&,
                                             bool keep_residue = false);
// Returns only the instructions, for execution.
Result<std::vector<Instruction>> decode_program(std::span<const uint8_t> buffer, const Chip&);

// Sets the sequence ids of BD and GDMA descriptors.
void set_ids(Descriptor&, uint32_t id, uint32_t wait);
// Appends one record. A CPU body over 255 bytes gets the long form: len is 0, and mask holds the
// length.
void append_record(const Descriptor&, uint8_t flags, std::vector<uint8_t>& buffer);
// Returns the bytes that the commands were decoded from.
std::vector<uint8_t> encode_commands(std::span<const Command>, const Chip&);

// Adds the neuron or weight base to the global addresses of flagged DMA records, in place, and
// clears the flags so that a second call changes nothing.
Status relocate(std::span<uint8_t> buffer, uint64_t neuron_base, uint64_t weight_base);

}  // namespace tputwin::isa
