// The part of docs/support.md that lists the commands of bmodels.
#pragma once

#include <string>

namespace tputwin::docs {

// Lists every class and operation of the BM1684X's and BM1684's streams, from the decoders' tables,
// with the types of recorded commands.
std::string command_tables();

}  // namespace tputwin::docs
