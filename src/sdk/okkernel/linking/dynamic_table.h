// What the dynamic linker knows of a shared library: the symbols it refers to and where.
#pragma once

#include <link.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tputwin::okk {

// The dynamic sections of the libraries in this process, by their base addresses.
std::map<uintptr_t, const ElfW(Dyn) *> loaded_tables();

struct UndefinedSymbol {
  std::string name;
  uintptr_t* entry;  // of the library's table of procedures
};
// Functions that a library calls and does not define itself, with the entries through which it
// calls them. Weak ones may be missing and are left out.
std::vector<UndefinedSymbol> undefined_procedures(uintptr_t base, const ElfW(Dyn) * table);

// Everything that a library's file refers to and does not define. Empty if it is none.
std::vector<std::string> undefined_in_file(const std::string& path);

}  // namespace tputwin::okk
