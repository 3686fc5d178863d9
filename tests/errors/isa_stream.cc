// One broken command or stream of the BM1684X per row isa_stream_*.
#include "base/errors/isa.h"
#include "common/bm1684x_streams.h"
#include "errors/trigger.h"
#include "isa/bm1684x/codes.h"
#include "isa/streams/encode.h"
#include "isa/streams/reader.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"

namespace tputwin::isa {
namespace {

using namespace bm1684x_streams;
using tputwin::testing::append;
using tputwin::testing::append_gdma_end;
using tputwin::testing::append_tiu_end;
using tputwin::testing::gdma_move;
using tputwin::testing::tiu_fill;

Status decoded(const std::vector<uint8_t>& tiu, const std::vector<uint8_t>& gdma = {}) {
  return decode_streams({tiu, gdma}, bm1684x()).status();
}

// Returns the status of decoding a stream of one fill after `change` of that fill.
template <class Change>
Status changed(const Change& change, TiuForm form = TiuForm::ar) {
  TiuCommand command = tiu_fill(1);
  change(command);
  std::vector<uint8_t> stream;
  append(stream, form, command);
  append_tiu_end(stream, 2);
  return decoded(stream);
}

std::vector<uint8_t> two_fills(uint32_t first_wait, uint32_t second_id, uint32_t second_wait) {
  std::vector<uint8_t> stream;
  append(stream, TiuForm::ar, tiu_fill(1, first_wait));
  append(stream, TiuForm::ar, tiu_fill(second_id, second_wait));
  append_tiu_end(stream, 3);
  return stream;
}

std::vector<uint8_t> moves() {
  std::vector<uint8_t> stream;
  append(stream, GdmaForm::tensor, gdma_move(1));
  append(stream, GdmaForm::tensor, gdma_move(2));
  append_gdma_end(stream, 3);
  return stream;
}

// Returns a maximum over 2x2 windows.
TiuCommand max_pool() {
  TiuCommand c;
  c.cmd_short = c.cmd_id = 1;
  c.tsk_typ = kPord;
  c.tsk_eu_typ = 4;
  c.res0_n = c.res0_c = c.res0_h = c.res0_w = 1;
  c.opd0_h = c.opd0_w = c.opd1_h = c.opd1_w = 2;
  c.res_op_x_str = c.res_op_y_str = 1;
  return c;
}

Status pooled(const TiuCommand& command) {
  std::vector<uint8_t> stream;
  append(stream, TiuForm::pord, command);
  append_tiu_end(stream, 2);
  return decoded(stream);
}

TW_TRIGGER(isa_stream_truncated, [] {
  std::vector<uint8_t> stream;
  append(stream, TiuForm::ar, tiu_fill(1));
  return decoded(stream);
});
TW_TRIGGER(isa_stream_reserved, [] {
  std::vector<uint8_t> stream;
  append(stream, TiuForm::ar, tiu_fill(1));
  stream[11] = 0x80;  // bit 95
  return decoded(stream);
});
TW_TRIGGER(isa_stream_class, [] { return changed([](auto& c) { c.tsk_typ = 11; }); });
TW_TRIGGER(isa_stream_operation, [] { return changed([](auto& c) { c.tsk_eu_typ = 31; }); });
TW_TRIGGER(isa_stream_form, [] { return changed([](auto& c) { c.tsk_eu_typ = 24; }); });
TW_TRIGGER(isa_stream_refused, [] { return changed([](auto& c) { c.tsk_eu_typ = 17; }); });
TW_TRIGGER(isa_stream_unsupported, [] {
  TiuCommand command = max_pool();
  command.pad_mode = command.opd0_up_pad = command.opd0_y_ins0 = 1;
  return pooled(command);
});
// A conversion of a constant, in strict mode.
TW_TRIGGER(isa_stream_unconfirmed, []() -> Status {
  TiuCommand command = tiu_fill(1);
  command.tsk_eu_typ = 14;
  std::vector<uint8_t> stream;
  append(stream, TiuForm::ar, command);
  append_tiu_end(stream, 2);
  UnconfirmedForms forms;
  TW_RETURN_IF_ERROR(decode_streams({stream, {}}, bm1684x(), {.unconfirmed = &forms}).status());
  return refuse(forms, "");
});
TW_TRIGGER(isa_stream_type, [] { return changed([](auto& c) { c.res0_prec = c.opd0_prec = 6; }); });
TW_TRIGGER(isa_stream_layout, [] { return changed([](auto& c) { c.res0_str = 5; }); });
TW_TRIGGER(isa_stream_rounding, [] {
  return changed([](auto& c) {
    c.tsk_eu_typ = 14;
    c.opd0_const = 0;
    c.res0_prec = kFp32;
    c.opd2_n_str = 7;
  });
});
TW_TRIGGER(isa_stream_extent, [] { return changed([](auto& c) { c.res0_w = 0; }); });
TW_TRIGGER(isa_stream_address, [] { return changed([](auto& c) { c.res0_addr = 0x100'0000; }); });
TW_TRIGGER(isa_stream_window, [] {
  TiuCommand command = max_pool();
  command.res0_h = 2;
  return pooled(command);
});
TW_TRIGGER(isa_stream_number, [] { return decoded(two_fills(0, 3, 0)); });
TW_TRIGGER(isa_stream_wait_falls, [] { return decoded(two_fills(2, 2, 1), moves()); });
TW_TRIGGER(isa_stream_wait_never, [] { return decoded(two_fills(0, 2, 3), moves()); });
TW_TRIGGER(isa_stream_end, [] {
  std::vector<uint8_t> stream;
  append_tiu_end(stream, 1);
  stream.back() = 1;
  return decoded(stream);
});
// A lookup in a table of one element, with an index from uninitialized memory: first zeros, then 9.
TW_TRIGGER(isa_stream_index, [] {
  TiuCommand c;
  c.cmd_short = c.cmd_id = 1;
  c.tsk_typ = kSg;
  c.tsk_eu_typ = 5;
  c.res0_n = c.res0_c = c.res0_h = c.res0_w = 1;
  c.opd0_h = c.opd0_w = c.opd1_c = c.opd1_w = 1;
  c.opd0_addr = 0x4000;
  c.opd1_addr = 0x8000;
  std::vector<uint8_t> stream;
  append(stream, TiuForm::sg, c);
  append_tiu_end(stream, 2);
  auto program = decode_streams({stream, {}}, bm1684x());
  if (!program.ok()) return program.status();
  auto device = Device::create({.chip = &bm1684x(), .global_bytes = 1 << 20});
  if (!device.ok()) return device.status();
  (*device)->memories().take_local().lane(0)[0x8000] = 9;
  return run_command_group(**device, *program);
});
TW_TRIGGER(isa_stream_no_command, [] {
  const Unary sign{.kind = Unary::Kind::sign};
  return encode_command({.op = sign, .engine = Engine::compute, .id = 1}, bm1684x()).status();
});

}  // namespace
}  // namespace tputwin::isa
