// Encodes instructions as BM1684 commands.
#include "isa/bm1684/format.h"
#include "isa/bm1684/writer.h"

namespace tputwin::isa::bm1684_streams {
namespace {

Error no_command(const Instruction& instruction) {
  return Error(errors::isa_stream_no_command)
      .argument("operation", std::string(name(instruction.op)));
}

// Calls the overload of encode() for the held operation. Returns false if there is none.
template <class Writer>
bool encode_held(const Operation& held, Writer& writer) {
  return std::visit(
      [&](const auto& op) {
        if constexpr (requires { encode(op, writer); }) {
          encode(op, writer);
          return true;
        } else {
          return false;
        }
      },
      static_cast<const AnyOperation&>(held));
}

// Numbers that do not fit their field wrap. Other values that do not fit are errors.
template <class Command>
Result<std::vector<uint8_t>> finish(const Instruction& in, const CommandForm<Command>& form,
                                    const Command& command) {
  auto bytes = bytes_in(form, command);
  if (!bytes) return no_command(in);
  return std::move(*bytes);
}

constexpr uint64_t kNumber = 0xffff;

Result<std::vector<uint8_t>> encode_tiu(const Instruction& in, const Chip& chip) {
  TiuWriter w(chip);
  if (!encode_held(in.op, w)) return no_command(in);
  if (w.error()) return *w.error();
  TiuCommand& c = w.command;
  c.cmd_en = c.cmd_id_en = 1;
  c.cmd_id_tpu = in.id & kNumber;
  c.cmd_id_gdma = in.wait & kNumber;
  c.tsk_lane_num = UINT64_MAX;
  return finish(in, tiu_form(), c);
}

Result<std::vector<uint8_t>> encode_gdma(const Instruction& in, const Chip& chip) {
  GdmaWriter w{chip};
  if (!encode_held(in.op, w)) return no_command(in);
  if (w.error) return *w.error;
  GdmaCommand& c = w.command;
  c.pio_gdma_enable = c.barrier_enable = c.prefetch_disable = 1;
  c.stride_enable = c.common_mode == 0;
  c.lrn_shift_num = 1;
  c.cmd_id = in.id & kNumber;
  c.eng0_sync_id = in.wait & kNumber;
  c.localmem_mask_l32 = c.localmem_mask_h32 = UINT32_MAX;
  return finish(in, gdma_form(), c);
}

}  // namespace

Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip) {
  return instruction.engine == Engine::dma ? encode_gdma(instruction, chip)
                                           : encode_tiu(instruction, chip);
}

}  // namespace tputwin::isa::bm1684_streams
