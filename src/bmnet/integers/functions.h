// Functions of one value that tg_function computes, by name.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace tputwin::net {

// Arguments that a function of this name takes; -1 if there is none such.
int function_arguments(std::string_view name);
// Of a name that there is, with so many arguments; an empty function otherwise.
std::function<float(float)> named_function(std::string_view name, std::span<const float> arguments);

}  // namespace tputwin::net
