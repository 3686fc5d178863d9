// The dynamic linker's tables of a shared library: the symbols it refers to and their positions.
#pragma once

#include <link.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tputwin::okk {

// Returns the dynamic sections of the libraries in this process, by their base addresses.
std::map<uintptr_t, const ElfW(Dyn) *> loaded_tables();

struct UndefinedSymbol {
  std::string name;
  uintptr_t* entry;  // in the library's table of procedures
};
// Returns functions that a library calls and does not define, with the entries through which it
// calls them. Weak symbols may be undefined and are skipped.
std::vector<UndefinedSymbol> undefined_procedures(uintptr_t base, const ElfW(Dyn) * table);

// Returns all symbols that a library's file refers to and does not define. Empty if it is no
// library.
std::vector<std::string> undefined_in_file(const std::string& path);

}  // namespace tputwin::okk
