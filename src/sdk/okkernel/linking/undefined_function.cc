// Replacements of undefined functions, instantiated from a template, one for each name.
#include "sdk/okkernel/linking/undefined_function.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <utility>

#include "sdk/okkernel/kernel_exit.h"

namespace tputwin::okk {
namespace {

struct Names {
  std::mutex mutex;
  std::deque<std::string> all;  // references stay valid
};

Names& names() {
  static auto& instance = *new Names;
  return instance;
}

// Outside a kernel, ends the process as the C library does.
[[noreturn]] void reached(size_t index) {
  const std::string* name;
  {
    std::lock_guard lock(names().mutex);
    name = &names().all[index];
  }
  if (in_leavable_kernel()) {
    Session& session = *current_session();
    session.report(Error(session.rules().undefined).argument("function", *name), *name);
    leave_kernel(KernelEnd::reported);
  }
  std::fprintf(stderr, "tputwin: %s is called, and no library defines it\n", name->c_str());
  std::_Exit(127);
}

template <size_t Index>
void stand_in() {
  reached(Index);
}

template <size_t... Index>
constexpr auto stand_ins(std::index_sequence<Index...>) {
  return std::array{&stand_in<Index>...};
}
constexpr auto kStandIns = stand_ins(std::make_index_sequence<kMaxUndefinedFunctions>());

}  // namespace

void (*undefined_function(const std::string& name))() {
  std::lock_guard lock(names().mutex);
  auto& all = names().all;
  const auto known = std::ranges::find(all, name);
  const auto index = static_cast<size_t>(known - all.begin());
  if (index == kMaxUndefinedFunctions) return nullptr;
  if (known == all.end()) all.push_back(name);
  return kStandIns[index];
}

}  // namespace tputwin::okk
