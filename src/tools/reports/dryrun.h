// tputwin compile --dry-run: what would become of a net, before it is calibrated.
#pragma once

#include "tools/compile.h"
#include "tools/reports/json.h"

namespace tputwin::tools {

struct DryRun {
  struct Row {
    std::string name, type, runs_on;  // "tpu", "host", "nothing" (no command), or "code"
    std::vector<int64_t> shape;       // of the first result
    std::string blob;                 // name of the first result in the file
  };
  std::vector<Row> rows;
  std::vector<std::string> problems;  // why the net cannot be compiled; empty: it can
  net::Compiled compiled;             // without problems
  // True if thresholds came from random inputs: neither a table nor scales of the file gave them.
  bool is_uncalibrated = false;
};

// Compiles without writing files. Thresholds that nothing gives come from one random input; sizes
// and times do not depend on them. An error only if a file cannot be read.
Result<DryRun> dry_run(const CompileRequest& request);

std::string dry_run_text(const CompileRequest& request, const DryRun& run);
Json dry_run_json(const DryRun& run);

}  // namespace tputwin::tools
