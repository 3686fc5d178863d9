// Arguments and calls as C.
#pragma once

#include <string>

#include "tools/lift/dialect.h"
#include "tools/lift/names.h"

namespace tputwin::lift {

// Returns an identifier made from a name: letters, digits and underscores, no digit first.
std::string identifier(std::string_view name);

// Returns "w3 + 0x40", "DIMS(1, 64, 7, 7)", "NULL", "F32(0.5f)".
std::string text(const Argument& argument, const Dialect& dialect, const GlobalNames& globals,
                 const LocalNames& locals);

// Returns "name(a, b, c);" in lines of at most 100 characters, indented by `indent` spaces.
std::string call_text(std::string_view name, const std::vector<std::string>& arguments,
                      size_t indent);

// Returns text in comment lines, without characters that would end a comment.
std::string comment_text(std::string_view text, size_t indent);

// Returns the definitions of the macros of argument texts that `code` uses.
std::string macros_for(std::string_view code, const Dialect& dialect);

}  // namespace tputwin::lift
