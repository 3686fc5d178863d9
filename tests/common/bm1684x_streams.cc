// Small command streams of the BM1684X for tests.
#include "common/bm1684x_streams.h"

#include "isa/bm1684x/codes.h"

namespace tputwin::testing {

using namespace isa::bm1684x_streams;

TiuCommand tiu_fill(uint32_t id, uint32_t wait) {
  TiuCommand c;
  c.cmd_short = 1;
  c.cmd_id = id;
  c.cmd_id_dep = wait;
  c.tsk_typ = kAr;
  c.tsk_eu_typ = 19;
  c.opd0_const = 1;
  c.opd0_addr = 7;
  c.res0_n = c.res0_c = c.res0_h = c.res0_w = 2;
  return c;
}

GdmaCommand gdma_move(uint32_t id, uint32_t wait) {
  constexpr uint64_t kGlobal = 0x1'0000'0000;
  GdmaCommand c;
  c.cmd_id = id;
  c.cmd_id_dep = wait;
  c.cmd_type = kGeneral;
  c.src_cstride = 16;
  c.src_start_addr_h8 = c.dst_start_addr_h8 = kGlobal >> 32;
  c.dst_start_addr_l32 = 0x1000;
  return c;
}

namespace {

template <class Form, class Command>
void append_command(std::vector<uint8_t>& stream, const Form& form, const Command& command) {
  std::vector<uint8_t> bytes(form.bytes);
  isa::pack(form, command, bytes);
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

void fill_up(std::vector<uint8_t>& stream) { stream.resize((stream.size() + 127) / 128 * 128); }

}  // namespace

void append(std::vector<uint8_t>& stream, TiuForm form, const TiuCommand& command) {
  append_command(stream, isa::bm1684x_streams::form(form), command);
}
void append(std::vector<uint8_t>& stream, GdmaForm form, const GdmaCommand& command) {
  append_command(stream, isa::bm1684x_streams::form(form), command);
}

void append_tiu_end(std::vector<uint8_t>& stream, uint32_t id) {
  TiuCommand end;
  end.cmd_id = id;
  end.tsk_typ = kSys;
  end.tsk_eu_typ = kTiuEnd;
  append(stream, TiuForm::sys, end);
  fill_up(stream);
}

void append_gdma_end(std::vector<uint8_t>& stream, uint32_t id) {
  GdmaCommand end;
  end.cmd_id = id;
  end.cmd_short = end.cmd_id_en = 1;
  end.cmd_type = kGdmaSys;
  append(stream, GdmaForm::short_sys, end);
  fill_up(stream);
}

}  // namespace tputwin::testing
