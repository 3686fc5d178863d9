// Arguments and calls as C.
#pragma once

#include <string>

#include "tools/lift/dialect.h"
#include "tools/lift/names.h"

namespace tputwin::lift {

// An identifier made of a name: letters, digits and underscores, no digit first.
std::string identifier(std::string_view name);

// "w3 + 0x40", "DIMS(1, 64, 7, 7)", "NULL", "F32(0.5f)".
std::string text(const Argument& argument, const Dialect& dialect, const GlobalNames& globals,
                 const LocalNames& locals);

// "name(a, b, c);" in lines of at most 100 characters behind `indent` spaces.
std::string call_text(std::string_view name, const std::vector<std::string>& arguments,
                      size_t indent);

// Text without what would end a comment, in lines of a comment.
std::string comment_text(std::string_view text, size_t indent);

// The definitions of the macros of argument texts that `code` uses.
std::string macros_for(std::string_view code, const Dialect& dialect);

}  // namespace tputwin::lift
