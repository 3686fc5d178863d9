// Reads the command streams of the BM1684X: forms, lengths, numbers and order.
#include "isa/bm1684x/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/operations.h"
#include "isa/decode_check.h"

namespace tputwin::isa {

namespace streams {
namespace {

constexpr size_t kHeadBytes = 16;  // the shortest command

std::optional<GdmaForm> gdma_form(const CommandHead& head) {
  switch (head.type) {
    case kMatrix:
      return head.is_short ? GdmaForm::short_matrix : GdmaForm::tensor;
    case kMaskedSelect:
      return head.is_short ? GdmaForm::short_masked_select : GdmaForm::masked_select;
    case kGeneral:
      return head.is_short ? GdmaForm::short_general : GdmaForm::tensor;
    case kNonzero:
      return head.is_short ? GdmaForm::short_nonzero : GdmaForm::nonzero;
    case kGdmaSys:
      return head.is_short ? std::optional(GdmaForm::short_sys) : std::nullopt;
    case kTensor:
    case kCwTranspose:
      return head.is_short ? std::nullopt : std::optional(GdmaForm::tensor);
    case kGather:
    case kScatter:
      return head.is_short ? std::nullopt : std::optional(GdmaForm::gather_scatter);
    default:
      return std::nullopt;
  }
}

// An error about a command names its operation as far as it is known: "AR 2 add".
std::string class_name(Engine engine, uint64_t type) {
  constexpr std::string_view kTiu[] = {"CONV", "PorD", "MM",  "AR", "RQDQ", "TRANS", "SG", "LAR",
                                       "SEG",  "SFU",  "LIN", "",   "",     "CMP",   "VC", "SYS"};
  constexpr std::string_view kGdma[] = {"tensor",  "matrix",       "masked select",
                                        "general", "cw transpose", "nonzero",
                                        "SYS",     "gather",       "scatter"};
  const std::span<const std::string_view> names =
      engine == Engine::dma ? std::span<const std::string_view>(kGdma) : kTiu;
  if (type < names.size() && !names[type].empty()) return std::string(names[type]);
  return fmt::format("class {}", type);
}
std::string_view stream_name(Engine engine) { return engine == Engine::dma ? "GDMA" : "TIU"; }

std::string site(Engine engine, const CommandHead& head, std::string_view name) {
  return fmt::format("{} command {} {}{}{}", stream_name(engine), class_name(engine, head.type),
                     head.code, name.empty() ? "" : " ", name);
}

// The bytes of a command in its form, every bit of which has a field.
template <class Command>
Result<Command> read(const CommandForm<Command>& form, std::span<const uint8_t> bytes) {
  if (bytes.size() < form.bytes)
    return Error(errors::isa_stream_truncated)
        .argument("bytes", fmt::format("{} of {}", bytes.size(), form.bytes));
  if (const auto bit = reserved_bit(form, bytes.first(form.bytes)))
    return Error(errors::isa_stream_reserved)
        .argument("bit", fmt::format("{} of form {}", *bit, form.name));
  return unpack(form, bytes);
}

// No operand repeats elements without end: none has more than its memory has bytes.
Status check_counts(const Operation& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    const TensorView& view = *operand.view;
    const uint64_t bytes = view.space == Space::local ? chip.local_bytes() : chip.global_bytes;
    if (view.shape.count() > bytes)
      return Error(errors::isa_too_many_elements).argument(operand.name, describe(view));
  }
  return {};
}

Result<OneCommand> decode_tiu(const CommandHead& head, const TiuRow* row,
                              std::span<const uint8_t> bytes, const Chip& chip) {
  const bool is_end = head.type == kSys && head.code == kTiuEnd;
  if (row == nullptr && !is_end)
    return field_error(errors::isa_stream_operation, "tsk_eu_typ", head.code);
  if (row != nullptr && row->decode == nullptr)
    return field_error(errors::isa_stream_refused, "tsk_eu_typ", head.code);
  const std::optional<TiuForm> kind = tiu_form_of(head.type, head.code, head.is_short);
  if (!kind) return field_error(errors::isa_stream_form, "cmd_short", head.is_short);
  TW_ASSIGN_OR_RETURN(command, read(form(*kind), bytes));
  OneCommand one{.instruction = {.engine = Engine::compute,
                                 .id = static_cast<uint32_t>(command.cmd_id),
                                 .wait = static_cast<uint32_t>(command.cmd_id_dep)},
                 .bytes = form(*kind).bytes,
                 .is_end = is_end};
  if (is_end) return one;
  CommandReader reader(chip);
  if (kind == TiuForm::long_form)
    reader.supports(command.tsk_lane_num == UINT64_MAX, TW_OF(command, tsk_lane_num));
  one.instruction.op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(one.instruction.op, chip));
  return one;
}

// Lanes that are written; where nothing is written into lanes, or the class does not look at it,
// the mask may be anything.
void check_mask(const GdmaCommand& c, CommandReader& reader) {
  const uint64_t target = c.dst_start_addr_l32 | c.dst_start_addr_h8 << 32;
  const bool ignores =
      c.cmd_type == kMaskedSelect || c.cmd_type == kGeneral || c.cmd_type == kNonzero;
  if (ignores || target - reader.chip().local_base >= reader.chip().local_bytes()) return;
  reader.supports(c.localmem_mask_l32 == UINT32_MAX, TW_OF(c, localmem_mask_l32));
  reader.supports(c.localmem_mask_h32 == UINT32_MAX, TW_OF(c, localmem_mask_h32));
}

Result<OneCommand> decode_gdma(const CommandHead& head, const GdmaRow* row,
                               std::span<const uint8_t> bytes, const Chip& chip,
                               const StreamOptions& options) {
  const bool is_end = head.type == kGdmaSys && head.code == kGdmaEnd;
  const bool is_idle = head.type == kGdmaSys && head.code == kGdmaIdle;
  if (row == nullptr && !is_end && !is_idle)
    return field_error(errors::isa_stream_operation, "cmd_special_function", head.code);
  const std::optional<GdmaForm> kind = gdma_form(head);
  if (!kind) return field_error(errors::isa_stream_form, "cmd_short", head.is_short);
  TW_ASSIGN_OR_RETURN(command, read(form(*kind), bytes));
  OneCommand one{.instruction = {.engine = Engine::dma,
                                 .id = static_cast<uint32_t>(command.cmd_id),
                                 .wait = static_cast<uint32_t>(command.cmd_id_dep)},
                 .bytes = form(*kind).bytes,
                 .is_end = is_end,
                 .is_idle = is_idle};
  if (is_end || is_idle) return one;
  CommandReader reader(chip, &options);
  check_mask(command, reader);
  one.instruction.op = row->decode(command, reader, row->variant);
  if (!reader.ok()) return *reader.error();
  TW_RETURN_IF_ERROR(check_counts(one.instruction.op, chip));
  return one;
}

// A class no row of which is known.
template <class Row>
bool has_class(std::span<const Row> rows, uint64_t type) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.type == type; });
}

