// Dataflow: which instruction wrote the bytes of local memory that another reads, in the order of
// the program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "ops/contract/contract.h"
#include "ops/instruction.h"

namespace tputwin {

struct Dataflow {
  // What lay there before the first instruction, or was left there before a call of the host.
  static constexpr uint32_t kBefore = UINT32_MAX;

  // What an instruction does to local memory.
  struct Node {
    // Instructions whose bytes it reads, but for constants.
    std::vector<uint32_t> writers;
    // Instructions, in their order, whose bytes it reads as constants (fast::constant_operands).
    std::vector<uint32_t> constant_writers;
    // Instructions that read bytes it wrote: as constants; all others, and those that may leave
    // some of the bytes they write as they are.
    std::vector<uint32_t> constant_readers, readers;
    // Everything it wrote is written again before the end, and before the host is called.
    bool dies = false;
    // It surely writes every byte of its footprint.
    bool is_exact = false;
    // What it wrote and lies there at the end. None in programs that go on after a call of the host.
    std::vector<ByteRange> remains;
    // Bytes of it that somebody sees, or may see, after the first of its readers: another reader,
    // the host at the end or when it is called.
    std::vector<ByteRange> outlasting;
  };
  std::vector<Node> nodes;  // of each instruction
  // Some instruction reads what lay there before, or may leave some of it as it is.
  bool uses_before = false;
};

Dataflow analyse(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin
