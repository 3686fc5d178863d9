// Decodes one command of the BM1684.
#include "isa/bm1684/decode.h"

#include <algorithm>
#include <array>

#include "isa/bm1684/format.h"

namespace tputwin::isa::bm1684_streams {
namespace {

// Returns for example "TIU command 3.2 add|fixed_point_packed_add".
std::string tiu_site(const TiuCommand& c) {
  const TiuRow* row = find_row(c.tsk_typ, c.tsk_eu_typ);
  return fmt::format("TIU command {}.{}{}{}", c.tsk_typ, c.tsk_eu_typ, row != nullptr ? " " : "",
                     row != nullptr ? row->name : "");
}
std::string gdma_site(const GdmaCommand& c) {
  return fmt::format("GDMA command {}.{}", c.special_func, c.direction);
}

// Checks fields with one value in all recorded commands of any operation.
void check_common(const TiuCommand& c, Reader& r) {
  constexpr uint64_t kProducts = 2;
  r.only(TW_TIU_FIELD(cmd_en), {1});
  r.supports(c.tsk_lane_num == UINT64_MAX, TW_OF(c, tsk_lane_num), kLaneMask);
  for (const TiuField& field :
       {TW_TIU_FIELD(res0_h_shift), TW_TIU_FIELD(res0_w_shift), TW_TIU_FIELD(opd0_h_shift),
        TW_TIU_FIELD(opd0_w_shift), TW_TIU_FIELD(opd1_h_shift), TW_TIU_FIELD(opd1_w_shift)})
    r.unconfirmed(field.of(c).value != 0, field.of(c), "the field is described as unused");
  r.supports(c.opt_left_tran == 0 || c.tsk_typ != kProducts, TW_OF(c, opt_left_tran),
             "where a transposed left matrix is stored is not described");
  r.unconfirmed(c.opt_left_tran != 0, TW_OF(c, opt_left_tran), "only products have a left matrix");
}

// An operation, and its unconfirmed forms, which no recording contains.
struct Decoded {
  Operation op;
  std::vector<UnconfirmedForm> forms;
};

Result<Decoded> decoded(const TiuCommand& command, const Chip& chip) {
  const TiuRow* row = find_row(command.tsk_typ, command.tsk_eu_typ);
  if (row == nullptr)
    return field_error(errors::isa_stream_refused, "tsk_eu_typ", command.tsk_eu_typ);
  Reader reader(command, chip);
  check_common(command, reader);
  Operation op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(op, chip));
  return Decoded{std::move(op), reader.forms(tiu_site(command))};
}

Result<Decoded> decoded(const GdmaCommand& command, const Chip& chip,
                        const StreamOptions& options) {
  CommandReader reader(chip, &options);
  Operation op = dma(command, reader);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(op, chip));
  return Decoded{std::move(op), reader.forms(gdma_site(command))};
}

// Reads the fields of a GDMA command. Bytes from 92 on hold uninitialized memory of the compiler,
// so they are ignored.
Result<GdmaCommand> read_gdma(std::span<const uint8_t> bytes) {
  constexpr size_t kTail = 92;
  std::array<uint8_t, 128> command{};
  if (bytes.size() < command.size()) return read(gdma_form(), bytes);
  std::copy_n(bytes.begin(), kTail, command.begin());
  return read(gdma_form(), std::span<const uint8_t>(command));
}

// Returns true for a command without results. Compilers use a convolution to repeat channel 0 of a
// tensor in its other channels; a tensor of one channel has no others.
bool is_idle(const TiuCommand& c) {
  constexpr uint64_t kConvolution = 0;
  return c.cmd_en == 1 && c.tsk_typ == kConvolution && c.tsk_eu_typ == 0 && c.res0_c == 0;
}

template <class Command>
OneCommand one(Decoded decoded, Engine engine, uint64_t id, uint64_t wait,
               const CommandForm<Command>& form) {
  return {.instruction = {.op = std::move(decoded.op),
                          .engine = engine,
                          .id = static_cast<uint32_t>(id),
                          .wait = static_cast<uint32_t>(wait)},
          .bytes = form.bytes,
          .unconfirmed = std::move(decoded.forms)};
}

}  // namespace

Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip) {
  auto command = read(tiu_form(), bytes);
  if (!command.ok()) return Error(command.error()).in("TIU command");
  if (is_idle(*command)) {
    OneCommand idle =
        one({}, Engine::compute, command->cmd_id_tpu, command->cmd_id_gdma, tiu_form());
    idle.is_idle = true;
    return idle;
  }
  auto result = decoded(*command, chip);
  if (!result.ok()) return Error(result.error()).in(tiu_site(*command));
  return one(std::move(*result), Engine::compute, command->cmd_id_tpu, command->cmd_id_gdma,
             tiu_form());
}

Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options) {
  auto command = read_gdma(bytes);
  if (!command.ok()) return Error(command.error()).in("GDMA command");
  auto result = decoded(*command, chip, options);
  if (!result.ok()) return Error(result.error()).in(gdma_site(*command));
  return one(std::move(*result), Engine::dma, command->cmd_id, command->eng0_sync_id, gdma_form());
}

}  // namespace tputwin::isa::bm1684_streams
