// Loading of libraries with replacements for undefined functions. The C library would end the
// process at the first call of one. So its entry in the library's table of procedures is set to a
// replacement before any code can call it.
#include "sdk/okkernel/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "bmodel/file_kind.h"
#include "sdk/okkernel/linking/dynamic_table.h"
#include "sdk/okkernel/linking/undefined_function.h"

namespace tputwin::okk {
namespace {

bool defined_somewhere(void* library, const std::string& name) {
  return dlsym(library, name.c_str()) != nullptr || dlsym(RTLD_DEFAULT, name.c_str()) != nullptr;
}

// Binds functions that the library, or those it needs, call and no library defines. Fills the
// entries of such functions; returns false if there are too many.
bool bind_undefined(void* library, const std::set<uintptr_t>& before,
                    std::vector<std::string>& undefined) {
  for (const auto& [base, table] : loaded_tables()) {
    if (before.contains(base)) continue;
    for (const UndefinedSymbol& symbol : undefined_procedures(base, table)) {
      if (defined_somewhere(library, symbol.name)) continue;
      void (*stand_in)() = undefined_function(symbol.name);
      if (stand_in == nullptr) return false;
      *symbol.entry = reinterpret_cast<uintptr_t>(stand_in);
      undefined.push_back(symbol.name);
    }
  }
  return true;
}

std::set<uintptr_t> loaded_bases() {
  std::set<uintptr_t> bases;
  for (const auto& [base, table] : loaded_tables()) bases.insert(base);
  return bases;
}

// Returns all undefined symbols; the loader's message names only the first.
std::string all_undefined(const std::string& path, const std::string& reason) {
  std::vector<std::string> names = undefined_in_file(path);
  std::erase_if(names, [](const std::string& n) { return defined_somewhere(RTLD_DEFAULT, n); });
  if (names.empty()) return reason;
  return fmt::format(
      "it refers to what is defined nowhere: {}; functions among them may stay undefined if they "
      "are called only, and the library is linked with -z lazy",
      joined(names));
}

}  // namespace

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

KernelLibrary load_kernel_library(const std::string& path, int visibility) {
  const std::set<uintptr_t> before = loaded_bases();
  KernelLibrary library{.handle = dlopen(path.c_str(), RTLD_LAZY | visibility)};
  if (library.handle == nullptr) {
    const char* reason = dlerror();
    library.reason = reason != nullptr ? reason : "";
    library.undefined_at_load = library.reason.find("undefined symbol") != std::string::npos;
    const std::string kind = bmodel::file_kind_of(path, bmodel::Expected::shared_object);
    if (!kind.empty()) library.reason = kind;
    if (library.undefined_at_load) library.reason = all_undefined(path, library.reason);
    return library;
  }
  if (!bind_undefined(library.handle, before, library.undefined)) {
    dlclose(library.handle);
    return {.reason = fmt::format("it calls more functions that are defined nowhere than the {} "
                                  "that can stay so",
                                  kMaxUndefinedFunctions),
            .undefined_at_load = true};
  }
  std::ranges::sort(library.undefined);
  return library;
}

}  // namespace tputwin::okk
