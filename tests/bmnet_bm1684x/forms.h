// Forms of commands: the operation on operands of these types in these memories.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "ops/instruction.h"

namespace tputwin::net::testing {

using Forms = std::set<std::string>;
std::string form_of(const Instruction& instruction);
// Returns the forms of all recorded commands of a chip.
Forms recorded_forms();  // BM1684X
Forms recorded_forms_of_bm1684();
// Those of the thread's target, read once.
const Forms& forms_of_target();
// Returns the form of the first command for the thread's target that has no recorded form, or "".
std::string unrecorded_form(std::span<const Instruction> commands);
// Adds the forms of all bmodels of a chip in a folder.
void add_forms_of_networks(const std::filesystem::path& folder, const Chip& chip, Forms& forms);

}  // namespace tputwin::net::testing
