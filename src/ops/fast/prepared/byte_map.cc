// Walks the operands of kernels from bytes to bytes.
#include "ops/fast/prepared/byte_map.h"

#include <algorithm>

#include "ops/fast/gemm/epilogue/sum_epilogue.h"

namespace tputwin::fast {

ByteMap::ByteMap(const TensorView& result, const TensorView& first, const TensorView* addend) {
  views_[kResult] = result;
  views_[kFirst] = first;
  if (addend != nullptr) views_[kAddend] = *addend;
}

void ByteMap::move(Moved operand, const TensorView& where) {
  if (operand == Moved::input) put(*views_[kFirst], where);
  if (operand == Moved::addend) put(*views_[kAddend], where);
  if (operand == Moved::result) put(*views_[kResult], where);
  if (operand == Moved::second_result) put(views_[kSecond].emplace(*views_[kResult]), where);
}

Nest<ByteMap::kOperands> ByteMap::nest(const Slots& slots, uint32_t rounds) const {
  std::array<const TensorView*, kOperands> views{};
  for (size_t k = 0; k < kOperands; ++k) views[k] = views_[k] ? &*views_[k] : nullptr;
  return byte_nest<kOperands>(views, slots, rounds);
}

// Slots have one of two numbers of channels. A piece of work is a row of a slot.
void ByteMap::run(const Memory& memory) {
  const Shape& shape = views_[kResult]->shape;
  const Slots slots = local_slots(shape, memory.local);
  const uint32_t most = slots.rounds(0), least = slots.rounds(slots.count - 1);
  const Nest<kOperands> full = nest(slots, most), rest = nest(slots, least);
  const size_t rows = full.runs();
  const auto part_of_slot = [&](size_t slot, size_t begin, size_t end) {
    Row at{};
    for (size_t k = 0; k < kOperands; ++k)
      if (has(k)) at[k] = memory.byte(*views_[k], 0, static_cast<uint32_t>(slot), 0, 0);
    const Nest<kOperands>& loops = slots.rounds(slot) == most ? full : rest;
    end = std::min(end, loops.runs());
    if (begin < end) compute(loops, begin, end, at, slot, memory);
  };
  share_out(slots.count * rows, shape.count(), bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t slot = begin / rows; slot * rows < end; ++slot)
      part_of_slot(slot, std::max(begin, slot * rows) - slot * rows,
                   std::min(end, (slot + 1) * rows) - slot * rows);
  });
}

}  // namespace tputwin::fast
