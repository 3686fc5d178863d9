// Captures stacks with glibc's unwinder, and finds lines by debug information.
#include "insight/stacks.h"

#include <execinfo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "insight/symbols.h"

namespace tputwin::insight {
namespace {

constexpr int kDepth = 24;        // captured frames
constexpr size_t kMostLines = 4;  // lines shown

// Returns true for a library of this project: libNAME.so, or libNAME.so.VERSION.
bool is_ours(const std::string& module) {
  static constexpr std::array kNames{TPUTWIN_LIBRARIES};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    const std::string file = fmt::format("lib{}.so", name);
    return module == file || module.starts_with(file + ".");
  });
}

// Returns the index of the first frame of the user: the caller of `call` or, if `call` was reached
// by a jump and has no frame, the first frame outside our libraries.
size_t first_of_user(const std::vector<Frame>& frames, std::string_view call) {
  for (size_t i = 0; i + 1 < frames.size(); ++i)
    if (!call.empty() && frames[i].line.function == call) return i + 1;
  const auto user =
      std::ranges::find_if(frames, [](const Frame& frame) { return !is_ours(frame.module); });
  return static_cast<size_t>(user - frames.begin());
}

}  // namespace

std::string describe(const SourceLine& line) {
  if (line.file.empty()) return line.function;
  return fmt::format("{} ({}:{})", line.function,
                     std::filesystem::path(line.file).filename().string(), line.line);
}

Stacks& Stacks::of_process() {
  static auto& instance = *new Stacks;
  return instance;
}

namespace {

thread_local std::optional<StackId> played;

}  // namespace

void Stacks::play(std::optional<StackId> stack) { played = stack; }

template <class Key>
StackId Stacks::number_of(std::map<Key, StackId>& numbers, Key key, const Key* Stack::*member) {
  std::lock_guard lock(mutex_);
  const auto [entry, is_new] =
      numbers.emplace(std::move(key), static_cast<StackId>(stacks_.size() + 1));
  if (is_new) stacks_.emplace_back().*member = &entry->first;
  return entry->second;
}

StackId Stacks::add(UserCode code) {
  return number_of(foreign_numbers_, std::move(code), &Stack::foreign);
}

StackId Stacks::capture() {
  if (played) return *played;
  std::array<void*, kDepth> found;
  const int depth = backtrace(found.data(), kDepth);
  Addresses addresses;
  for (int i = 1; i < depth; ++i)
    addresses.push_back(reinterpret_cast<uintptr_t>(found[static_cast<size_t>(i)]));
  return number_of(numbers_, std::move(addresses), &Stack::own);
}

UserCode Stacks::user_code(StackId stack, std::string_view call) {
  std::lock_guard lock(mutex_);
  UserCode code{.call = std::string(call), .lines = {}};
  if (stack == 0) return code;
  const Stack& known = stacks_[stack - 1];
  if (known.foreign != nullptr) return *known.foreign;
  std::vector<Frame> frames = frames_of(*known.own);
  const size_t first = first_of_user(frames, call);
  if (call.empty() && first > 0) code.call = frames[first - 1].line.function;
  for (size_t i = first; i < frames.size() && code.lines.size() < kMostLines; ++i) {
    if (is_ours(frames[i].module) || frames[i].module.starts_with("libc.so")) break;
    code.lines.push_back(std::move(frames[i].line));
  }
  return code;
}

}  // namespace tputwin::insight
