// requantize: element by element, over blocks of rows.
#include "ops/elementwise/requantize.h"

#include "ops/fast/fast.h"
#include "ops/fast/walk/rows.h"

namespace tputwin::fast {
namespace {

// Operands: out, in, multiplier, shift, offset.
void requantize_rows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Requantize*>(operation);
  const auto *in = block.source<int32_t>(1), *multiplier = block.source<int32_t>(2),
             *shift = block.source<int32_t>(3), *offset = block.source<int32_t>(4);
  for (size_t i = 0; i < block.count; ++i)
    block.result<int32_t>()[i] = element(op, in[i], multiplier[i], shift[i], offset[i]);
}

Declined rows(const Requantize& op, const Memory& memory) {
  if (op.in.dtype == DType::u32) return "u32";
  constexpr uint64_t kWeight = 8;
  const bool shifts =
      op.kind == Requantize::Kind::to_narrow || op.kind == Requantize::Kind::to_wide;
  const Source shift = shifts ? op.shift : Source::value(0u, DType::i32);
  return run_rows({row_result(op.out), row_source(op.in), row_source(op.multiplier),
                   row_source(shift), row_source(op.offset)},
                  memory, {RowLanes::words, requantize_rows, &op, kWeight});
}

constexpr Body<Requantize> kBodies[] = {{"rows", rows}};

}  // namespace

bool execute(const Requantize& op, const Memory& memory) { return run_best(kBodies, op, memory); }

}  // namespace tputwin::fast
