// load_table: the bytes of the table, lane by lane.
#include "ops/move/load_table.h"

#include <bit>

#include "numerics/constant_tables.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/copy.h"

namespace tputwin::fast {

namespace {

Declined copy(const LoadTable& op, const Memory& memory) {
  if (op.distributed || op.rounded) return "the table is changed on the way";
  if (!is_run(op.out) || !has_dense_rows(op.out)) return "rows have gaps";
  if (const Declined why = overlap(op.out, {}, memory.local)) return why;
  static_assert(std::endian::native == std::endian::little);
  const auto* bytes = reinterpret_cast<const uint8_t*>(static_words().data()) + op.address;
  for (uint32_t c = 0; c < op.out.shape.c; ++c)
    copy_bytes(memory.byte(op.out, 0, c, 0, 0), bytes,
               op.out.shape.w * size_t{element_bytes(op.out.dtype)});
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(LoadTable, {"copy", copy})

}  // namespace tputwin::fast
