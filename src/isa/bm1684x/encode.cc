// Instructions to BM1684X commands and streams: forms, numbers, ends.
#include "isa/bm1684x/encode.h"

#include <fmt/format.h>

#include "isa/bm1684x/encode_dma.h"
#include "isa/decode_check.h"

namespace tputwin::isa {

using namespace streams;

namespace {

// The bytes of a command in a form; none: it has values that the form does not hold.
template <class Command>
std::optional<std::vector<uint8_t>> bytes_in(const CommandForm<Command>& form,
                                             const Command& command) {
  std::vector<uint8_t> bytes(form.bytes);
  pack(form, command, bytes);
  if (unpack(form, std::span<const uint8_t>(bytes)) != command) return std::nullopt;
  return bytes;
}

Error no_command(const Instruction& instruction) {
  return Error(errors::isa_stream_no_command)
      .argument("operation", std::string(name(instruction.op)));
}

// Fields that the short form leaves out of a command are said by the operation there.
TiuCommand without_missing(const CommandForm<TiuCommand>& form, const TiuCommand& command) {
  TiuCommand kept;
  for (const auto& field : form.fields) kept.*field.member = command.*field.member;
  return kept;
}

Result<std::vector<uint8_t>> encode_tiu(const Instruction& in, const Chip& chip) {
  TiuWriter w(chip);
  const bool known = std::visit(
      [&](const auto& op) {
        if constexpr (requires { encode(op, w); }) {
          encode(op, w);
          return true;
        } else {
          return false;
        }
      },
      static_cast<const AnyOperation&>(in.op));
  if (!known) return no_command(in);
  if (!w.ok()) return *w.error();
  w.command.cmd_id = in.id;
  w.command.cmd_id_dep = in.wait;
  w.command.cmd_id_en = 1;
  if (const auto kind = tiu_form_of(w.command.tsk_typ, w.command.tsk_eu_typ, /*is_short=*/true)) {
    TiuCommand c = without_missing(form(*kind), w.command);
    c.cmd_short = 1;
    if (auto bytes = bytes_in(form(*kind), c)) return std::move(*bytes);
  }
  w.command.tsk_lane_num = UINT64_MAX;
  auto bytes = bytes_in(form(TiuForm::long_form), w.command);
  if (!bytes) return no_command(in);
  return std::move(*bytes);
}

GdmaForm gdma_form(uint64_t type) {
  switch (type) {
    case kMaskedSelect:
      return GdmaForm::masked_select;
    case kNonzero:
      return GdmaForm::nonzero;
    case kGather:
    case kScatter:
      return GdmaForm::gather_scatter;
    default:
      return GdmaForm::tensor;
  }
}

Result<std::vector<uint8_t>> encode_gdma(const Instruction& in, const Chip& chip) {
  GdmaWriter w{chip};
  const bool known = std::visit(
      [&](const auto& op) {
        if constexpr (requires { encode(op, w); }) {
          encode(op, w);
          return true;
        } else {
          return false;
        }
      },
      static_cast<const AnyOperation&>(in.op));
  if (!known) return no_command(in);
  if (w.error) return *w.error;
  w.command.cmd_id = in.id;
  w.command.cmd_id_dep = in.wait;
  w.command.cmd_id_en = 1;
  w.command.localmem_mask_l32 = w.command.localmem_mask_h32 = UINT32_MAX;
  auto bytes = bytes_in(form(gdma_form(w.command.cmd_type)), w.command);
  if (!bytes) return no_command(in);
  return std::move(*bytes);
}

}  // namespace

Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip) {
  auto bytes = instruction.engine == Engine::dma ? encode_gdma(instruction, chip)
                                                 : encode_tiu(instruction, chip);
  if (bytes.ok()) return bytes;
  return Error(bytes.error())
      .in(fmt::format("{} command {}, {}", instruction.engine == Engine::dma ? "GDMA" : "TIU",
                      instruction.id, name(instruction.op)));
}

namespace {

void fill_up(std::vector<uint8_t>& stream) {
  constexpr size_t kUnit = 128;
  stream.resize((stream.size() + kUnit - 1) / kUnit * kUnit);
}

template <class Command>
void end(std::vector<uint8_t>& stream, const CommandForm<Command>& form, const Command& command) {
  const size_t at = stream.size();
  stream.resize(at + form.bytes);
  pack(form, command, std::span(stream).subspan(at));
  fill_up(stream);
}

}  // namespace

Result<EncodedStreams> encode_streams(std::span<const Instruction> program, const Chip& chip) {
  EncodedStreams streams;
  uint32_t tiu = 0, gdma = 0;
  for (const Instruction& instruction : program) {
    const bool moves = instruction.engine == Engine::dma;
    uint32_t& last = moves ? gdma : tiu;
    if (instruction.id != ++last)
      return field_error(errors::isa_stream_number, "cmd_id", instruction.id)
          .in(moves ? "GDMA" : "TIU");
    TW_ASSIGN_OR_RETURN(bytes, encode_command(instruction, chip));
    std::vector<uint8_t>& stream = moves ? streams.gdma : streams.tiu;
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  TiuCommand tiu_end;
  tiu_end.cmd_id = tiu + 1;
  tiu_end.tsk_typ = kSys;
  tiu_end.tsk_eu_typ = kTiuEnd;
  end(streams.tiu, form(TiuForm::sys), tiu_end);
  GdmaCommand gdma_end;
  gdma_end.cmd_id = gdma + 1;
  gdma_end.cmd_short = gdma_end.cmd_id_en = 1;
  gdma_end.cmd_type = kGdmaSys;
  end(streams.gdma, form(GdmaForm::short_sys), gdma_end);
  return streams;
}

}  // namespace tputwin::isa
