// Prices of layer groups on the BM1880.
#include "bmnet/kernels/pricer.h"

#include "bmnet/kernels/emit_group.h"
#include "bmnet/kernels/kernel.h"
#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"

namespace tputwin::net {

Bm1880Pricer::Bm1880Pricer() : Pricer(local_memory()) {}

Result<PricedGroup> Bm1880Pricer::price(GroupSchedule schedule, uint64_t) {
  TensorPositions positions;
  for (const GroupTensor& t : schedule.tensors) {
    const Extents& e = t.view.e;
    positions[t.view.tensor] = {0, static_cast<uint64_t>(e.c * e.h * e.w)};
  }
  WeightOffsets weights;
  for (const TiledKernel* k : schedule.kernels)
    weights[k] = std::vector<uint64_t>(k->weights.size(), 0);
  program_.reset();
  emit_group(program_, schedule, positions, weights);
  if (Status s = program_.status(); !s.ok()) return s;
  auto program = isa::decode_program(program_.commands(), target());
  if (!program.ok()) return Status(program.error());
  uint64_t bytes = 0;
  for (const Instruction& instruction : *program)
    bytes += cost(instruction.op, target()).global_bytes;
  return PricedGroup{std::move(schedule), insight::run_cycles(*program, target()).all, bytes, {}};
}

}  // namespace tputwin::net
