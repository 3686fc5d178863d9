// The command streams of the BM1684 and BM1684X, as bmodels hold them: two byte ranges, one for the
// tensor engine (TIU, called "bdc" in bmodels) and one for the GDMA, become instructions in the
// order in which a Device runs them (machine/command_group.h).
//
//   TW_ASSIGN_OR_RETURN(program, isa::decode_streams({tiu_bytes, gdma_bytes}, bm1684x()));
//   TW_RETURN_IF_ERROR(run_command_group(device, program));
//
// Nothing comes out that was not understood whole: a class, operation, form, type or layout that is
// not known, a reserved bit that is set, an own number that is not the next, a number waited for
// that falls or never comes are errors that name stream, command, field and value. Values that are
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
// and zeros up to a multiple of 128 bytes. BM1684: with its last command.
struct CommandStreams {
  std::span<const uint8_t> tiu, gdma;
};

struct StreamOptions {
  // Where the byte of global memory is that the GDMA's commands call `address` (40 bits, from
  // chip.global_base on); asked for the first byte of every operand there. None: they stay where
  // they were compiled to.
  std::function<uint64_t(uint64_t address)> relocate;
  // Takes the forms that no recording confirms, if it is there; they are executed either way.
  UnconfirmedForms* unconfirmed = nullptr;
};

// All commands of a group in the order of execution, ends left out: the next one of the GDMA if it
// waits for nothing unfinished, else the next one of the TIU. Each has its number and what it waits
// for; engines are Engine::compute (TIU) and Engine::dma (GDMA). Operands are places in memory:
// local (lane * lane_bytes + byte), global (from chip.global_base on) and L2 (from its base on).
// Operations were not checked: the device does that.
Result<std::vector<Instruction>> decode_streams(const CommandStreams& streams, const Chip& chip,
                                                const StreamOptions& options = {});

// One command in `bytes`, whatever its number; what follows it is left alone.
struct OneCommand {
  Instruction instruction;
  uint32_t bytes = 0;                        // how long it is
  bool is_end = false;                       // an end command: there is no operation
  bool is_idle = false;                      // does nothing: there is no operation
  std::vector<UnconfirmedForm> unconfirmed;  // those of its fields
};
Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip);
Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options = {});

// How many commands a stream holds, its end included.
Result<uint32_t> count_commands(Engine engine, std::span<const uint8_t> stream, const Chip& chip);

// The index that an instruction met outside of what it picks from, once it has run: the reference
// model stops there. Instructions keep none from one run to the next after forget_faults().
Status fault_of(const Instruction& instruction);
void forget_faults(std::span<const Instruction> program);

// "TIU     12 <- GDMA 3    tpu_bdc_fp_add dst_addr=f32(1,8,5,5)@L+0x0 ...": the function of the
// TPUKernel or OKKernel that becomes the command, and the operands by the names of its arguments.
std::string stream_text(const Instruction& instruction, const Chip& chip);

}  // namespace tputwin::isa
