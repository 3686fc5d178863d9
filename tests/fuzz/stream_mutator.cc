// Changes to command groups, field by field.
#include "fuzz/stream_mutator.h"

#include <algorithm>

#include "bmodel/little_endian.h"
#include "fuzz/changes.h"
#include "isa/bm1684/command.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/format.h"
#include "isa/bm1684x/operations.h"

namespace tputwin::fuzz {
namespace {

namespace bm1684 = isa::bm1684_streams;
namespace bm1684x = isa::bm1684x_streams;
using isa::CommandForm;
using testing::Rng;

// One command by its fields.
template <class Command>
struct Fields {
  const CommandForm<Command>* form;
  Command command;
};
template <class Command>
using Stream = std::vector<Fields<Command>>;

// Traits of a type of commands: the form of a command that begins with these bytes (nullptr: none),
// the fields of its number and its wait, and the bytes that end a stream after command `id`.
template <class Command>
struct Traits;

template <>
struct Traits<bm1684x::TiuCommand> {
  static const CommandForm<bm1684x::TiuCommand>* form_of(std::span<const uint8_t> bytes) {
    const auto head = bm1684x::tiu_head(bytes);
    const auto kind = bm1684x::tiu_form_of(head.type, head.code, head.is_short);
    return kind && head.type != bm1684x::kSys ? &bm1684x::form(*kind) : nullptr;
  }
  static constexpr auto kNumber = &bm1684x::TiuCommand::cmd_id;
  static constexpr auto kWait = &bm1684x::TiuCommand::cmd_id_dep;
  static Bytes end(uint32_t id) { return bm1684x::end_command(Engine::compute, id); }
};
template <>
struct Traits<bm1684x::GdmaCommand> {
  static const CommandForm<bm1684x::GdmaCommand>* form_of(std::span<const uint8_t> bytes) {
    const auto head = bm1684x::gdma_head(bytes);
    const auto kind = bm1684x::gdma_form_of(head.type, head.is_short);
    return kind && head.type != bm1684x::kGdmaSys ? &bm1684x::form(*kind) : nullptr;
  }
  static constexpr auto kNumber = &bm1684x::GdmaCommand::cmd_id;
  static constexpr auto kWait = &bm1684x::GdmaCommand::cmd_id_dep;
  static Bytes end(uint32_t id) { return bm1684x::end_command(Engine::dma, id); }
};
template <>
struct Traits<bm1684::TiuCommand> {
  static const CommandForm<bm1684::TiuCommand>* form_of(std::span<const uint8_t>) {
    return &bm1684::tiu_form();
  }
  static constexpr auto kNumber = &bm1684::TiuCommand::cmd_id_tpu;
  static constexpr auto kWait = &bm1684::TiuCommand::cmd_id_gdma;
  static Bytes end(uint32_t) { return {}; }
};
template <>
struct Traits<bm1684::GdmaCommand> {
  static const CommandForm<bm1684::GdmaCommand>* form_of(std::span<const uint8_t>) {
    return &bm1684::gdma_form();
  }
  static constexpr auto kNumber = &bm1684::GdmaCommand::cmd_id;
  static constexpr auto kWait = &bm1684::GdmaCommand::eng0_sync_id;
  static Bytes end(uint32_t) { return {}; }
};

// Parses the commands up to the end, or to bytes that are no command.
template <class Command>
Stream<Command> parse(std::span<const uint8_t> bytes) {
  constexpr size_t kHead = 16;
  Stream<Command> stream;
  while (bytes.size() >= kHead) {
    const CommandForm<Command>* form = Traits<Command>::form_of(bytes);
    if (form == nullptr || bytes.size() < form->bytes) break;
    stream.push_back({form, unpack(*form, bytes.first(form->bytes))});
    bytes = bytes.subspan(form->bytes);
  }
  return stream;
}

// The fields that choose the command and its number do not change.
bool is_fixed(std::string_view field) {
  return field == "cmd_short" || field == "cmd_id" || field == "cmd_id_tpu" || field == "tsk_typ" ||
         field == "cmd_type";
}

template <class Command>
void change_field(Rng& rng, Stream<Command>& stream) {
  Fields<Command>& target = stream[rng.below(stream.size())];
  const auto& field = target.form->fields[rng.below(target.form->fields.size())];
  if (is_fixed(field.name)) return;
  uint64_t& value = target.command.*field.member;
  value = rng.chance(1, 4) ? stream[rng.below(stream.size())].command.*field.member
                           : edge_number(rng, value, field.width);
}

template <class Command>
void change(Rng& rng, Stream<Command>& stream) {
  if (stream.empty()) return;
  const auto at = static_cast<ptrdiff_t>(rng.below(stream.size()));
  switch (rng.below(12)) {
    case 0:
      stream.erase(stream.begin() + at);
      break;
    case 1:
      stream.insert(stream.begin() + at, Fields<Command>(stream[rng.below(stream.size())]));
      break;
    case 2:
      std::swap(stream[static_cast<size_t>(at)], stream[rng.below(stream.size())]);
      break;
    default:
      change_field(rng, stream);
  }
}

template <class Command>
Bytes bytes_of(Rng& rng, Stream<Command>& stream, size_t others) {
  Bytes bytes;
  uint64_t id = 0, waits = 0;
  const bool orders = !rng.chance(1, 8);
  for (Fields<Command>& one : stream) {
    one.command.*Traits<Command>::kNumber = ++id;
    uint64_t& wait = one.command.*Traits<Command>::kWait;
    if (orders) wait = waits = std::max(waits, std::min<uint64_t>(wait, others));
    const size_t from = bytes.size();
    bytes.resize(from + one.form->bytes);
    pack(*one.form, one.command, std::span(bytes).subspan(from));
  }
  const Bytes end = Traits<Command>::end(static_cast<uint32_t>(id + 1));
  bytes.insert(bytes.end(), end.begin(), end.end());
  constexpr size_t kUnit = 128;
  bytes.resize((bytes.size() + kUnit - 1) / kUnit * kUnit);
  return bytes;
}

template <class TiuCommand, class GdmaCommand>
Bytes mutate(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed);
  const StreamBytes streams = split_streams(input);
  auto tiu = parse<TiuCommand>(streams.tiu);
  auto gdma = parse<GdmaCommand>(streams.gdma);
  for (uint32_t changes = rng.range(1, 4); changes > 0; --changes)
    rng.chance(2, 3) ? change(rng, tiu) : change(rng, gdma);
  const Bytes compute = bytes_of(rng, tiu, gdma.size());
  return join_streams(compute, bytes_of(rng, gdma, tiu.size()));
}

}  // namespace