Result<OneCommand> named(Result<OneCommand> result, Engine engine, const CommandHead& head,
                         std::string_view name) {
  if (result.ok()) return result;
  return Error(result.error()).in(site(engine, head, name));
}

}  // namespace
}  // namespace streams

using namespace streams;

Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip) {
  if (bytes.size() < kHeadBytes)
    return Error(errors::isa_stream_truncated)
        .in("TIU command")
        .argument("bytes", fmt::format("{}", bytes.size()));
  const CommandHead head = tiu_head(bytes);
  const std::span<const TiuRow> rows = tiu_rows();
  if (head.type == kLar)
    return field_error(errors::isa_stream_refused, "tsk_typ", head.type)
        .in(site(Engine::compute, head, ""));
  if (head.type != kSys && !has_class(rows, head.type))
    return field_error(errors::isa_stream_class, "tsk_typ", head.type)
        .in(site(Engine::compute, head, ""));
  const TiuRow* row = find_row(rows, head.type, head.code);
  return named(decode_tiu(head, row, bytes, chip), Engine::compute, head,
               row != nullptr ? row->name : "");
}

Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options) {
  if (bytes.size() < kHeadBytes)
    return Error(errors::isa_stream_truncated)
        .in("GDMA command")
        .argument("bytes", fmt::format("{}", bytes.size()));
  const CommandHead head = gdma_head(bytes);
  const std::span<const GdmaRow> rows = gdma_rows();
  if (head.type != kGdmaSys && !has_class(rows, head.type))
    return field_error(errors::isa_stream_class, "cmd_type", head.type)
        .in(site(Engine::dma, head, ""));
  const GdmaRow* row = find_row(rows, head.type, head.code);
  return named(decode_gdma(head, row, bytes, chip, options), Engine::dma, head,
               row != nullptr ? row->name : "");
}

namespace {

// Goes through the commands of one stream. Numbers count from 1; what is waited for never falls;
// the end is the last.
class StreamReader {
 public:
  StreamReader(Engine engine, std::span<const uint8_t> stream, const Chip& chip,
               const StreamOptions& options)
      : engine_(engine), rest_(stream), chip_(chip), options_(options), ended_(stream.empty()) {}

