// Whole command buffers: records, their sequence numbers, and exact re-encoding.
#include <algorithm>

#include "base/errors/isa.h"
#include "isa/bm1880_codec.h"
#include "isa/bm1880_codes.h"
#include "isa/decode_check.h"
#include "isa/fields.h"
#include "isa/records.h"
#include "isa/sync.h"

namespace tputwin::isa {
namespace {

// Residue of a CPU record names bytes of its body. This value names the length of the body.
constexpr uint32_t kBodyLengthResidue = 0xffff'ffff;

// Numbering restarts at 1 after a CPU record and after the last number that fits the field.
class Sequence {
 public:
  Status check(Engine engine, uint32_t id, uint32_t wait) {
    bool compute = engine == Engine::compute;
    uint32_t& own = compute ? compute_ : dma_;
    uint32_t other = compute ? dma_ : compute_;
    if (id != own + 1) [[unlikely]]
      return Error(field_error(errors::isa_sequence_id, compute ? "cmd_id_tpu" : "cmd_id", id))
          .detail(fmt::format("expected {}", own + 1));
    if (wait > other) [[unlikely]]
      return Error(field_error(errors::isa_wait_id, compute ? "cmd_id_gdma" : "cmd_id_bd", wait))
          .detail(fmt::format("issued so far: {}", other));
    own = id;
    if (id == kLastSequenceId) restart();
    return {};
  }
  void restart() { compute_ = dma_ = 0; }

