// The command streams of the BM1684 and BM1684X, as bmodels hold them: two byte ranges, one for the
// tensor engine (TIU, called "bdc" in bmodels) and one for the GDMA. They become instructions in
// the order in which a Device runs them (machine/command_group.h).
//
//     TW_ASSIGN_OR_RETURN(program, isa::decode_streams({tiu_bytes, gdma_bytes}, bm1684x()));
//     TW_RETURN_IF_ERROR(run_command_group(device, program));
//
// Only streams that are understood completely are decoded. Errors are: unknown classes, operations,
// forms, types or layouts; set reserved bits; a number that is not the next one; wait numbers that
// fall or are never reached. An error names stream, command, field and value. Values that are
// documented and not recorded are executed and counted (unconfirmed.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/streams/unconfirmed.h"
#include "ops/instruction.h"

namespace tputwin::isa {

// A command group. An empty range has no commands. BM1684X: each range ends with its end command
// and zeros up to a multiple of 128 bytes. BM1684: each range ends with its last command.
struct CommandStreams {
  std::span<const uint8_t> tiu, gdma;
};

struct StreamOptions {
  // Returns the current address of the byte that GDMA commands call `address` (40 bits, from
  // chip.global_base on). Called for the first byte of every operand in global memory. Empty:
  // operands keep the addresses that they were compiled for.
  std::function<uint64_t(uint64_t address)> relocate;
  // Receives the unconfirmed forms if it is not nullptr. They are executed in both cases.
  UnconfirmedForms* unconfirmed = nullptr;
};

// Returns all commands of a group in the order of execution, without end commands. The next GDMA
// command comes first if it waits for nothing unfinished, else the next TIU command. Each has its
// number and wait; engines are Engine::compute (TIU) and Engine::dma (GDMA). Addresses are local
// (lane * lane_bytes + byte), global (from chip.global_base on) or L2 (from its base on).
// Operations are not checked; the device does that.
Result<std::vector<Instruction>> decode_streams(const CommandStreams& streams, const Chip& chip,
                                                const StreamOptions& options = {});

// The first command of a byte range, with any number. Bytes after it are ignored.
struct OneCommand {
  Instruction instruction;
  uint32_t bytes = 0;                        // length of the command
  bool is_end = false;                       // an end command, without operation
  bool is_idle = false;                      // does nothing, without operation
  std::vector<UnconfirmedForm> unconfirmed;  // of its fields
};
Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip);
Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options = {});

// Returns the number of commands in a stream, including its end command.
Result<uint32_t> count_commands(Engine engine, std::span<const uint8_t> stream, const Chip& chip);

// Returns an error if the instruction met an index out of bounds when it ran. The reference model
// stops there. forget_faults() clears the faults of earlier runs.
Status fault_of(const Instruction& instruction);
void forget_faults(std::span<const Instruction> program);

// Returns "TIU     12 <- GDMA 3    tpu_bdc_fp_add dst_addr=f32(1,8,5,5)@L+0x0 ...": the function of
// the TPUKernel or OKKernel that becomes the command, and the operands by its argument names.
std::string stream_text(const Instruction& instruction, const Chip& chip);

}  // namespace tputwin::isa
