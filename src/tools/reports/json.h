// What commands print with --json: the figures of their texts, for programs.
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
// Times of runs, the fastest first, and what they together make in images per second.
Json times_json(std::span<const double> sorted, uint64_t images, double wall_seconds);
Json warnings_json(const std::vector<WarningCount>& warnings);
Json comparison_json(const Comparison& comparison, const std::string& path);
Json compile_json(const CompileRequest& request, const CompileResult& result);
Json eval_json(const EvalReport& report);
Json layers_json(const std::vector<TensorComparison>& rows);
Json selftest_json(const std::vector<TargetReport>& reports);

// Prints it with two blanks a level.
void print_json(const Json& json);

}  // namespace tputwin::tools
