// bm_cmdbuf_* and bmk1880_dmabuf_*: utilities for whole command buffers. Errors of parsing are
// reported to the calling thread, because there is no context.
#include <bmkernel/bm_cmdbuf.h>

#include <cstdio>

#include "base/errors/bmkernel.h"
#include "base/last_error.h"
#include "chip/family.h"
#include "isa/dmabuf.h"
#include "isa/records.h"
#include "isa/text.h"
#include "sdk/bmkernel/call.h"

using namespace tputwin::bmkernel;
namespace errors = tputwin::errors;

namespace {

// Reports the error of a call, if there is one.
bool succeeded(tputwin::Status status, std::string_view call) {
  if (status.ok()) return true;
  status.error().set_call_if_empty(call);
  return tputwin::report(std::move(status.error())).ok();
}

tputwin::Status count(std::span<const uint8_t> buffer, uint32_t& bd, uint32_t& gdma) {
  tputwin::isa::RecordReader reader(buffer);
  tputwin::isa::Record record;
  while (!reader.done()) {
    TW_RETURN_IF_ERROR(reader.next(record));
    bd += record.engine == tputwin::isa::kEngineBd;
    gdma += record.engine == tputwin::isa::kEngineGdma;
  }
  return {};
}

bmerr_t code(const tputwin::Status& status) {
  return status.ok()                                                   ? BM_SUCCESS
         : status.error().info().kind == tputwin::ErrorKind::malformed ? BM_ERR_DATA
                                                                       : BM_ERR_INVALID_ARGUMENT;
}

// Reports the outcome of a call and returns its code.
bmerr_t finish(tputwin::Status status, std::string_view call) {
  bmerr_t result = code(status);
  succeeded(std::move(status), call);
  return result;
}

// Buffers name no chip, and the calls that print them have no context.
const tputwin::Chip& chip_of_commands() {
  return tputwin::chip_of_process(tputwin::ChipFamily::bm1880);
}

// Returns a dmabuf with the length in its header.
tputwin::Result<std::span<uint8_t>> whole_dmabuf(uint8_t* dmabuf) {
  auto bytes = tputwin::isa::dmabuf_bytes(
      std::span<const uint8_t, tputwin::isa::kDmabufHeaderBytes>(dmabuf, sizeof(dma_hdr_t)));
  if (!bytes.ok()) return bytes.error();
  return std::span(dmabuf, *bytes);
}

}  // namespace

extern "C" {

bmerr_t bmk1880_dmabuf_size(uint8_t* cmdbuf, size_t sz, size_t* psize) {
  if (!(has_argument(cmdbuf, __func__, "cmdbuf") && has_argument(psize, __func__, "psize")))
    return BM_ERR_INVALID_ARGUMENT;
  auto size = tputwin::isa::dmabuf_size({cmdbuf, sz});
  *psize = size.ok() ? *size : 0;
  return finish(size.status(), __func__);
}

bmerr_t bmk1880_dmabuf_convert(uint8_t* cmdbuf, size_t sz, uint8_t* dmabuf) {
  if (!(has_argument(cmdbuf, __func__, "cmdbuf") && has_argument(dmabuf, __func__, "dmabuf")))
    return BM_ERR_INVALID_ARGUMENT;
  auto size = tputwin::isa::dmabuf_size({cmdbuf, sz});
  if (!size.ok()) return finish(size.status(), __func__);
  return finish(tputwin::isa::dmabuf_convert({cmdbuf, sz}, {dmabuf, *size}), __func__);
}

bmerr_t bmk1880_dmabuf_relocate(uint8_t* dmabuf, u64 dmabuf_devaddr) {
  if (!has_argument(dmabuf, __func__, "dmabuf")) return BM_ERR_INVALID_ARGUMENT;
  auto whole = whole_dmabuf(dmabuf);
  if (!whole.ok()) return finish(whole.status(), __func__);
  return finish(tputwin::isa::dmabuf_relocate(*whole, dmabuf_devaddr), __func__);
}

void bmk1880_dmabuf_dump(uint8_t* dmabuf) {
  if (!has_argument(dmabuf, __func__, "dmabuf")) return;
  auto whole = whole_dmabuf(dmabuf);
  if (!succeeded(whole.status(), __func__)) return;
  auto text = tputwin::isa::dmabuf_dump(*whole, chip_of_commands());
  if (succeeded(text.status(), __func__)) std::fputs(text->c_str(), stdout);
}

void bm_cmdbuf_relocate(u32 chip_version, uint8_t* cmdbuf, size_t len, uint64_t gmem_input_base,
                        uint64_t gmem_weight_base) {
  if (!has_argument(cmdbuf, __func__, "cmdbuf")) return;
  if (chip_of_version(chip_version) == nullptr) {
    succeeded(broken(errors::bmk_chip_version, "chip_version", fmt::format("{}", chip_version)),
              __func__);
    return;
  }
  succeeded(tputwin::isa::relocate({cmdbuf, len}, gmem_input_base, gmem_weight_base), __func__);
}

void bm_cmdbuf_dump(uint8_t* cmdbuf, size_t len) {
  if (!has_argument(cmdbuf, __func__, "cmdbuf")) return;
  auto commands = tputwin::isa::decode_commands({cmdbuf, len}, chip_of_commands());
  if (!succeeded(commands.status(), __func__)) return;
  for (const auto& command : *commands) std::printf("%s\n", tputwin::isa::to_text(command).c_str());
}

void bm_cmdbuf_get_descnum(uint8_t* cmdbuf, size_t len, uint32_t* bd_num, uint32_t* gdma_num) {
  uint32_t bd = 0, gdma = 0;
  bool counted = has_argument(cmdbuf, __func__, "cmdbuf") &&
                 succeeded(count({cmdbuf, len}, bd, gdma), __func__);
  if (bd_num != nullptr) *bd_num = counted ? bd : 0;
  if (gdma_num != nullptr) *gdma_num = counted ? gdma : 0;
}

}  // extern "C"
