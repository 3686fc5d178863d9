// tputwin compile --chip bm1684x: compiles a float net to a bmodel of the BM1684X.
#pragma once

#include <string>

#include "bmnet/targets/bm1684x/compile.h"
#include "tools/compile.h"
#include "tools/reports/json.h"

namespace tputwin::tools {

struct StreamResult {
  const net::bm1684x::Target* target = &net::bm1684x::bm1684x_target();
  std::vector<net::bm1684x::CompiledStream> stages;  // one for each set of shapes
  // Time of the compiler, without reading and writing.
  double seconds = 0;
  uint64_t file_bytes = 0;
  // Lines that name what the net does not use of its table.
  std::vector<std::string> unused;
};

Result<StreamResult> compile_stream(const CompileRequest& request,
                                    const net::bm1684x::StreamOptions& options);
// Returns the text of `tputwin compile`.
std::string stream_text(const CompileRequest& request, const StreamResult& result);
Json stream_json(const CompileRequest& request, const StreamResult& result);

// Describes what would become of a net, or why it is refused.
struct StreamPlan {
  std::vector<net::bm1684x::LayerPlace> places;
  std::string problem;  // empty: it can be compiled
  StreamResult result;  // without a problem
};
// Compiles without writing. Thresholds that nothing gives are 1: sizes and times hardly depend on
// them. An error only if a file cannot be read.
Result<StreamPlan> plan_stream(const CompileRequest& request,
                               const net::bm1684x::StreamOptions& options);
std::string plan_text(const CompileRequest& request, const StreamPlan& plan);
Json plan_json(const CompileRequest& request, const StreamPlan& plan);

}  // namespace tputwin::tools
