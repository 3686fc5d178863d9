// Encodes instructions as BM1684X commands: chooses forms, adds end commands.
#include <fmt/format.h>

#include "isa/bm1684x/encode_dma.h"
#include "isa/bm1684x/format.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

Error no_command(const Instruction& instruction) {
  return Error(errors::isa_stream_no_command)
      .argument("operation", std::string(name(instruction.op)));
}

// Resets fields that the short form lacks. There, the operation implies their values.
TiuCommand without_missing(const CommandForm<TiuCommand>& form, const TiuCommand& command) {
  TiuCommand kept;
  for (const auto& field : form.fields) kept.*field.member = command.*field.member;
  return kept;
}

// An operation without its lane mask, and the mask.
struct Masked {
  const Operation& op;
  uint64_t lanes;

  explicit Masked(const Operation& given) : Masked(given, std::get_if<MaskedLanes>(&given)) {}

 private:
  Masked(const Operation& given, const MaskedLanes* masked)
      : op(masked != nullptr ? *masked->operation : given),
        lanes(masked != nullptr ? masked->lanes : UINT64_MAX) {}
};

Result<std::vector<uint8_t>> encode_tiu(const Instruction& in, const Chip& chip) {
  const Masked masked(in.op);
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
      static_cast<const AnyOperation&>(masked.op));
  if (!known) return no_command(in);
  if (!w.ok()) return *w.error();
  w.command.cmd_id = in.id;
  w.command.cmd_id_dep = in.wait;
  w.command.cmd_id_en = 1;
  const auto kind = tiu_form_of(w.command.tsk_typ, w.command.tsk_eu_typ, /*is_short=*/true);
  if (kind && masked.lanes == UINT64_MAX) {
    TiuCommand c = without_missing(form(*kind), w.command);
    c.cmd_short = 1;
    if (auto bytes = bytes_in(form(*kind), c)) return std::move(*bytes);
  }
  w.command.tsk_lane_num = masked.lanes;
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
  const Masked masked(in.op);
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
      static_cast<const AnyOperation&>(masked.op));
  if (!known) return no_command(in);
  if (w.error) return *w.error;
  w.command.cmd_id = in.id;
  w.command.cmd_id_dep = in.wait;
  w.command.cmd_id_en = 1;
  const bool can_mask =
      lane_mask(w.command.cmd_type, w.command.cmd_special_function) != LaneMask::ignored;
  if (masked.lanes != UINT64_MAX && !can_mask)
    return Error(errors::isa_stream_no_command)
        .argument("lanes", fmt::format("{:#x}", masked.lanes));
  w.command.localmem_mask_l32 = masked.lanes & UINT32_MAX;
  w.command.localmem_mask_h32 = masked.lanes >> 32;
  auto bytes = bytes_in(form(gdma_form(w.command.cmd_type)), w.command);
  if (!bytes) return no_command(in);
  return std::move(*bytes);
}

}  // namespace

Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip) {
  return instruction.engine == Engine::dma ? encode_gdma(instruction, chip)
                                           : encode_tiu(instruction, chip);
}

namespace {

template <class Command>
std::vector<uint8_t> bytes_of(const CommandForm<Command>& form, const Command& command) {
  std::vector<uint8_t> bytes(form.bytes);
  pack(form, command, bytes);
  return bytes;
}

}  // namespace

std::vector<uint8_t> end_command(Engine engine, uint32_t id) {
  if (engine == Engine::dma) {
    GdmaCommand end;
    end.cmd_id = id;
    end.cmd_short = end.cmd_id_en = 1;
    end.cmd_type = kGdmaSys;
    return bytes_of(form(GdmaForm::short_sys), end);
  }
  TiuCommand end;
  end.cmd_id = id;
  end.tsk_typ = kSys;
  end.tsk_eu_typ = kTiuEnd;
  return bytes_of(form(TiuForm::sys), end);
}

}  // namespace tputwin::isa::bm1684x_streams
