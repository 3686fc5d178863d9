// Checks of nets that the compilers for the BM1684X and BM1684 take.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "bmnet_bm1684x/support.h"

namespace tputwin::fuzz {

// A chip, the type of its nets, and layers of types of their own.
struct Configuration {
  const net::bm1684x::Target* target;
  DType type;
  bool is_mixed = false;
  uint64_t mix = 0;  // chooses the types of layers
};
Configuration configuration(uint64_t number);

// Returns what `check` returns. An exception is an error: the library throws none.
template <class Check>
std::string without_exceptions(const Check& check) {
  try {
    return check();
  } catch (const std::exception& e) {
    return std::string("an exception: ") + e.what();
  }
}

// True if compiling and running the net takes less than about a second.
bool is_small(const net::Network& network);
// Returns "" if a refusal is one of the compiler's own errors, else its message.
std::string wrong_refusal(const Status& status);
// A table with the largest values for these inputs, and the types of layers that are mixed.
NetCalibrationParameter table_of(const net::Network& network, const net::testing::Values& inputs,
                                 const Configuration& chosen);
// Compiles at two levels and runs both: the bits must be equal. Nets of bytes of the BM1684 must
// also have the bits of the int8 interpreter. The file must be readable. Returns what is wrong, or
// "".
std::string wrong_levels(const net::Network& network, const net::testing::Values& inputs,
                         const Configuration& chosen, const NetCalibrationParameter& table);

// A net for one of several shapes.
struct Stage {
  net::Network network;
  net::testing::Values inputs;
};
// Compiles stages of one net: each must have the bits of the net that is compiled alone.
std::string wrong_stages(const std::vector<Stage>& stages, const Configuration& chosen,
                         const NetCalibrationParameter& table);

}  // namespace tputwin::fuzz
