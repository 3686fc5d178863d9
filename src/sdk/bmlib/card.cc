// Card: opens cards once for a process, allocates their blocks, and runs launches on their thread.
#include "sdk/bmlib/card.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/bits.h"
#include "base/errors/bmlib.h"
#include "base/errors/machine.h"
#include "base/variables.h"
#include "chip/family.h"
#include "sdk/record/model_recorder.h"

namespace tputwin::bmlib {

std::atomic<LaunchCallback> launch_callback = nullptr;

namespace {

constexpr uint64_t kMinimumBytes = uint64_t{16} << 20, kMaximumBytes = uint64_t{1} << 40;
constexpr int kMaximumCards = 64;

// Returns the bytes of TPUTWIN_GLOBAL_BYTES, or 0 if it is not set, which means the chip's default.
Result<uint64_t> wanted_bytes() {
  const std::string_view text = value_of(EnvVariable::global_bytes);
  if (text.empty()) return uint64_t{0};
  const auto bytes = bytes_in(EnvVariable::global_bytes);
  if (bytes && kMinimumBytes <= *bytes && *bytes <= kMaximumBytes) return *bytes;
  return Error(errors::bml_environment)
      .argument(name_of(EnvVariable::global_bytes), std::string(text));
}

const Chip*& chip_of_process() {
  static const Chip* chip = &first_of(ChipFamily::bm1684);
  return chip;
}

// Returns the chip of devices: TPUTWIN_CHIP, or that of the linked device API.
Result<const Chip*> wanted_chip() {
  const std::string_view text = value_of(EnvVariable::chip);
  if (text.empty()) return chip_of_process();
  const Chip* chip = find_chip(text);
  if (chip != nullptr && chip->driver_id != 0) return chip;
  return Error(errors::bml_chip_variable).argument(name_of(EnvVariable::chip), std::string(text));
}

// Returns the predictor of launch times on the chip under TPUTWIN_TIME=chip.
std::unique_ptr<insight::TimelineRecorder> recorder_of_time(Device& device) {
  if (value_of(EnvVariable::time) != "chip") return nullptr;
  auto recorder = std::make_unique<insight::TimelineRecorder>(device.chip(), false);
  device.observers().add(recorder.get());
  return recorder;
}

// Table of open cards.
struct Table {
  std::mutex mutex;
  std::map<int, std::weak_ptr<Card>> cards;
};

Table& open_cards() {
  static auto& instance = *new Table;
  return instance;
}

}  // namespace

void use_chip(const Chip& chip) { chip_of_process() = &chip; }

int Card::count() {
  return static_cast<int>(std::clamp<uint64_t>(number_in(EnvVariable::devices), 1, kMaximumCards));
}

Result<std::shared_ptr<Card>> Card::open(int id, int count) {
  if (id < 0 || id >= std::min(count, kMaximumCards))
    return Error(errors::bml_device).argument("devid", fmt::format("{}", id));
  std::lock_guard lock(open_cards().mutex);
  std::weak_ptr<Card>& open = open_cards().cards[id];
  // a child of fork() has no thread for its parent's card
  if (auto card = open.lock(); card != nullptr && card->process() == getpid()) {
    if (!card->is_lost()) return card;
    return Error(errors::bml_device_lost).argument("devid", fmt::format("{}", id));
  }
  TW_ASSIGN_OR_RETURN(bytes, wanted_bytes());
  TW_ASSIGN_OR_RETURN(kind, wanted_chip());
  TW_ASSIGN_OR_RETURN(chip, Device::create({.chip = kind, .global_bytes = bytes}));
  auto card = std::make_shared<Card>(id, std::move(chip));
  open = card;
  return card;
}

Result<std::shared_ptr<Card>> Card::create(const Chip& kind) {
  TW_ASSIGN_OR_RETURN(bytes, wanted_bytes());
  TW_ASSIGN_OR_RETURN(chip, Device::create({.chip = &kind, .global_bytes = bytes}));
  return std::make_shared<Card>(0, std::move(chip));
}

Card::Card(int id, std::unique_ptr<Device> simulated)
    : id_(id),
      process_(getpid()),
      chip_(std::move(simulated)),
      chip_time_(recorder_of_time(*chip_)),
      watchers_(insight::watch(*chip_)),
      is_watched_(!watchers_.empty()),
      allocator_(chip().global_alloc_base, allocatable_bytes(), chip().global_alloc_quantum),
      worker_([this] { work(); }) {}

Card::~Card() {
  if (!watchers_.empty()) exclusively([&] { notify({.kind = DeviceEvent::Kind::closed}); });
  std::lock_guard lock(mutex_);
  closing_ = true;
  changed_.notify_all();
}

// ---- Order ----

Card::Exclusive::Exclusive(Card& card) : card_(card) {
  std::unique_lock lock(card.mutex_);
  const uint64_t ticket = card.issued_++;
  card.wait_until(lock, [&] { return card.serving_ == ticket; });
}

Card::Exclusive::~Exclusive() {
  std::lock_guard lock(card_.mutex_);
  card_.serve_next();
}

void Card::serve_next() {
  do ++serving_;
  while (dropped_.erase(serving_) != 0);
  changed_.notify_all();
}

void Card::submit(const std::shared_ptr<Launch>& launch) {
  if (!watchers_.empty()) launch->stack = insight::Stacks::of_process().capture();
  std::lock_guard lock(mutex_);
  launch->number = ++counters_.launches;
  if (is_lost_) return finish(*launch, {.error = lost_error(*launch), .warnings = {}});
  launch->ticket = issued_++;
  launches_.push_back(launch);
  changed_.notify_all();
}

void Card::wait_all() {
  Lock lock(mutex_);
  const uint64_t ticket = issued_;
  wait_until(lock, [&] { return serving_ >= ticket; });
  lock.unlock();
  notify_synced(ticket);
}

void Card::notify_synced(uint64_t ticket) {
  if (!is_watched_) return;
  exclusively([&] { notify({.kind = DeviceEvent::Kind::synced, .number = ticket}); });
}

// Notifies as if the caller did: the source line is that of the launch.
void Card::notify_begun(const Launch& launch) {
  if (!watchers_.empty()) insight::Stacks::play(launch.stack);
  chip_->observers().notify(
      {.kind = DeviceEvent::Kind::launch_begin, .number = launch.ticket + 1, .name = launch.name});
  insight::Stacks::play(std::nullopt);
  if (!watchers_.empty()) name_arguments(launch);
}

// Notifies observers which memory is which argument of the kernel.
void Card::name_arguments(const Launch& launch) {
  for (const insight::NamedAddress& argument : launch.arguments) {
    const auto after = blocks_.upper_bound(argument.address);
    if (after == blocks_.begin()) continue;
    const auto& [begin, block] = *std::prev(after);
    const uint64_t in_block = argument.address - begin;
    if (in_block >= block.bytes || (in_block != 0 && !argument.is_certain)) continue;
    chip_->observers().notify({.kind = DeviceEvent::Kind::tensor,
                               .address = argument.address - chip().global_base,
                               .bytes = block.bytes - in_block,
                               .name = argument.name});
  }
}

void Card::work() {
  Lock lock(mutex_);
  while (true) {
    changed_.wait(
        lock, [&] { return launches_.empty() ? closing_ : launches_.front()->ticket == serving_; });
    if (launches_.empty()) return;
    const std::shared_ptr<Launch> launch = std::move(launches_.front());
    launches_.pop_front();
    launch->begun = Clock::now();
    launch->control.thread = pthread_self();
    running_ = launch;
    if (has_limits_) changed_.notify_all();  // waiting threads check the time limit
    lock.unlock();
    auto [outcome, seconds] = run(*launch);
    lock.lock();
    if (launch->control.abandoned) return;  // the card continued without this thread
    running_ = nullptr;
    finish(*launch, std::move(outcome));
    counters_.launch_seconds += seconds;
    counters_.last_launch_seconds = seconds;
    serve_next();
  }
}

okk::LaunchLabel Card::label(const Launch& launch) const {
  return {launch.kind, launch.name.c_str(), launch.number, id_};
}

std::pair<okk::Outcome, double> Card::run(Launch& launch) {
  const okk::LaunchLabel named = label(launch);
  const okk::ScopedRun scope(launch.control, named);
  notify_begun(launch);
  okk::Outcome outcome = launch.run(*chip_);
  if (launch.control.abandoned) return {};
  if (outcome.error && outcome.error->id() == errors::mch_stopped)
    outcome.error = timeout_error(
        launch, outcome.error->detail().empty() ? "it was stopped" : outcome.error->detail());
  chip_->observers().notify({.kind = DeviceEvent::Kind::launch_end});
  const double seconds = predicted_seconds();
  if (LaunchCallback callback = launch_callback)
    callback(id_, 0, outcome.error ? BM_ERR_FAILURE : BM_SUCCESS, launch.name.c_str());
  return {std::move(outcome), seconds};
}

double Card::predicted_seconds() {
  if (chip_time_ == nullptr) return 0;
  const insight::Timeline timeline = chip_time_->take();
  return timeline.seconds(timeline.cycles());
}

// ---- Memory ----

Result<uint64_t> Card::allocate(uint64_t bytes, uint32_t heap) {
  auto offset = allocator_.allocate(bytes);
  if (!offset) return Error(errors::bml_memory_full).argument("size", fmt::format("{:#x}", bytes));
  const uint64_t address = chip().global_base + *offset;
  notify({.kind = DeviceEvent::Kind::allocated, .address = *offset, .bytes = bytes});
  blocks_.emplace(address, Block{bytes, heap});
  if (auto* recorder = record::Recorder::of_process()) recorder->allocated(*offset);
  return address;
}

Status Card::free(uint64_t address) {
  notify({.kind = DeviceEvent::Kind::freed, .address = address - chip().global_base});
  auto node = blocks_.extract(address);
  if (node.empty())
    return Error(errors::bml_free).argument("mem", fmt::format("address {:#x}", address));
  allocator_.release(address - chip().global_base, node.mapped().bytes);
  return {};
}

bool Card::allocated(uint64_t address, uint64_t bytes) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  const auto& [begin, block] = *std::prev(after);
  return address - begin <= block.bytes && bytes <= block.bytes - (address - begin);
}

uint64_t Card::used_bytes(uint32_t heap) const {
  uint64_t used = 0;
  for (const auto& [address, block] : blocks_)
    if (block.heap == heap) used += align_up(block.bytes, uint64_t{chip().global_alloc_quantum});
  return used;
}

// ---- Counters ----

Counters Card::counters() const {
  std::lock_guard lock(mutex_);
  return counters_;
}

void Card::count_copies(uint64_t in, uint64_t out) {
  std::lock_guard lock(mutex_);
  counters_.copies_in += in;
  counters_.copies_out += out;
}

bool Card::busy() const {
  std::lock_guard lock(mutex_);
  return counters_.finished != counters_.launches;
}

}  // namespace tputwin::bmlib
