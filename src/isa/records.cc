// Splits a command buffer into records, and rejects impossible headers.
#include "isa/records.h"

#include "base/errors/isa.h"
#include "isa/bm1880_codes.h"
#include "isa/decode_check.h"
#include "isa/fields.h"

namespace tputwin::isa {
namespace {

constexpr size_t kShortestCpuBody = kCpuHeadBytes + kCpuParamOffset, kLongestInLen = 255;

Error at(size_t offset, Error error) {
  error.set_call_if_empty(fmt::format("record at offset {:#x}", offset));
  return error;
}

bool length_fits(uint8_t engine, size_t bytes) {
  if (engine == kEngineBd) return bytes == kBdBytes;
  if (engine == kEngineGdma) return bytes == kGdmaBytes;
  return bytes >= kShortestCpuBody;
}

// Returns the length of the body: len or, if len is 0 for a long body, mask.
Status body_length(const uint8_t* header, uint8_t engine, size_t& bytes) {
  uint32_t mask = load_word(header + kHeaderMaskByte, 0);
  bytes = header[1] ? header[1] : mask;
  if (header[1] ? mask != 0 : mask <= kLongestInLen)
    return field_error(errors::isa_bad_length, "mask", mask);
  if (!length_fits(engine, bytes)) return field_error(errors::isa_bad_length, "len", bytes);
  return {};
}

Status check_header(const uint8_t* header) {
  if (header[0] != kHeaderMagic) return field_error(errors::isa_bad_magic, "magic", header[0]);
  uint8_t engine = header[kHeaderEngineByte] & 15, flags = header[kHeaderFlagsByte];
  if (engine > kEngineGdma) return field_error(errors::isa_unknown_engine, "engine_id", engine);
  if (flags > kFlagWeight) return field_error(errors::isa_bad_flags, "flags", flags);
  return {};
}

}  // namespace

std::string describe(const Record& record) {
  constexpr std::string_view names[] = {"BD", "CPU", "GDMA"};
  return fmt::format("{} record at offset {:#x}", names[record.engine], record.offset);
}

Status RecordReader::next(Record& record) {
  std::span<const uint8_t> rest = buffer_.subspan(offset_);
  if (rest.size() < kHeaderBytes)
    return at(offset_, field_error(errors::isa_truncated_header, "bytes left", rest.size()));
  const uint8_t* header = rest.data();
  if (Status status = check_header(header); !status.ok()) return at(offset_, status.error());
  record.engine = static_cast<EngineCode>(header[kHeaderEngineByte] & 15);
  record.reserved = header[kHeaderEngineByte] >> 4;
  record.flags = header[kHeaderFlagsByte];
  record.offset = offset_;
  size_t bytes = 0;
  if (Status status = body_length(header, record.engine, bytes); !status.ok())
    return at(offset_, status.error());
  rest = rest.subspan(kHeaderBytes);
  if (rest.size() < bytes)
    return at(offset_, Error(field_error(errors::isa_truncated_body, "len", bytes))
                           .detail(fmt::format("{} bytes left", rest.size())));
  record.body = rest.first(bytes);
  offset_ += kHeaderBytes + bytes;
  return {};
}

uint8_t* append_header(EngineCode engine, uint8_t flags, size_t body_bytes,
                       std::vector<uint8_t>& buffer) {
  size_t start = buffer.size();
  buffer.resize(start + kHeaderBytes + body_bytes);
  uint8_t* header = buffer.data() + start;
  bool short_form = body_bytes <= kLongestInLen;
  header[0] = kHeaderMagic;
  header[1] = static_cast<uint8_t>(short_form ? body_bytes : 0);
  header[kHeaderEngineByte] = engine;
  header[kHeaderFlagsByte] = flags;
  store_word(header + kHeaderMaskByte, 0, short_form ? 0 : static_cast<uint32_t>(body_bytes));
  return header + kHeaderBytes;
}

}  // namespace tputwin::isa
