// Converts the entries of a recording to bytes and back.
#include "insight/recording/recording.h"

#include <fmt/format.h>

#include "base/errors/machine.h"
#include "base/file.h"
#include "bmodel/file_kind.h"
#include "chip/chip.h"
#include "insight/recording/container.h"
#include "insight/recording/transfer.h"

namespace tputwin::insight::recording {
namespace {

// A layer is that of the commands after it, up to the next one.
enum class Tag : uint8_t { header, stack, poke, command, event, end, layer };

template <class Archive>
void transfer_members(Archive& archive, Header& header) {
  transfer(archive, header.chip);
  transfer(archive, header.global_bytes);
  transfer(archive, header.poison);
  for (std::string* text : {&header.program, &header.quirks, &header.isa}) transfer(archive, *text);
}

template <class Archive>
void transfer_members(Archive& archive, SourceLine& line) {
  transfer(archive, line.function);
  transfer(archive, line.file);
  transfer(archive, line.line);
}

template <class Archive>
void transfer_members(Archive& archive, UserCode& code) {
  constexpr uint64_t kMostLines = 1000;
  transfer(archive, code.call);
  uint64_t count = code.lines.size();
  transfer_number(archive, count, kMostLines);
  code.lines.resize(count);
  for (SourceLine& line : code.lines) transfer_members(archive, line);
}

template <class Archive>
void transfer_members(Archive& archive, Poke& poke) {
  transfer(archive, poke.space);
  transfer(archive, poke.address);
  transfer(archive, poke.bytes);
}

template <class Archive>
void transfer_members(Archive& archive, Command& command) {
  Instruction& instruction = command.instruction;
  for (uint32_t* number :
       {&instruction.id, &instruction.wait, &command.number, &command.stack, &command.check})
    transfer(archive, *number);
  transfer(archive, instruction.engine);
  transfer(archive, command.call);
  if constexpr (Archive::kReads)
    instruction.op = read_operation(archive);
  else
    write(archive, instruction.op);
}

template <class Archive>
void transfer_members(Archive& archive, Event& event) {
  transfer(archive, event.kind);
  transfer(archive, event.space);
  for (uint64_t* number : {&event.address, &event.bytes, &event.number}) transfer(archive, *number);
  transfer(archive, event.name);
  transfer(archive, event.stack);
}

template <class T>
void put(Writer& to, Tag tag, const T& value) {
  transfer(to, tag);
  T copy = value;
  transfer_members(to, copy);
}

Tag tag_of(const Entry& entry) {
  return static_cast<Tag>(static_cast<size_t>(Tag::poke) + entry.index());
}

template <class T>
T get(Reader& from) {
  T value;
  transfer_members(from, value);
  return value;
}

uint32_t stack_of(const Entry& entry) {
  if (const auto* command = std::get_if<Command>(&entry)) return command->stack;
  if (const auto* event = std::get_if<Event>(&entry)) return event->stack;
  return 0;
}

void take_entry(Reader& from, Entry entry, Recording& to) {
  if (stack_of(entry) > to.stacks.size()) from.fail("an entry names a stack that is not there");
  to.entries.push_back(std::move(entry));
}

Command get_command(Reader& from, const std::string& layer) {
  auto command = get<Command>(from);
  command.layer = layer;
  return command;
}

// Reads one part. Returns false at the end.
bool take(Reader& from, Recording& to, std::string& layer) {
  Tag tag{};
  transfer(from, tag);
  if (from.failed()) return false;
  switch (tag) {
    case Tag::header:
      from.fail("a second header");
      return false;
    case Tag::stack:
      to.stacks.push_back(get<UserCode>(from));
      return true;
    case Tag::poke:
      take_entry(from, get<Poke>(from), to);
      return true;
    case Tag::command:
      take_entry(from, get_command(from, layer), to);
      return true;
    case Tag::event:
      take_entry(from, get<Event>(from), to);
      return true;
    case Tag::layer:
      transfer(from, layer);
      return true;
    case Tag::end:
      transfer(from, to.check);
      return false;
  }
  return false;
}

}  // namespace

void Sink::add(const Header& header) { put(writer_, Tag::header, header); }

uint32_t Sink::add(const UserCode& stack) {
  put(writer_, Tag::stack, stack);
  return ++stacks_;
}

void Sink::add(const Entry& entry) {
  if (const auto* command = std::get_if<Command>(&entry); command && command->layer != layer_) {
    layer_ = command->layer;
    Tag tag = Tag::layer;
    transfer(writer_, tag);
    transfer(writer_, layer_);
  }
  std::visit([&](const auto& value) { put(writer_, tag_of(entry), value); }, entry);
}

void Sink::end(uint32_t check) {
  Tag tag = Tag::end;
  transfer(writer_, tag);
  transfer(writer_, check);
}

Result<Recording> parse(std::span<const uint8_t> file) {
  TW_ASSIGN_OR_RETURN(content, unpack(file));
  Reader from(content);
  Recording recording;
  Tag first{};
  transfer(from, first);
  if (first != Tag::header) from.fail("it does not begin with a header");
  transfer_members(from, recording.header);
  if (!from.failed() && find_chip(recording.header.chip) == nullptr)
    from.fail(fmt::format("chip {}", recording.header.chip));
  std::string layer;
  while (!from.failed() && take(from, recording, layer)) {
  }
  if (!from.failed() && !from.at_end()) from.fail("entries follow the end");
  if (!from.failed()) return recording;
  return Error(errors::mch_recording_damaged)
      .argument("entry", fmt::format("{}", recording.entries.size()))
      .detail(from.why());
}

Result<Recording> open(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, read_bytes(path));
  auto recording = parse(file);
  if (!recording.ok())
    return bmodel::about_file(Error(recording.error()).in(path), file, "",
                              bmodel::Expected::nothing);
  return recording;
}

std::vector<uint8_t> to_file(const Recording& recording) {
  Sink sink;
  sink.add(recording.header);
  for (const UserCode& stack : recording.stacks) sink.add(stack);
  for (const Entry& entry : recording.entries) sink.add(entry);
  sink.end(recording.check);
  return pack(sink.writer().written());
}

}  // namespace tputwin::insight::recording
