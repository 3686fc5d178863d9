// An evaluation as a campaign: its reports are the results of units.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/errors/tools.h"
#include "bmnet/float/execute.h"
#include "tools/campaign/data_text.h"
#include "tools/eval.h"
#include "tools/progress.h"

namespace tputwin::tools {
namespace {

// Returns the data that determines the report, except the contents of the files.
std::string identity_of(const EvalRequest& r, uint64_t samples) {
  return fmt::format("eval {} {} {} {} {} {} {} {} {} {}", r.prototxt, r.caffemodel, r.model,
                     fmt::join(r.data, " "), r.options.output, r.options.net,
                     r.options.stage ? fmt::format("{}", *r.options.stage) : "-",
                     net::float_instructions(), samples, text_of(r.data_options));
}

}  // namespace

std::string line_of(const EvalReport& r) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", r.samples, r.batch,
                     r.fp32.right, r.int8.right, r.both_right, r.float_only, r.int8_only,
                     r.both_wrong, r.same_class, r.fp32.in_top, r.int8.in_top, r.classes,
                     r.is_int8 ? 1 : 0, r.fp32.seconds, r.int8.seconds);
}

Result<EvalReport> report_of(const std::string& line) {
  EvalReport r;
  unsigned is_int8 = 1;
  const int read =
      std::sscanf(line.c_str(), "%lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %u %lf %lf",
                  &r.samples, &r.batch, &r.fp32.right, &r.int8.right, &r.both_right, &r.float_only,
                  &r.int8_only, &r.both_wrong, &r.same_class, &r.fp32.in_top, &r.int8.in_top,
                  &r.classes, &is_int8, &r.fp32.seconds, &r.int8.seconds);
  r.is_int8 = is_int8 != 0;
  if (read == 15) return r;
  return Error(errors::cli_checkpoint).argument("result", line);
}

Campaign campaign_of(Evaluation& evaluation, const EvalRequest& request) {
  return {.identity = identity_of(request, evaluation.samples()),
          .units = evaluation.units(),
          .work = [&evaluation](uint64_t unit) -> Result<std::string> {
            TW_ASSIGN_OR_RETURN(report, evaluation.unit(unit));
            return line_of(report);
          }};
}

Result<EvalReport> sum_of(const std::vector<std::string>& lines) {
  EvalReport all;
  for (const std::string& line : lines) {
    TW_ASSIGN_OR_RETURN(report, report_of(line));
    all += report;
  }
  return all;
}

Result<std::optional<EvalReport>> evaluate_together(const EvalRequest& request) {
  TW_ASSIGN_OR_RETURN(evaluation, Evaluation::open(request));
  CampaignProgress progress(request.options.progress);
  const CampaignOptions options{.checkpoint = request.options.checkpoint,
                                .progress = progress.callback()};
  TW_ASSIGN_OR_RETURN(results, run_campaign(campaign_of(*evaluation, request), options));
  if (!results) return std::optional<EvalReport>();
  TW_ASSIGN_OR_RETURN(all, sum_of(*results));
  return std::optional(all);
}

}  // namespace tputwin::tools
