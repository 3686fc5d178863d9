// Dataflow: for each instruction of a program, the earlier instructions that wrote the bytes of
// local memory it reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "ops/contract/contract.h"
#include "ops/instruction.h"

namespace tputwin {

struct Dataflow {
  // Stands for bytes written before the first instruction or before the last call of the host.
  static constexpr uint32_t kBefore = UINT32_MAX;

  // The effects of one instruction on local memory.
  struct Node {
    // Instructions that wrote the bytes it reads, except constants.
    std::vector<uint32_t> writers;
    // Instructions, in program order, that wrote the bytes it reads as constants
    // (fast::constant_operands).
    std::vector<uint32_t> constant_writers;
    // Instructions that read bytes it wrote. `constant_readers` read them as constants. `readers`
    // holds all others, and instructions that may leave some bytes of their footprint unwritten.
    std::vector<uint32_t> constant_readers, readers;
    // All bytes it wrote are overwritten before the program ends and before the host is called.
    bool dies = false;
    // It always writes every byte of its footprint.
    bool is_exact = false;
    // The live-out bytes: written by it and not overwritten by the end. Empty in programs that go
    // on after a call of the host.
    std::vector<ByteRange> remains;
    // Bytes it wrote that are read, or may be, after its first reader: by another reader, or by the
    // host at the end or when it is called.
    std::vector<ByteRange> outlasting;
  };
  std::vector<Node> nodes;  // one per instruction
  // An instruction reads bytes written before the program, or may leave some of them unwritten.
  bool uses_before = false;
};

Dataflow analyse(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin
