// Functions of one value by name, for `unary` and for tg_function of the compiler.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace tputwin::host {

std::vector<std::string_view> function_names();
// Returns the number of arguments of the function with this name; -1 if there is none.
int function_arguments(std::string_view name);
// Returns the function with this name and number of arguments; an empty function if there is none.
std::function<float(float)> named_function(std::string_view name, std::span<const float> arguments);

}  // namespace tputwin::host
