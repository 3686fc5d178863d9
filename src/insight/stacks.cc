// Stacks by glibc's unwinder, lines by elfutils.
#include "insight/stacks.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

namespace tputwin::insight {
namespace {

constexpr int kDepth = 24;        // of what is captured
constexpr size_t kMostLines = 4;  // of what is shown

std::string demangled(const char* name) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
  return text != nullptr ? text.get() : name;
}

// The process as elfutils sees it.
class Symbols {
 public:
  Symbols() : dwfl_(dwfl_begin(&callbacks()), dwfl_end) {
    if (dwfl_ == nullptr) return;
    dwfl_linux_proc_report(dwfl_.get(), getpid());
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  }

  // Those of the libraries that are loaded now.
  static const Symbols& now() {
    static std::unique_ptr<const Symbols> newest;
    static uint64_t loaded_then = 0;
    uint64_t loaded = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* count) {
          *static_cast<uint64_t*>(count) = library->dlpi_adds + library->dlpi_subs;
          return 1;
        },
        &loaded);
    if (newest == nullptr || loaded != loaded_then) newest = std::make_unique<const Symbols>();
    loaded_then = loaded;
    return *newest;
  }

  struct Frame {
    SourceLine line;
    std::string module;  // file name, without folder
  };
  Frame frame(uintptr_t return_address) const {
    const uintptr_t at = return_address - 1;  // in the call
    Dwfl_Module* module = dwfl_ != nullptr ? dwfl_addrmodule(dwfl_.get(), at) : nullptr;
    if (module == nullptr) return {};
    const char* path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    Frame frame{.line = {}, .module = std::filesystem::path(path ? path : "").filename()};
    const char* function = dwfl_module_addrname(module, at);
    frame.line.function = function != nullptr ? demangled(function) : frame.module;
    int number = 0;
    Dwfl_Line* line = dwfl_module_getsrc(module, at);
    const char* file = line == nullptr
                           ? nullptr
                           : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file != nullptr) frame.line.file = file;
    frame.line.line = number;
    return frame;
  }

 private:
  static const Dwfl_Callbacks& callbacks() {
    static char* debug_path = nullptr;  // the standard places
    static const Dwfl_Callbacks instance{.find_elf = dwfl_linux_proc_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = nullptr,
                                         .debuginfo_path = &debug_path};
    return instance;
  }
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl_;
};

// A library of this project: libNAME.so, or libNAME.so.VERSION.
bool is_ours(const std::string& module) {
  static constexpr std::array kNames{TPUTWIN_LIBRARIES};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    const std::string file = fmt::format("lib{}.so", name);
    return module == file || module.starts_with(file + ".");
  });
}

// The first frame of the user's: behind the call that is named, or, where that was jumped from,
// behind our libraries.
size_t first_of_user(const std::vector<Symbols::Frame>& frames, std::string_view call) {
  for (size_t i = 0; i + 1 < frames.size(); ++i)
    if (!call.empty() && frames[i].line.function == call) return i + 1;
  const auto user = std::ranges::find_if(
      frames, [](const Symbols::Frame& frame) { return !is_ours(frame.module); });
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

StackId Stacks::add(UserCode code) {
  std::lock_guard lock(mutex_);
  stacks_.push_back(nullptr);
  const auto id = static_cast<StackId>(stacks_.size());
  foreign_.emplace(id, std::move(code));
  return id;
}

StackId Stacks::capture() {
  if (played) return *played;
  std::array<void*, kDepth> found;
  const int depth = backtrace(found.data(), kDepth);
  Addresses addresses;
  for (int i = 1; i < depth; ++i)
    addresses.push_back(reinterpret_cast<uintptr_t>(found[static_cast<size_t>(i)]));
  std::lock_guard lock(mutex_);
  const auto [entry, is_new] =
      numbers_.emplace(std::move(addresses), static_cast<StackId>(stacks_.size() + 1));
  if (is_new) stacks_.push_back(&entry->first);
  return entry->second;
}

UserCode Stacks::user_code(StackId stack, std::string_view call) {
  std::lock_guard lock(mutex_);
  UserCode code{.call = std::string(call), .lines = {}};
  if (stack == 0) return code;
  if (const auto foreign = foreign_.find(stack); foreign != foreign_.end()) return foreign->second;
  const Symbols& symbols = Symbols::now();
  std::vector<Symbols::Frame> frames;
  for (const uintptr_t address : *stacks_[stack - 1]) frames.push_back(symbols.frame(address));
  const size_t first = first_of_user(frames, call);
  if (call.empty() && first > 0) code.call = frames[first - 1].line.function;
  for (size_t i = first; i < frames.size() && code.lines.size() < kMostLines; ++i) {
    if (is_ours(frames[i].module) || frames[i].module.starts_with("libc.so")) break;
    code.lines.push_back(std::move(frames[i].line));
  }
  return code;
}

}  // namespace tputwin::insight
