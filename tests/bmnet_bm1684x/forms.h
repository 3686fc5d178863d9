// Forms of commands: the operation on operands of these types in these memories.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "ops/instruction.h"

namespace tputwin::net::testing {

using Forms = std::set<std::string>;
std::string form_of(const Instruction& instruction);
// Adds the forms of all bmodels of a chip in a folder.
// Returns the forms of all recorded commands of a chip.
Forms recorded_forms();  // BM1684X
Forms recorded_forms_of_bm1684();
void add_forms_of_networks(const std::filesystem::path& folder, const Chip& chip, Forms& forms);

}  // namespace tputwin::net::testing
