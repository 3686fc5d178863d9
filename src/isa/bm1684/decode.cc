// Decodes one command of the BM1684.
#include "isa/bm1684/decode.h"

#include <algorithm>
#include <array>

#include "isa/bm1684/format.h"

namespace tputwin::isa::bm1684_streams {
namespace {

// "TIU command 3.2 add|fixed_point_packed_add"
std::string tiu_site(const TiuCommand& c) {
  const TiuRow* row = find_row(c.tsk_typ, c.tsk_eu_typ);
  return fmt::format("TIU command {}.{}{}{}", c.tsk_typ, c.tsk_eu_typ, row != nullptr ? " " : "",
                     row != nullptr ? row->name : "");
}
std::string gdma_site(const GdmaCommand& c) {
  return fmt::format("GDMA command {}.{}", c.special_func, c.direction);
}

// Fields that have these values in everything recorded, whatever the operation.
void check_common(Reader& r) {
  r.only(TW_TIU_FIELD(cmd_en), {1});
  r.only(TW_TIU_FIELD(tsk_lane_num), {UINT64_MAX});
  for (const TiuField& field :
       {TW_TIU_FIELD(opt_left_tran), TW_TIU_FIELD(res0_h_shift), TW_TIU_FIELD(res0_w_shift),
        TW_TIU_FIELD(opd0_h_shift), TW_TIU_FIELD(opd0_w_shift), TW_TIU_FIELD(opd1_h_shift),
        TW_TIU_FIELD(opd1_w_shift)})
    r.only(field, {0});
}

Result<Operation> operation_of(const TiuCommand& command, const Chip& chip) {
  const TiuRow* row = find_row(command.tsk_typ, command.tsk_eu_typ);
  if (row == nullptr)
    return field_error(errors::isa_stream_refused, "tsk_eu_typ", command.tsk_eu_typ);
  Reader reader(command, chip);
  check_common(reader);
  Operation op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(op, chip));
  return op;
}

Result<Operation> operation_of(const GdmaCommand& command, const Chip& chip,
                               const StreamOptions& options) {
  CommandReader reader(chip, &options);
  Operation op = dma(command, reader);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(op, chip));
  return op;
}

// The fields of a GDMA command. The words behind the last one hold whatever the compiler's memory
// held.
Result<GdmaCommand> read_gdma(std::span<const uint8_t> bytes) {
  constexpr size_t kTail = 92;
  std::array<uint8_t, 128> command{};
  if (bytes.size() < command.size()) return read(gdma_form(), bytes);
  std::copy_n(bytes.begin(), kTail, command.begin());
  return read(gdma_form(), std::span<const uint8_t>(command));
}

template <class Command>
OneCommand one(Operation op, Engine engine, uint64_t id, uint64_t wait,
               const CommandForm<Command>& form) {
  return {.instruction = {.op = std::move(op),
                          .engine = engine,
                          .id = static_cast<uint32_t>(id),
                          .wait = static_cast<uint32_t>(wait)},
          .bytes = form.bytes};
}

}  // namespace

Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip) {
  auto command = read(tiu_form(), bytes);
  if (!command.ok()) return Error(command.error()).in("TIU command");
  auto op = operation_of(*command, chip);
  if (!op.ok()) return Error(op.error()).in(tiu_site(*command));
  return one(std::move(*op), Engine::compute, command->cmd_id_tpu, command->cmd_id_gdma,
             tiu_form());
}

Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options) {
  auto command = read_gdma(bytes);
  if (!command.ok()) return Error(command.error()).in("GDMA command");
  auto op = operation_of(*command, chip, options);
  if (!op.ok()) return Error(op.error()).in(gdma_site(*command));
  return one(std::move(*op), Engine::dma, command->cmd_id, command->eng0_sync_id, gdma_form());
}

}  // namespace tputwin::isa::bm1684_streams
