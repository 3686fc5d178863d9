// Decodes one command of the BM1684X: its form, length and operation.
#include <fmt/format.h>

#include <algorithm>

#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/format.h"
#include "isa/bm1684x/operations.h"
#include "isa/decode_check.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

constexpr size_t kHeadBytes = 16;  // size of the shortest command

// Returns the name of a class. Errors name the operation of a command as far as it is known: "AR 2
// add".
std::string class_name(Engine engine, uint64_t type) {
  constexpr std::string_view kTiu[] = {"CONV", "PorD", "MM",  "AR", "RQDQ", "TRANS", "SG", "LAR",
                                       "SEG",  "SFU",  "LIN", "",   "",     "CMP",   "VC", "SYS"};
  constexpr std::string_view kGdma[] = {"tensor",  "matrix",       "masked select",
                                        "general", "cw transpose", "nonzero",
                                        "SYS",     "gather",       "scatter"};
  const std::span<const std::string_view> names =
      engine == Engine::dma ? std::span<const std::string_view>(kGdma) : kTiu;
  if (type < names.size() && !names[type].empty()) return std::string(names[type]);
  return fmt::format("class {}", type);
}

std::string site(Engine engine, const CommandHead& head, std::string_view name) {
  return fmt::format("{} command {} {}{}{}", stream_name(engine), class_name(engine, head.type),
                     head.code, name.empty() ? "" : " ", name);
}

// Restricts the result of an operation to some lanes.
void mask(Operation& op, uint64_t lanes) {
  if (lanes != UINT64_MAX) op = MaskedLanes(op, lanes);
}

Result<OneCommand> decode_tiu(const CommandHead& head, const TiuRow* row,
                              std::span<const uint8_t> bytes, const Chip& chip) {
  const bool is_end = head.type == kSys && head.code == kTiuEnd;
  if (row == nullptr && !is_end)
    return field_error(errors::isa_stream_operation, "tsk_eu_typ", head.code);
  if (row != nullptr && row->decode == nullptr)
    return field_error(errors::isa_stream_refused, "tsk_eu_typ", head.code);
  const std::optional<TiuForm> kind = tiu_form_of(head.type, head.code, head.is_short);
  if (!kind) return field_error(errors::isa_stream_form, "cmd_short", head.is_short);
  TW_ASSIGN_OR_RETURN(command, read(form(*kind), bytes));
  OneCommand one{.instruction = {.engine = Engine::compute,
                                 .id = static_cast<uint32_t>(command.cmd_id),
                                 .wait = static_cast<uint32_t>(command.cmd_id_dep)},
                 .bytes = form(*kind).bytes,
                 .is_end = is_end};
  if (is_end) return one;
  CommandReader reader(chip);
  one.instruction.op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  one.unconfirmed = reader.forms(site(Engine::compute, head, row->name));
  TW_RETURN_IF_ERROR(check_counts(one.instruction.op, chip));
  if (kind == TiuForm::long_form) mask(one.instruction.op, command.tsk_lane_num);
  return one;
}

// Returns the lanes that are written. Returns all lanes if the destination is not local, or the
// class ignores the mask.
uint64_t mask_of(const GdmaCommand& c, CommandReader& reader) {
  const uint64_t target = c.dst_start_addr_l32 | c.dst_start_addr_h8 << 32;
  const LaneMask use = lane_mask(c.cmd_type, c.cmd_special_function);
  const bool to_lanes = target - reader.chip().local_base < reader.chip().local_bytes();
  if (use == LaneMask::ignored || !to_lanes) return UINT64_MAX;
  const uint64_t mask = c.localmem_mask_h32 << 32 | c.localmem_mask_l32;
  reader.unconfirmed(use == LaneMask::unconfirmed && mask != UINT64_MAX, {"localmem_mask", mask},
                     "lanes without a bit keep their bytes, as of variant 0");
  return mask;
}

Result<OneCommand> decode_gdma(const CommandHead& head, const GdmaRow* row,
                               std::span<const uint8_t> bytes, const Chip& chip,
                               const StreamOptions& options) {
  const bool is_end = head.type == kGdmaSys && head.code == kGdmaEnd;
  const bool is_idle = head.type == kGdmaSys && head.code == kGdmaIdle;
  if (row == nullptr && !is_end && !is_idle)
    return field_error(errors::isa_stream_operation, "cmd_special_function", head.code);
  const std::optional<GdmaForm> kind = gdma_form_of(head.type, head.is_short);
  if (!kind) return field_error(errors::isa_stream_form, "cmd_short", head.is_short);
  TW_ASSIGN_OR_RETURN(command, read(form(*kind), bytes));
  OneCommand one{.instruction = {.engine = Engine::dma,
                                 .id = static_cast<uint32_t>(command.cmd_id),
                                 .wait = static_cast<uint32_t>(command.cmd_id_dep)},
                 .bytes = form(*kind).bytes,
                 .is_end = is_end,
                 .is_idle = is_idle};
  if (is_end || is_idle) return one;
  CommandReader reader(chip, &options);
  const uint64_t lanes = mask_of(command, reader);
  one.instruction.op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  one.unconfirmed = reader.forms(site(Engine::dma, head, row->name));
  TW_RETURN_IF_ERROR(check_counts(one.instruction.op, chip));
  mask(one.instruction.op, lanes);
  return one;
}

// Returns true if a class has any row.
template <class Row>
bool has_class(std::span<const Row> rows, uint64_t type) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.type == type; });
}

Result<OneCommand> named(Result<OneCommand> result, Engine engine, const CommandHead& head,
                         std::string_view name) {
  if (result.ok()) return result;
  return Error(result.error()).in(site(engine, head, name));
}

}  // namespace

Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip) {
  if (bytes.size() < kHeadBytes)
    return Error(errors::isa_stream_truncated)
        .in("TIU command")
        .argument("bytes", fmt::format("{}", bytes.size()));
  const CommandHead head = tiu_head(bytes);
  const std::span<const TiuRow> rows = tiu_rows();
  if (head.type == kLar)
    return field_error(errors::isa_stream_refused, "tsk_typ", head.type)
        .in(site(Engine::compute, head, ""));
  if (head.type != kSys && !has_class(rows, head.type))
    return field_error(errors::isa_stream_class, "tsk_typ", head.type)
        .in(site(Engine::compute, head, ""));
  const TiuRow* row = find_row(rows, head.type, head.code);
  return named(decode_tiu(head, row, bytes, chip), Engine::compute, head,
               row != nullptr ? row->name : "");
}

Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options) {
  if (bytes.size() < kHeadBytes)
    return Error(errors::isa_stream_truncated)
        .in("GDMA command")
        .argument("bytes", fmt::format("{}", bytes.size()));
  const CommandHead head = gdma_head(bytes);
  const std::span<const GdmaRow> rows = gdma_rows();
  if (head.type != kGdmaSys && !has_class(rows, head.type))
    return field_error(errors::isa_stream_class, "cmd_type", head.type)
        .in(site(Engine::dma, head, ""));
  const GdmaRow* row = find_row(rows, head.type, head.code);
  return named(decode_gdma(head, row, bytes, chip, options), Engine::dma, head,
               row != nullptr ? row->name : "");
}

}  // namespace tputwin::isa::bm1684x_streams
