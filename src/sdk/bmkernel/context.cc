// Context: appends commands, and sets their ids when the buffer is acquired.
#include "sdk/bmkernel/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/errors/bmkernel.h"
#include "insight/watch.h"
#include "sdk/bmkernel/operand.h"

namespace tputwin::bmkernel {
namespace {

// Engine of each alternative of isa::Descriptor.
constexpr Engine kEngines[] = {Engine::compute, Engine::dma, Engine::cpu};

constexpr size_t kEngineByte = 2;  // of a record header

// Rewrites the ids in the descriptor of a record; CPU records have none.
void write_ids(uint8_t* body, Engine engine, const isa::SyncTracker::Ids& ids) {
  if (engine == Engine::compute) {
    std::span<uint8_t, isa::kBdBytes> bytes(body, isa::kBdBytes);
    isa::BdDescriptor d = isa::unpack_bd(bytes);
    d.cmd_id_tpu = ids.id;
    d.cmd_id_gdma = ids.wait;
    isa::pack(d, bytes);
  } else if (engine == Engine::dma) {
    std::span<uint8_t, isa::kGdmaBytes> bytes(body, isa::kGdmaBytes);
    isa::GdmaDescriptor d = isa::unpack_gdma(bytes);
    d.cmd_id = ids.id;
    d.cmd_id_bd = ids.wait;
    isa::pack(d, bytes);
  }
}

}  // namespace

uint8_t* CommandBuffer::append(size_t bytes) {
  if (fixed_.data() == nullptr) {
    if (own_.size() < size_ + bytes) own_.resize(std::max(2 * own_.size(), size_ + bytes));
    std::fill_n(own_.begin() + static_cast<ptrdiff_t>(size_), bytes, uint8_t{0});
  } else if (bytes > fixed_.size() - size_) {
    return nullptr;
  }
  size_ += bytes;
  return used().data() + size_ - bytes;
}

std::span<uint8_t> CommandBuffer::used() {
  return fixed_.data() == nullptr ? std::span(own_).first(size_) : fixed_.first(size_);
}

ec_desc* CommandList::add(size_t offset, Engine engine) {
  if (size_ == chunks_.size() * kChunk)
    chunks_.push_back(std::make_unique<std::array<ec_desc, kChunk>>());
  ec_desc& command = (*chunks_[size_ / kChunk])[size_ % kChunk];
  command = {size_++, offset, engine};
  return &command;
}

bool CommandList::contains(const ec_desc* command) const {
  for (size_t i = 0; i * kChunk < size_; ++i) {
    const ec_desc* first = chunks_[i]->data();
    const ec_desc* last = first + std::min(kChunk, size_ - i * kChunk);
    if (!std::less<>()(command, first) && std::less<>()(command, last)) return true;
  }
  return false;
}

void CommandList::clear() {
  chunks_.clear();
  size_ = 0;
}

Context::Context(const Chip& chip, CommandBuffer buffer)
    : chip_(chip), buffer_(std::move(buffer)), tensors_(chip) {}

Result<bmk1880_op_t*> Context::append(const isa::Descriptor& descriptor, uint8_t flags,
                                      std::string_view call) {
  std::vector<uint8_t> record;
  isa::append_record(descriptor, flags, record);
  size_t offset = buffer_.size();
  uint8_t* to = buffer_.append(record.size());
  if (to == nullptr)
    return Error(errors::bmk_cmdbuf_full)
        .detail(fmt::format("{} bytes are used, {} more are needed", offset, record.size()));
  // The reference library writes half of the engine byte; the other half keeps the caller's bits.
  record[kEngineByte] |= to[kEngineByte] & 0xf0;
  std::copy(record.begin(), record.end(), to);
  Engine engine = kEngines[descriptor.index()];
  order_.add(engine);
  if (insight::is_watching()) made_.push_back({call, insight::Stacks::of_process().capture()});
  return commands_.add(offset, engine);
}

Result<std::span<uint8_t>> Context::finish() {
  if (auto error = diagnostics_.first_error())
    return Error(errors::bmk_context_failed).detail(error->message());
  std::span<uint8_t> buffer = buffer_.used();
  std::vector<isa::SyncTracker::Ids> ids = order_.resolve();
  for (size_t i = 0; i < commands_.size(); ++i)
    write_ids(buffer.data() + commands_[i].offset + isa::kHeaderBytes, commands_[i].engine, ids[i]);
  if (insight::is_watching()) {
    insight::Origin origin;
    for (size_t i = 0; i < commands_.size(); ++i)
      origin[{commands_[i].engine, ids[i].id}] = made_[i];
    insight::Origins::of_process().add(buffer, std::move(origin));
  }
  return buffer;
}

void Context::reset() {
  buffer_.clear();
  commands_.clear();
  made_.clear();
  order_.reset();
  streams_ = 0;
  parallel_ = false;
  diagnostics_.clear();
}

Status Context::parallel_enable() {
  parallel_ = true;
  order_.parallel_enable();
  return streams_ == 0 ? Status() : Error(errors::bmk_mixed_modes);
}

Status Context::parallel_disable() {
  parallel_ = false;
  order_.parallel_disable();
  return streams_ == 0 ? Status() : Error(errors::bmk_mixed_modes);
}

Status Context::create_streams(int count) {
  std::string value = fmt::format("{}", count);
  if (count <= 0) return broken(errors::bmk_stream_count, "nr_streams", value);
  if (streams_ != 0) return broken(errors::bmk_streams_exist, "nr_streams", value);
  streams_ = count;
  order_.create_streams(static_cast<size_t>(count));
  return parallel_ ? Status(Error(errors::bmk_mixed_modes)) : Status();
}

Status Context::destroy_streams() {
  if (streams_ == 0) return Error(errors::bmk_streams_missing);
  streams_ = 0;
  parallel_ = false;
  order_.destroy_streams();
  return {};
}

Status Context::set_stream(int index) {
  if (streams_ == 0) return Error(errors::bmk_streams_missing);
  if (index < 0 || index >= streams_)
    return broken(errors::bmk_stream_index, "i", fmt::format("{}", index))
        .detail(fmt::format("there are {}", streams_));
  order_.set_stream(static_cast<size_t>(index));
  return {};
}

Status Context::add_dependency(const bmk1880_op_t* before, const bmk1880_op_t* after) {
  for (auto [name, op] : {std::pair{"before", before}, {"after", after}}) {
    if (op == nullptr) return broken(errors::bmk_null_argument, name, "NULL");
    if (!commands_.contains(op)) return broken(errors::bmk_foreign_op, name, "unknown");
  }
  order_.add_dependency(before->index, after->index);
  if (before->index < after->index) return {};
  return broken(errors::bmk_dependency_order, "before", fmt::format("command {}", before->index))
      .detail(fmt::format("after is command {}", after->index));
}

bmk1880_context_t* create_context(const Chip& chip) {
  return new bmk1880_context(chip, CommandBuffer());
}

}  // namespace tputwin::bmkernel
