// Reads the command streams of the BM1684 and BM1684X: numbers, waits and order.
#include "isa/streams/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/bm1684/format.h"
#include "isa/bm1684x/format.h"
#include "isa/streams/format.h"
#include "ops/index/index_fault.h"

namespace tputwin::isa {

const StreamFormat& format_of(const Chip& chip) {
  return chip.family == ChipFamily::bm1684 ? bm1684_streams::kFormat : bm1684x_streams::kFormat;
}

// Checks that no operand has more elements than its memory has bytes. This bounds the repetition of
// elements by strides of 0.
Status check_counts(const Operation& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    const TensorView& view = *operand.view;
    const uint64_t bytes = view.space == Space::local ? chip.local_bytes() : chip.global_bytes;
    if (view.shape.count() > bytes)
      return Error(errors::isa_too_many_elements).argument(operand.name, describe(view));
  }
  return {};
}

Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip) {
  return format_of(chip).decode_tiu(bytes, chip);
}
Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options) {
  return format_of(chip).decode_gdma(bytes, chip, options);
}

namespace {

// Reads the commands of one stream. It checks that numbers count from 1, that wait numbers never
// fall, and that the end is last.
class StreamReader {
 public:
  StreamReader(Engine engine, std::span<const uint8_t> stream, const Chip& chip,
               const StreamOptions& options)
      : engine_(engine),
        rest_(stream),
        chip_(chip),
        options_(options),
        format_(format_of(chip)),
        ended_(stream.empty()) {}

  // Returns the next command; nullptr after the end.
  Result<const OneCommand*> peek() {
    if (ended_) return static_cast<const OneCommand*>(nullptr);
    if (!next_) {
      auto one = engine_ == Engine::dma ? decode_gdma_command(rest_, chip_, options_)
                                        : decode_tiu_command(rest_, chip_);
      if (!one.ok()) return at_command(one.error());
      next_ = std::move(one.value());
      TW_RETURN_IF_ERROR(count_on());
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
    ended_ = rest_.empty() && format_.end == nullptr;
    return one;
  }
  uint32_t done() const { return done_; }

  Error waits_for_ever() const {
    return numbered(
        field_error(errors::isa_stream_wait_never, wait_name(), next_->instruction.wait));
  }

 private:
  // Returns the error under a name such as "TIU command 12, AR 2 add".
  Error at_command(const Error& error) const {
    std::string call = error.call();
    const std::string prefix = fmt::format("{} command", stream_name(engine_));
    if (call.starts_with(prefix)) call.erase(0, prefix.size());
    return Error(error).in(
        fmt::format("{} {}{}{}", prefix, done_ + 1, call.empty() ? "" : ",", call));
  }
  Error numbered(Error error) const { return at_command(error); }

  std::string_view number_name() const {
    return engine_ == Engine::dma ? format_.gdma_number : format_.tiu_number;
  }
  std::string_view wait_name() const {
    return engine_ == Engine::dma ? format_.gdma_wait : format_.tiu_wait;
  }

  // Fields hold the low bits of numbers. Instructions hold the full numbers.
  Status count_on() {
    Instruction& in = next_->instruction;
    const uint64_t wrap = uint64_t{1} << format_.number_bits;
    if (in.id != (done_ + 1) % wrap)
      return numbered(field_error(errors::isa_stream_number, number_name(), in.id));
    in.id = done_ + 1;
    if (next_->is_end) return {};
    const uint64_t ahead = (in.wait - waited_) % wrap;
    if (ahead >= wrap / 2)
      return numbered(field_error(errors::isa_stream_wait_falls, wait_name(), in.wait));
    in.wait = static_cast<uint32_t>(waited_ + ahead);
    return {};
  }
  Status check_fill() const {
    constexpr size_t kUnit = 128;
    const auto fill = rest_.subspan(next_->bytes);
    const bool zero = std::all_of(fill.begin(), fill.end(), [](uint8_t byte) { return byte == 0; });
    if (fill.size() < kUnit && zero) return {};
    return numbered(Error(errors::isa_stream_end)
                        .argument("bytes", fmt::format("{} after the end", fill.size())));
  }

  Engine engine_;
  std::span<const uint8_t> rest_;
  const Chip& chip_;
  const StreamOptions& options_;
  const StreamFormat& format_;
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
    if (options.unconfirmed != nullptr)
      options.unconfirmed->add(one.unconfirmed, one.instruction.id);
    if (!one.is_idle) program.push_back(std::move(one.instruction));
  }
}

Result<uint32_t> count_commands(Engine engine, std::span<const uint8_t> stream, const Chip& chip) {
  const StreamOptions options;
  StreamReader reader(engine, stream, chip, options);
  while (true) {
    TW_ASSIGN_OR_RETURN(next, reader.peek());
    const bool has_end = format_of(chip).end != nullptr && !stream.empty();
    if (next == nullptr) return reader.done() + (has_end ? 1u : 0u);
    reader.take();
  }
}

namespace {

// Returns the index fault of operations that have an index; nullptr for others.
const IndexFault* fault_in(const Operation& op) {
  const IndexFault* fault = nullptr;
  std::visit(
      [&](const auto& alternative) {
        if constexpr (requires { alternative.fault; }) fault = alternative.fault.get();
        if constexpr (requires { alternative.lanes; }) fault = fault_in(*alternative.operation);
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