  // The next command; nullptr behind the end.
  Result<const OneCommand*> peek() {
    if (ended_) return static_cast<const OneCommand*>(nullptr);
    if (!next_) {
      auto one = engine_ == Engine::dma ? decode_gdma_command(rest_, chip_, options_)
                                        : decode_tiu_command(rest_, chip_);
      if (!one.ok()) return at_command(one.error());
      next_ = std::move(one.value());
      TW_RETURN_IF_ERROR(check_numbers());
      if (next_->is_end) {
        ended_ = true;
        TW_RETURN_IF_ERROR(check_fill());
        return static_cast<const OneCommand*>(nullptr);
      }
    }
    return static_cast<const OneCommand*>(&*next_);
  }
  OneCommand take() {
    OneCommand one = std::move(*next_);
    next_.reset();
    rest_ = rest_.subspan(one.bytes);
    ++done_;
    waited_ = one.instruction.wait;
    return one;
  }
  uint32_t done() const { return done_; }

  Error waits_for_ever() const {
    return numbered(
        field_error(errors::isa_stream_wait_never, "cmd_id_dep", next_->instruction.wait));
  }

 private:
  // "TIU command 12, AR 2 add"
  Error at_command(const Error& error) const {
    std::string call = error.call();
    const std::string prefix = fmt::format("{} command", stream_name(engine_));
    if (call.starts_with(prefix)) call.erase(0, prefix.size());
    return Error(error).in(
        fmt::format("{} {}{}{}", prefix, done_ + 1, call.empty() ? "" : ",", call));
  }
  Error numbered(Error error) const { return at_command(error); }

  Status check_numbers() const {
    const Instruction& in = next_->instruction;
    if (in.id != done_ + 1)
      return numbered(field_error(errors::isa_stream_number, "cmd_id", in.id));
    if (!next_->is_end && in.wait < waited_)
      return numbered(field_error(errors::isa_stream_wait_falls, "cmd_id_dep", in.wait));
    return {};
  }
  Status check_fill() const {
    constexpr size_t kUnit = 128;
    const auto fill = rest_.subspan(next_->bytes);
    const bool zero = std::all_of(fill.begin(), fill.end(), [](uint8_t byte) { return byte == 0; });
    if (fill.size() < kUnit && zero) return {};
    return numbered(Error(errors::isa_stream_end)
                        .argument("bytes", fmt::format("{} behind the end", fill.size())));
  }

  Engine engine_;
  std::span<const uint8_t> rest_;
  const Chip& chip_;
  const StreamOptions& options_;
  bool ended_;
  uint32_t done_ = 0, waited_ = 0;
  std::optional<OneCommand> next_;
};

}  // namespace

Result<std::vector<Instruction>> decode_streams(const CommandStreams& streams, const Chip& chip,
                                                const StreamOptions& options) {
  StreamReader tiu(Engine::compute, streams.tiu, chip, options);
  StreamReader gdma(Engine::dma, streams.gdma, chip, options);
  std::vector<Instruction> program;
  while (true) {
    TW_ASSIGN_OR_RETURN(move, gdma.peek());
    TW_ASSIGN_OR_RETURN(compute, tiu.peek());
    if (move == nullptr && compute == nullptr) return program;
    const bool moves = move != nullptr && move->instruction.wait <= tiu.done();
    const bool computes = compute != nullptr && compute->instruction.wait <= gdma.done();
    if (!moves && !computes) return (move != nullptr ? gdma : tiu).waits_for_ever();
    OneCommand one = moves ? gdma.take() : tiu.take();
    if (!one.is_idle) program.push_back(std::move(one.instruction));
  }
}

Result<uint32_t> count_commands(Engine engine, std::span<const uint8_t> stream) {
  const Chip& chip = bm1684x();
  const StreamOptions options;
  StreamReader reader(engine, stream, chip, options);
  while (true) {
    TW_ASSIGN_OR_RETURN(next, reader.peek());
    if (next == nullptr) return reader.done() + (stream.empty() ? 0u : 1u);
    reader.take();
  }
}

namespace {

// The fault of those operations that have an index.
const IndexFault* fault_in(const Operation& op) {
  const IndexFault* fault = nullptr;
  std::visit(
      [&](const auto& alternative) {
        if constexpr (requires { alternative.fault; }) fault = alternative.fault.get();
      },
      static_cast<const AnyOperation&>(op));
  return fault;
}

}  // namespace

Status fault_of(const Instruction& instruction) {
  const IndexFault* fault = fault_in(instruction.op);
  if (fault == nullptr || !fault->index) return {};
  return Error(errors::isa_stream_index)
      .in(fmt::format("{} command {}, {}", stream_name(instruction.engine), instruction.id,
                      name(instruction.op)))
      .argument("index", fmt::format("{}", *fault->index));
}

void forget_faults(std::span<const Instruction> program) {
  for (const Instruction& instruction : program)
    if (const IndexFault* fault = fault_in(instruction.op))
      const_cast<IndexFault*>(fault)->index.reset();
}

}  // namespace tputwin::isa
