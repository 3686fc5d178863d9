// Calls of the kernel library's functions: which work tensors and tables they need.
#pragma once

#include "bmnet/targets/bm1684x/stream_program.h"
#include "bmnet/targets/bm1684x/target.h"
#include "ops/elementwise/float_function.h"

namespace tputwin::net::bm1684x {

// Local memory that a function uses in addition to source and result.
struct FunctionNeeds {
  size_t work_tensors = 0;      // as large as the result
  bool exponential = false;     // the series and the table of e^x
  bool series = false;          // a series of its own
  int64_t table_bytes() const;  // per lane
};
FunctionNeeds needs_of(FloatFunction::Kind kind);

// Calls a function that is set up with result, sources and parameters, all fp32. `work` is the
// address of the work tensors, which are followed by the tables.
void call_function(StreamProgram& program, FloatFunction function, const Extents& e, uint32_t work);

}  // namespace tputwin::net::bm1684x
