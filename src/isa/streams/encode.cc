// Encodes streams of the BM1684 and BM1684X: numbers and end commands.
#include "isa/streams/encode.h"

#include "isa/streams/format.h"

namespace tputwin::isa {

Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip) {
  auto bytes = format_of(chip).encode(instruction, chip);
  if (bytes.ok()) return bytes;
  return Error(bytes.error())
      .in(fmt::format("{} command {}, {}", stream_name(instruction.engine), instruction.id,
                      name(instruction.op)));
}

namespace {

void append_end(std::vector<uint8_t>& stream, const StreamFormat& format, Engine engine,
                uint32_t id) {
  constexpr size_t kUnit = 128;
  if (format.end == nullptr) return;
  const std::vector<uint8_t> end = format.end(engine, id);
  stream.insert(stream.end(), end.begin(), end.end());
  stream.resize((stream.size() + kUnit - 1) / kUnit * kUnit);
}

}  // namespace

Result<EncodedStreams> encode_streams(std::span<const Instruction> program, const Chip& chip) {
  const StreamFormat& format = format_of(chip);
  EncodedStreams streams;
  uint32_t tiu = 0, gdma = 0;
  for (const Instruction& instruction : program) {
    const bool moves = instruction.engine == Engine::dma;
    uint32_t& last = moves ? gdma : tiu;
    if (instruction.id != ++last)
      return field_error(errors::isa_stream_number, moves ? format.gdma_number : format.tiu_number,
                         instruction.id)
          .in(std::string(stream_name(instruction.engine)));
    TW_ASSIGN_OR_RETURN(bytes, encode_command(instruction, chip));
    std::vector<uint8_t>& stream = moves ? streams.gdma : streams.tiu;
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  append_end(streams.tiu, format, Engine::compute, tiu + 1);
  append_end(streams.gdma, format, Engine::dma, gdma + 1);
  return streams;
}

}  // namespace tputwin::isa
