// Kernels that compute with undefined values, and what the checks find of them.
#pragma once

#include <bmlib_runtime.h>

#include <string>
#include <vector>

#include "insight/check_process.h"

namespace tputwin::insight::testing {

// Arguments of each kernel: blocks of global memory. `scratch` is not initialized.
struct UndefinedArgs {
  unsigned long long input, output, scratch;
};

// The line with the mistake of the kernel that ran last: `PLANTED call(...)`.
inline int planted_line = 0;
#define PLANTED planted_line = __LINE__,

// Launches kernels one after the other, copies `bytes` bytes of the output to the host and returns
// the new findings. The input has 4096 numbers: 1, 2, 3 and so on.
std::vector<Finding> findings_of(const char* chip, const std::vector<std::string>& kernels,
                                 unsigned bytes);

// Expects no finding but hints, among them one with this id; empty: no matter which.
void expect_harmless(const std::vector<Finding>& findings, std::string_view hint);
// Expects one finding at the planted line of a file, with so many steps of its way at least. `id`
// may be empty: bytes that nothing wrote, whether they are padding or not.
void expect_planted(const std::vector<Finding>& findings, std::string_view id,
                    std::string_view file, size_t steps);

}  // namespace tputwin::insight::testing
