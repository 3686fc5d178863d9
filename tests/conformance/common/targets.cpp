// The targets of this SDK: the vector targets of its fast kernels, and the reference.
#include "targets.h"

#include "ops/fast/fast.h"

namespace targets {

std::vector<std::string> available() {
    const auto names = tputwin::fast::available_isas();
    return {names.begin(), names.end()};
}
void select(const std::string &name) { tputwin::fast::select_isa(name); }

} // namespace targets
