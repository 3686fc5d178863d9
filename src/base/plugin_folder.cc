// Finds the shipped CPU operators relative to the location of this code.
#include "base/plugin_folder.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/architecture.h"

namespace tputwin {
namespace {

namespace fs = std::filesystem;

// Returns the directory of the shared library with this code or, if linked statically, of the
// program.
fs::path own_folder() {
  std::error_code ignored;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&shipped_plugins), &info) != 0 && info.dli_fname) {
    const fs::path library = fs::weakly_canonical(info.dli_fname, ignored);
    if (library.extension() != "" && fs::exists(library, ignored)) return library.parent_path();
  }
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::string shipped_plugins() {
  std::error_code ignored;
  const fs::path own = own_folder();
  for (const char* place :
       {"tputwin/plugins", "../plugins", "../lib/tputwin/plugins",
        "../lib/x86_64-linux-gnu/tputwin/plugins", "../lib/aarch64-linux-gnu/tputwin/plugins"}) {
    const fs::path folder = own / place;
    if (fs::exists(folder / kArchitecture, ignored))
      return fs::weakly_canonical(folder, ignored).string();
  }
  return "";
}

}  // namespace tputwin
