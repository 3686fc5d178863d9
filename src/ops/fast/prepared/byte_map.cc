// Walks the operands of kernels from bytes to bytes.
#include "ops/fast/prepared/byte_map.h"

#include <algorithm>

#include "base/bits.h"
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

std::array<const TensorView*, ByteMap::kOperands> ByteMap::views() const {
  std::array<const TensorView*, kOperands> views{};
  for (size_t k = 0; k < kOperands; ++k) views[k] = &*views_[has(k) ? k : kResult];
  return views;
}

ByteMap::Row ByteMap::first_bytes(const Memory& memory, uint32_t n, uint32_t c) const {
  Row at{};
  for (size_t k = 0; k < kOperands; ++k)
    if (has(k)) at[k] = memory.byte(*views_[k], n, c, 0, 0);
  return at;
}

void ByteMap::run(const Memory& memory) {
  const Shape& shape = views_[kResult]->shape;
  const auto is_local = [](const auto& view) { return view && view->space == Space::local; };
  const Nest<kOperands> all = byte_nest<kOperands>(views(), one_slot(shape), shape.c);
  if (std::ranges::none_of(views_, is_local) && all.runs() == 1 && is_same_in_all_lanes(memory))
    return run_pieces(memory, all.inner.count);
  std::ranges::all_of(views_, [&](const auto& view) { return !view || is_local(view); })
      ? run_slots(memory)
      : run_channels(memory);
}

// Runs one run of bytes in global memory.
void ByteMap::run_pieces(const Memory& memory, size_t bytes) const {
  constexpr size_t kPiece = 4096;
  const Row first = first_bytes(memory, 0, 0);
  const auto piece = [&](size_t number) {
    Nest<kOperands> row;
    row.inner.count = std::min(kPiece, bytes - number * kPiece);
    Row at = first;
    for (size_t k = 0; k < kOperands; ++k)
      if (has(k)) at[k] += number * kPiece;
    compute(row, 0, 1, at, 0, memory);
  };
  share_out(ceil_div(bytes, kPiece), bytes, bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) piece(i);
  });
}

// Runs one channel after the other. In global memory they follow each other, so that processors
// prefetch them.
void ByteMap::run_channels(const Memory& memory) const {
  const Shape& shape = views_[kResult]->shape;
  const Slots slots = local_slots(shape, memory.local);
  auto loops = slot_loops<kOperands>(shape, 1, views(), slots, 1);
  loops[0].step.fill(1);
  const Nest<kOperands> rows = make_byte_nest(loops);
  share_out(size_t{shape.n} * shape.c, shape.count(), bytes_per_task(),
            [&](size_t begin, size_t end) {
              for (size_t i = begin; i < end; ++i) {
                const auto n = static_cast<uint32_t>(i / shape.c);
                const auto c = static_cast<uint32_t>(i % shape.c);
                compute(rows, 0, rows.runs(), first_bytes(memory, n, c), c % slots.lanes, memory);
              }
            });
}

// Slots have one of two numbers of channels. A piece of work is a row of a slot.
void ByteMap::run_slots(const Memory& memory) const {
  const Shape& shape = views_[kResult]->shape;
  const Slots slots = local_slots(shape, memory.local);
  const uint32_t most = slots.rounds(0), least = slots.rounds(slots.count - 1);
  const Nest<kOperands> full = byte_nest<kOperands>(views(), slots, most);
  const Nest<kOperands> rest = byte_nest<kOperands>(views(), slots, least);
  // The planes of one image follow those of the other for one number of channels only, if at all.
  const size_t rows = std::max(full.runs(), rest.runs());
  const auto part_of_slot = [&](size_t slot, size_t begin, size_t end) {
    const Row at = first_bytes(memory, 0, static_cast<uint32_t>(slot));
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
