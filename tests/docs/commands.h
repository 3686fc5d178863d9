// The part of docs/support.md that tells the commands of bmodels.
#pragma once

#include <string>

namespace tputwin::docs {

// Every class and operation of the BM1684X's and BM1684's streams, from the decoders' tables, with
// the types that recorded commands have.
std::string command_tables();

}  // namespace tputwin::docs