 private:
  uint32_t compute_ = 0, dma_ = 0;
};

Status decode_bd(const Record& record, const Chip& chip, Sequence& sequence, Instruction& out) {
  BdDescriptor d = unpack_bd(record.body.first<kBdBytes>());
  TW_RETURN_IF_ERROR(decode_into(d, chip, out.op));
  out.engine = Engine::compute;
  out.id = d.cmd_id_tpu;
  out.wait = d.cmd_id_gdma;
  return sequence.check(out.engine, out.id, out.wait);
}

Status decode_gdma(const Record& record, const Chip& chip, Sequence& sequence, Instruction& out) {
  GdmaDescriptor d = unpack_gdma(record.body.first<kGdmaBytes>());
  TW_RETURN_IF_ERROR(decode_into(d, chip, out.op));
  out.engine = Engine::dma;
  out.id = static_cast<uint32_t>(d.cmd_id);
  out.wait = static_cast<uint32_t>(d.cmd_id_bd);
  return sequence.check(out.engine, out.id, out.wait);
}

Status decode_cpu(const Record& record, Sequence& sequence, Instruction& out) {
  TW_RETURN_IF_ERROR(decode_into(unpack_cpu(record.body), out.op));
  out.engine = Engine::cpu;
  sequence.restart();
  return {};
}

Status decode_record(const Record& record, const Chip& chip, Sequence& sequence, Instruction& out) {
  switch (record.engine) {
    case kEngineBd:
      return decode_bd(record, chip, sequence, out);
    case kEngineGdma:
      return decode_gdma(record, chip, sequence, out);
    default:
      return decode_cpu(record, sequence, out);
  }
}

// Calls sink(record), which returns an Instruction&, for every record, and decodes into it.
template <class Sink>
Status decode_all(std::span<const uint8_t> buffer, const Chip& chip, const Sink& sink) {
  Sequence sequence;
  RecordReader reader(buffer);
  Record record;
  while (!reader.done()) {
    TW_RETURN_IF_ERROR(reader.next(record));
    if (Status status = decode_record(record, chip, sequence, sink(record)); !status.ok()) {
      status.error().set_call_if_empty(describe(record));
      return status;
    }
  }
  return {};
}

size_t most_records(std::span<const uint8_t> buffer) {
  return buffer.size() / (kHeaderBytes + kGdmaBytes);
}

// Returns the body of a command without its residue.
std::vector<uint8_t> canonical_body(const Instruction& instruction, const Chip& chip) {
  Descriptor descriptor = encode(instruction.op, chip);
  set_ids(descriptor, instruction.id, instruction.wait);
  std::vector<uint8_t> record;
  append_record(descriptor, kFlagNone, record);
  return {record.begin() + kHeaderBytes, record.end()};
}

std::span<const Field> fields_of(Engine engine) {
  if (engine == Engine::compute) return kBdFields;
  if (engine == Engine::dma) return kGdmaFields;
  return {};
}

std::vector<Command::Residue> residue(std::span<const uint8_t> body, const Instruction& in,
                                      const Chip& chip) {
  std::vector<Command::Residue> result;
  std::vector<uint8_t> canonical = canonical_body(in, chip);
  if (std::ranges::equal(canonical, body)) return result;
  if (in.engine == Engine::cpu) {
    if (canonical.size() != body.size()) result.push_back({kBodyLengthResidue, body.size()});
    canonical.resize(body.size());
    for (uint32_t i = 0; i < body.size(); ++i)
      if (canonical[i] != body[i]) result.push_back({i, body[i]});
    return result;
  }
  std::span<const Field> fields = fields_of(in.engine);
  for (uint32_t row = 0; row < fields.size(); ++row) {
    uint64_t value = extract(body.data(), fields[row]);
    if (value != extract(canonical.data(), fields[row])) result.push_back({row, value});
  }
  return result;
}

void apply_residue(const Command& command, std::vector<uint8_t>& body) {
  std::span<const Field> fields = fields_of(command.instruction.engine);
  for (const Command::Residue& r : command.residue) {
    if (r.field == kBodyLengthResidue)
      body.resize(r.value);
    else if (!fields.empty())
      insert(body.data(), fields[r.field], r.value);
    else
      body[r.field] = static_cast<uint8_t>(r.value);
  }
}

}  // namespace

std::string_view residue_name(Engine engine, const Command::Residue& r) {
  std::span<const Field> fields = fields_of(engine);
  return r.field < fields.size() ? fields[r.field].name : "body";
}

Result<std::vector<Command>> decode_commands(std::span<const uint8_t> buffer, const Chip& chip,
                                             bool keep_residue) {
  std::vector<Command> commands;
  commands.reserve(most_records(buffer));
  std::vector<std::span<const uint8_t>> bodies;
  TW_RETURN_IF_ERROR(decode_all(buffer, chip, [&](const Record& record) -> Instruction& {
    Command& command = commands.emplace_back();
    command.flags = record.flags;
    command.reserved = record.reserved;
    command.offset = record.offset;
    if (keep_residue) bodies.push_back(record.body);
    return command.instruction;
  }));
  for (size_t i = 0; i < bodies.size(); ++i)
    commands[i].residue = residue(bodies[i], commands[i].instruction, chip);
  return commands;
}

Result<std::vector<Instruction>> decode_program(std::span<const uint8_t> buffer, const Chip& chip) {
  std::vector<Instruction> program;
  program.reserve(most_records(buffer));
  TW_RETURN_IF_ERROR(decode_all(
      buffer, chip, [&](const Record&) -> Instruction& { return program.emplace_back(); }));
  return program;
}

void set_ids(Descriptor& descriptor, uint32_t id, uint32_t wait) {
  if (auto* bd = std::get_if<BdDescriptor>(&descriptor)) {
    bd->cmd_id_tpu = id;
    bd->cmd_id_gdma = wait;
  } else if (auto* gdma = std::get_if<GdmaDescriptor>(&descriptor)) {
    gdma->cmd_id = id;
    gdma->cmd_id_bd = wait;
  }
}

void append_record(const Descriptor& descriptor, uint8_t flags, std::vector<uint8_t>& buffer) {
  if (auto* bd = std::get_if<BdDescriptor>(&descriptor)) {
    uint8_t* body = append_header(kEngineBd, flags, kBdBytes, buffer);
    pack(*bd, std::span<uint8_t, kBdBytes>(body, kBdBytes));
  } else if (auto* gdma = std::get_if<GdmaDescriptor>(&descriptor)) {
    uint8_t* body = append_header(kEngineGdma, flags, kGdmaBytes, buffer);
    pack(*gdma, std::span<uint8_t, kGdmaBytes>(body, kGdmaBytes));
  } else {
    const auto& cpu = std::get<CpuDescriptor>(descriptor);
    pack(cpu, {append_header(kEngineCpu, flags, cpu.bytes(), buffer), cpu.bytes()});
  }
}

std::vector<uint8_t> encode_commands(std::span<const Command> commands, const Chip& chip) {
  constexpr std::array<EngineCode, 3> codes{kEngineBd, kEngineCpu, kEngineGdma};  // by Engine
  std::vector<uint8_t> buffer;
  for (const Command& command : commands) {
    std::vector<uint8_t> body = canonical_body(command.instruction, chip);
    apply_residue(command, body);
    EngineCode engine = codes[static_cast<size_t>(command.instruction.engine)];
    size_t start = buffer.size();
    uint8_t* out = append_header(engine, command.flags, body.size(), buffer);
    buffer[start + kHeaderEngineByte] |= static_cast<uint8_t>(command.reserved << 4);
    std::ranges::copy(body, out);
  }
  return buffer;
}

namespace {

constexpr const Field& gdma_field(std::string_view name) {
  return *std::ranges::find(kGdmaFields, name, &Field::name);
}

Status add_base(std::span<uint8_t> body, const Field& field, uint64_t base) {
  uint64_t address = extract(body.data(), field) + base;
  if (base >> 40 || address >> 40) return field_error(errors::isa_relocation, field.name, address);
  insert(body.data(), field, address);
  return {};
}

Status relocate_gdma(std::span<uint8_t> body, uint64_t base) {
  static constexpr Field direction = gdma_field("direction"), src = gdma_field("src_addr"),
                         dst = gdma_field("dst_addr");
  uint64_t way = extract(body.data(), direction);
  if (way == kLoad || way == kGlobalCopy) TW_RETURN_IF_ERROR(add_base(body, src, base));
  if (way == kStore || way == kGlobalCopy) TW_RETURN_IF_ERROR(add_base(body, dst, base));
  return {};
}

}  // namespace

Status relocate(std::span<uint8_t> buffer, uint64_t neuron_base, uint64_t weight_base) {
  RecordReader reader(buffer);
  Record record;
  while (!reader.done()) {
    TW_RETURN_IF_ERROR(reader.next(record));
    if (record.engine != kEngineGdma || record.flags == kFlagNone) continue;
    size_t body = record.offset + kHeaderBytes;
    uint64_t base = record.flags == kFlagNeuron ? neuron_base : weight_base;
    if (Status status = relocate_gdma(buffer.subspan(body, kGdmaBytes), base); !status.ok()) {
      status.error().set_call_if_empty(describe(record));
      return status;
    }
    buffer[record.offset + kHeaderFlagsByte] = kFlagNone;
  }
  return {};
}

}  // namespace tputwin::isa
