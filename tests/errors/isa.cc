// One broken command buffer per TW-ISA row.
#include "base/errors/isa.h"
#include "errors/trigger.h"
#include "isa/bm1880_codec.h"
#include "isa/dmabuf.h"
#include "memory/layout.h"

namespace tputwin::isa {
namespace {

// Returns a plain multiplication, and a load.
BdDescriptor mul() {
  Elementwise op{.kind = Elementwise::Kind::mul, .b_is_constant = true, .constant = 3};
  op.out = op.a = local_tensor(bm1880(), 0, {1, 2, 3, 4}, /*aligned=*/true, DType::i8);
  return std::get<BdDescriptor>(encode(op, bm1880()));
}

GdmaDescriptor load() {
  DmaTensor op{.dst = local_tensor(bm1880(), 0, {1, 2, 3, 4}, /*aligned=*/true, DType::i8),
               .src = global_tensor(0, {1, 2, 3, 4})};
  return std::get<GdmaDescriptor>(encode(op, bm1880()));
}

std::vector<uint8_t> buffer_of(Descriptor d, uint8_t flags = kFlagNone) {
  set_ids(d, 1, 0);
  std::vector<uint8_t> buffer;
  append_record(d, flags, buffer);
  return buffer;
}

Status decode_buffer(const std::vector<uint8_t>& buffer) {
  return decode_program(buffer, bm1880()).status();
}

// Returns the status of decoding after `change` of the descriptor, or of the bytes of the buffer.
template <class D, class Change>
Status changed(D d, const Change& change) {
  change(d);
  return decode_buffer(buffer_of(d));
}

template <class Change>
Status changed_bytes(const Change& change) {
  std::vector<uint8_t> buffer = buffer_of(mul());
  change(buffer);
  return decode_buffer(buffer);
}

TW_TRIGGER(isa_truncated_header, [] { return changed_bytes([](auto& b) { b.resize(7); }); });
TW_TRIGGER(isa_bad_magic, [] { return changed_bytes([](auto& b) { b[0] = 0; }); });
TW_TRIGGER(isa_unknown_engine, [] { return changed_bytes([](auto& b) { b[2] = 3; }); });
TW_TRIGGER(isa_bad_length, [] { return changed_bytes([](auto& b) { b[1] = 64; }); });
TW_TRIGGER(isa_truncated_body, [] { return changed_bytes([](auto& b) { b.pop_back(); }); });
TW_TRIGGER(isa_bad_flags, [] { return changed_bytes([](auto& b) { b[3] = 3; }); });
TW_TRIGGER(isa_disabled, [] { return changed(mul(), [](auto& d) { d.cmd_en = 0; }); });
TW_TRIGGER(isa_sequence_id, [] {
  std::vector<uint8_t> buffer = buffer_of(load());
  append_record(load(), kFlagNone, buffer);  // number 0
  return decode_buffer(buffer);
});
TW_TRIGGER(isa_wait_id, [] {
  Descriptor d = mul();
  set_ids(d, 1, 1);
  std::vector<uint8_t> buffer;
  append_record(d, kFlagNone, buffer);
  return decode_buffer(buffer);
});
TW_TRIGGER(isa_unknown_task, [] { return changed(mul(), [](auto& d) { d.tsk_typ = 9; }); });
TW_TRIGGER(isa_unknown_function, [] { return changed(mul(), [](auto& d) { d.tsk_eu_typ = 11; }); });
TW_TRIGGER(isa_unsupported_option, [] { return changed(mul(), [](auto& d) { d.opt_relu = 1; }); });
TW_TRIGGER(isa_unsupported_special,
           [] { return changed(load(), [](auto& d) { d.special_function = 4; }); });
TW_TRIGGER(isa_direction, [] {
  return changed(load(), [](auto& d) { d.special_function = 2; });  // LRN shift from global memory
});
TW_TRIGGER(isa_zero_extent, [] { return changed(mul(), [](auto& d) { d.res0_c = 0; }); });
TW_TRIGGER(isa_shape, [] { return changed(load(), [](auto& d) { d.dst_c = 5; }); });
TW_TRIGGER(isa_address, [] { return changed(load(), [](auto& d) { d.src_addr = 16; }); });
TW_TRIGGER(isa_too_many_elements,
           [] { return changed(mul(), [](auto& d) { d.res0_n = d.res0_h = d.res0_w = 4095; }); });
TW_TRIGGER(isa_cpu_type, [] { return decode_buffer(buffer_of(CpuDescriptor{.op_type = 7})); });
TW_TRIGGER(isa_cpu_params, [] {
  return changed(CpuDescriptor(), [](auto& d) { d.payload[16] = 177; });  // param_size
});
TW_TRIGGER(isa_relocation, [] {
  std::vector<uint8_t> buffer = buffer_of(load(), kFlagNeuron);
  return relocate(buffer, uint64_t{1} << 40, 0);
});
TW_TRIGGER(isa_dmabuf, [] { return dmabuf_dump(std::vector<uint8_t>(64), bm1880()).status(); });
TW_TRIGGER(isa_dmabuf_address, []() -> Status {
  std::vector<uint8_t> commands = buffer_of(mul());
  std::vector<uint8_t> dmabuf(*dmabuf_size(commands));
  TW_RETURN_IF_ERROR(dmabuf_convert(commands, dmabuf));
  return dmabuf_relocate(dmabuf, 100);
});
TW_TRIGGER(isa_dmabuf_cpu, [] {
  CpuDescriptor d;
  d.payload.resize(kCpuPayloadBytes - 4);
  return dmabuf_size(buffer_of(d)).status();
});

}  // namespace
}  // namespace tputwin::isa
