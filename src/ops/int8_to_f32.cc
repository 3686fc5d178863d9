#include "ops/int8_to_f32.h"

#include "ops/elements.h"
#include "ops/timing.h"

namespace tputwin {

std::string_view name(const Int8ToF32&) { return "int8_to_f32"; }

OperandList operands(const Int8ToF32& op) {
  return {{"dst_addr", &op.out, Access::write},
          {"src_addr", &op.in, Access::read},
          {"src_addr", &op.words, Access::read},
          {"work_addr", &op.work, Access::write}};
}

Status check(const Int8ToF32&, const Chip&) { return {}; }

// One pass makes the copy, one converts it.
Cost cost(const Int8ToF32& op, const Chip& chip) {
  return compute_cost(lane_passes(op.work.shape, chip, 4) + lane_passes(op.out.shape, chip, 4),
                      op.out.shape.count(), operands(op), chip);
}

void execute(const Int8ToF32& op, const Memory& memory) {
  const uint32_t flip = is_signed(op.in.dtype) ? 0x8080'8080 : 0;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write_f32(op.out, n, c, h, w, static_cast<float>(memory.read(op.in, n, c, h, w)));
  });
  for_each_index(op.words.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const auto word = static_cast<uint32_t>(memory.read(op.words, n, c, h, w));
    memory.write(op.work, n, c, h, w, static_cast<int32_t>(word ^ flip));
  });
}

}  // namespace tputwin
