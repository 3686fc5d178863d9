// Reports that commands print with --json: the numbers of their texts, for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/compare.h"
#include "tools/compile.h"
#include "tools/eval.h"
#include "tools/run.h"
#include "tools/selftest.h"

namespace tputwin::tools {

using Json = nlohmann::ordered_json;

Json run_json(const bmodel::Model& model, const RunReport& report);
// Returns the times of runs, the fastest first, and the images per second of all runs.
Json times_json(std::span<const double> sorted, uint64_t images, double wall_seconds);
Json warnings_json(const std::vector<WarningCount>& warnings);
Json comparison_json(const Comparison& comparison, const std::string& path);
Json compile_json(const CompileRequest& request, const CompileResult& result);
Json eval_json(const EvalReport& report);
Json layers_json(const std::vector<TensorComparison>& rows);
Json selftest_json(const std::vector<TargetReport>& reports);

// Prints the JSON, indented by two blanks a level.
void print_json(const Json& json);

}  // namespace tputwin::tools
