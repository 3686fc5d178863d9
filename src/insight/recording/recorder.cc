// Recorder: finds foreign bytes by comparison, and records commands and events as they happen.
#include "insight/recording/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/log.h"
#include "base/variables.h"
#include "insight/process_end.h"
#include "ops/fast/fast.h"

namespace tputwin::insight::recording {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr uint64_t kPieceBytes = 64;  // granularity of foreign bytes

// The recorders whose files have not ended.
struct Process {
  std::mutex mutex;
  std::set<Recorder*> recorders;
  size_t devices = 0;
  // A child of fork() must not write into its parent's files.
  pid_t id = getpid();
};

Process& process() {
  static auto& instance = *new Process;
  return instance;
}

void finish_all(std::string_view) {
  std::lock_guard lock(process().mutex);
  if (process().id != getpid()) return;
  for (Recorder* recorder : process().recorders) recorder->finish();
}

std::string path_of_device(const std::string& path, size_t number) {
  if (number == 1) return path;
  std::filesystem::path numbered(path);
  numbered.replace_filename(
      fmt::format("{}-{}{}", numbered.stem().string(), number, numbered.extension().string()));
  return numbered.string();
}

Header header_of(Device& device) {
  std::error_code ignored;
  return {.chip = std::string(device.chip().name),
          .global_bytes = device.memories().global_bytes(),
          .poison = DeviceOptions::poison_by_default(),
          .program = std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string(),
          .quirks = std::string(value_of(EnvVariable::quirks)),
          .isa = std::string(fast::selected_isa())};
}

}  // namespace

bool is_asked_for() { return !std::string(value_of(EnvVariable::record_run)).empty(); }

std::unique_ptr<Observer> record_device(Device& device) {
  Process& all = process();
  std::lock_guard lock(all.mutex);
  if (all.devices++ == 0) at_process_end(finish_all);
  notice_exit_calls();
  auto recorder = Recorder::create(
      device, path_of_device(std::string(value_of(EnvVariable::record_run)), all.devices));
  if (recorder.ok()) {
    all.recorders.insert(recorder->get());
    return std::move(recorder.value());
  }
  log(recorder.error(), Level::error);
  struct NullObserver : Observer {
    void on_instruction(const Instruction&, const Footprint&, const Cost&) override {}
  };
  return std::make_unique<NullObserver>();
}

Result<std::unique_ptr<Recorder>> Recorder::create(Device& device, const std::string& path) {
  TW_ASSIGN_OR_RETURN(replayed, Device::create({.chip = &device.chip(),
                                                .global_bytes = device.memories().global_bytes()}));
  TW_ASSIGN_OR_RETURN(file, BlockFile::create(path));
  return std::unique_ptr<Recorder>(new Recorder(device, std::move(replayed), std::move(file)));
}

Recorder::Recorder(Device& device, std::unique_ptr<Device> replayed,
                   std::unique_ptr<BlockFile> file)
    : device_(device),
      replayed_(std::move(replayed)),
      memory_(device.memories().take_all()),
      expected_(replayed_->memories().take_all()),
      file_(std::move(file)) {
  sink_.add(header_of(device));
}

Recorder::~Recorder() {
  std::lock_guard lock(process().mutex);
  process().recorders.erase(this);
  finish();
}

void Recorder::finish() {
  if (process().id != getpid()) file_.reset();
  if (file_ == nullptr) return;
  sink_.end(touched_.check(expected_));
  flush(0);
  if (file_ != nullptr) keep(file_->end());
  file_.reset();
}

void Recorder::keep(Status status) {
  if (status.ok()) return;
  log(status.error(), Level::error);
  file_.reset();
}

void Recorder::flush(size_t unless_more_than) {
  if (file_ == nullptr || sink_.writer().written().size() <= unless_more_than) return;
  keep(file_->add(sink_.writer().written()));
  sink_.writer().clear();
}

// Looks up source lines at once, because the library may be unloaded later.
uint32_t Recorder::stack_number(StackId stack, std::string_view call) {
  if (stack == 0) return 0;
  const auto [known, is_new] = stacks_.try_emplace({stack, std::string(call)}, 0);
  if (is_new) known->second = sink_.add(Stacks::of_process().user_code(stack, call));
  return known->second;
}

// Records bytes of a range that differ from those of a replay. Neighbouring pieces become one poke.
void Recorder::take_foreign(const ByteRange& range) {
  const uint64_t begin = address_of(memory_, range), bytes = range.end - range.begin;
  const uint8_t* now = data_of(memory_, range);
  uint8_t* expected = data_of(expected_, range);
  const auto differs = [&](uint64_t at) {
    return std::memcmp(now + at, expected + at, std::min(kPieceBytes, bytes - at)) != 0;
  };
  if (std::memcmp(now, expected, bytes) == 0) return;
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    if (!differs(at)) continue;
    uint64_t end = at + kPieceBytes;
    while (end < bytes && differs(end)) end += kPieceBytes;
    end = std::min(end, bytes);
    sink_.add(Poke{range.space, begin + at, {now + at, now + end}});
    touched_.add(range.space, begin + at, end - at);
    std::memcpy(expected + at, now + at, end - at);
    at = end;
    flush(kBlockBytes);
  }
}

void Recorder::on_issue(const CallSite& site) {
  site_ = site;
  stack_ = Stacks::of_process().capture();
}

void Recorder::before_instruction(const Instruction&, const Footprint& touched) {
  if (file_ == nullptr) return;
  for (const ByteRange& range : announced_) take_foreign(range);
  announced_.clear();
  // A command may leave some bytes of its destination unwritten, so these are compared too.
  for (const auto* ranges : {&touched.reads, &touched.writes})
    for (const ByteRange& range : *ranges) {
      take_foreign(range);
      touched_.add(memory_, range);
    }
}

void Recorder::on_instruction(const Instruction& instruction, const Footprint& touched,
                              const Cost&) {
  if (file_ == nullptr) return;
  if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
    std::tie(site_.call, stack_) = std::pair(made->second.call, made->second.stack);
  for (const ByteRange& range : touched.writes)
    std::memcpy(data_of(expected_, range), data_of(memory_, range), range.end - range.begin);
  const uint32_t stack = stack_number(stack_, site_.call);
  sink_.add(Command{.instruction = instruction,
                    .call = std::string(site_.call),
                    .layer = std::string(layers_.next(instruction)),
                    .number = site_.number,
                    .stack = stack,
                    .check = check_of(memory_, touched.writes)});
  site_ = {};
  stack_ = 0;
  flush(kBlockBytes);
}

void Recorder::on_event(const DeviceEvent& event) {
  using Kind = DeviceEvent::Kind;
  if (file_ == nullptr) return;
  layers_.on_event(event);
  if (event.kind == Kind::commands) {
    origin_ = Origins::of_process().find(event.commands);
    return;
  }
  if (event.kind == Kind::launch_begin) origin_.clear();
  if (event.kind == Kind::host_write)
    announced_.push_back({event.space, 0, event.address, event.address + event.bytes});
  const uint32_t stack = stack_number(Stacks::of_process().capture(), {});
  sink_.add(Event{.kind = event.kind,
                  .space = event.space,
                  .address = event.address,
                  .bytes = event.bytes,
                  .number = event.number,
                  .name = std::string(event.name),
                  .stack = stack});
  flush(kBlockBytes);
}

}  // namespace tputwin::insight::recording
