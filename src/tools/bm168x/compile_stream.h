// tputwin compile --chip bm1684x: compiles a float net to a bmodel of the BM1684X.
#pragma once

#include <string>

#include "bmnet/targets/bm1684x/compile.h"
#include "tools/compile.h"

namespace tputwin::tools {

struct StreamResult {
  net::bm1684x::CompiledStream compiled;
  // Time of the compiler, without reading and writing.
  double seconds = 0;
  uint64_t file_bytes = 0;
  // True if the table has neither thresholds that the type needs, nor types of layers.
  bool is_table_unused = false;
};

Result<StreamResult> compile_stream(const CompileRequest& request,
                                    const net::bm1684x::StreamOptions& options);
// Returns the text of `tputwin compile`.
std::string stream_text(const CompileRequest& request, const StreamResult& result);

}  // namespace tputwin::tools
