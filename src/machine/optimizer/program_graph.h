// ProgramGraph: the instructions of a program, and for each of them the instructions that wrote the
// bytes of local memory it reads. It never changes after construction; passes only read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "memory/global_range.h"
#include "ops/contract/contract.h"
#include "ops/instruction.h"

namespace tputwin {

class ProgramGraph {
 public:
  // Stands for bytes written before the first instruction or before the last call of the host.
  static constexpr uint32_t kBefore = UINT32_MAX;

  // The edges of one instruction. Instructions are numbered from 0 in program order.
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
    bool is_overwritten = false;
    // It is true, too, if the bytes are overwritten unless a lookup finds an index outside its
    // table, for which it keeps old bytes.
    bool is_overwritten_by_found = false;
    // It always writes every byte of its footprint.
    bool writes_whole_footprint = false;
    // The live-out bytes: written by it and not overwritten by the end. Empty in programs that go
    // on after a call of the host.
    std::vector<ByteRange> live_out;
    // The bytes it wrote that may be read after its first reader ran. Another instruction reads
    // them, or the host may read them, at the end or when it is called.
    std::vector<ByteRange> read_later;
  };

  // `program` and `chip` must outlive the graph.
  ProgramGraph(std::span<const Instruction> program, const Chip& chip);

  const Chip& chip() const { return chip_; }
  std::span<const Instruction> program() const { return program_; }
  uint32_t size() const { return static_cast<uint32_t>(program_.size()); }
  const Operation& op(uint32_t instruction) const { return program_[instruction].op; }
  const Node& node(uint32_t instruction) const { return nodes_[instruction]; }

  // Returns true if an instruction reads bytes written before the program, or may leave some of
  // them unwritten.
  bool reads_bytes_from_before() const { return reads_before_; }
  // Returns true if only `reader` reads the bytes that `writer` writes, not as constants, and they
  // are overwritten afterwards.
  bool feeds_only(uint32_t writer, uint32_t reader) const;
  // Returns the ranges of global memory that instructions write.
  const std::vector<GlobalRange>& written_global() const { return written_global_; }
  // Returns the global range that an instruction loads to local memory, if no instruction of the
  // program writes there. Returns nullopt for kBefore and for instructions that are no loads.
  std::optional<GlobalRange> constant_source(uint32_t instruction) const;

 private:
  std::span<const Instruction> program_;
  const Chip& chip_;
  std::vector<Node> nodes_;  // one per instruction
  bool reads_before_ = false;
  std::vector<GlobalRange> written_global_;
};

// Returns the source of a load from global to local memory; nullptr if `op` is no such load.
const TensorView* load_source(const Operation& op);

// Returns the first two operands of an operation, which are its result and its input.
inline const TensorView& result_of(const Operation& op) { return *operands(op)[0].view; }
inline const TensorView& input_of(const Operation& op) { return *operands(op)[1].view; }

}  // namespace tputwin