StreamBytes split_streams(std::span<const uint8_t> input) {
  constexpr size_t kSize = 4;
  if (input.size() < kSize) return {};
  const auto rest = input.subspan(kSize);
  const size_t tiu = std::min<size_t>(bmodel::little_endian<uint32_t>(input), rest.size());
  return {rest.first(tiu), rest.subspan(tiu)};
}

Bytes join_streams(std::span<const uint8_t> tiu, std::span<const uint8_t> gdma) {
  Bytes input;
  bmodel::append_little_endian(input, static_cast<uint32_t>(tiu.size()));
  input.insert(input.end(), tiu.begin(), tiu.end());
  input.insert(input.end(), gdma.begin(), gdma.end());
  return input;
}

Bytes mutate_bm1684x_streams(std::span<const uint8_t> input, uint64_t seed) {
  return mutate<bm1684x::TiuCommand, bm1684x::GdmaCommand>(input, seed);
}
Bytes mutate_bm1684_streams(std::span<const uint8_t> input, uint64_t seed) {
  return mutate<bm1684::TiuCommand, bm1684::GdmaCommand>(input, seed);
}

namespace {

template <class Command>
Bytes mutate_one(std::span<const uint8_t> commands, Rng& rng) {
  auto stream = parse<Command>(commands);
  for (uint32_t changes = rng.range(1, 4); changes > 0; --changes) change(rng, stream);
  Bytes bytes;
  for (const Fields<Command>& one : stream) {
    bytes.resize(bytes.size() + one.form->bytes);
    pack(*one.form, one.command, std::span(bytes).last(one.form->bytes));
  }
  return bytes;
}

}  // namespace

Bytes mutate_bm1684x_commands(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 13);
  if (input.empty()) return {};
  Bytes changed = input[0] != 0 ? mutate_one<bm1684x::GdmaCommand>(input.subspan(1), rng)
                                : mutate_one<bm1684x::TiuCommand>(input.subspan(1), rng);
  changed.insert(changed.begin(), input[0]);
  return changed;
}

}  // namespace tputwin::fuzz
