// Checks of nets that the compilers for the BM1684X and BM1684 take.
#pragma once

#include <string>

#include "bmnet_bm1684x/support.h"

namespace tputwin::fuzz {

// A chip and the type of its nets. There are kConfigurations of them.
struct Configuration {
  const net::bm1684x::Target* target;
  DType type;
};
inline constexpr unsigned kConfigurations = 6;
Configuration configuration(unsigned number);

// True if compiling and running the net takes less than about a second.
bool is_small(const net::Network& network);
// Returns "" if a refusal is one of the compiler's own errors, else its message.
std::string wrong_refusal(const Status& status);
// Compiles at two levels and runs both: the bits must be equal. Nets of bytes of the BM1684 must
// also have the bits of the int8 interpreter. Returns what is wrong, or "".
std::string wrong_levels(const net::Network& network, const net::testing::Values& inputs,
                         DType type);

}  // namespace tputwin::fuzz
