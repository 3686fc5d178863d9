// Types of layers, found by trials.
#include "tools/bm168x/mix_types.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bmnet/calibrate/statistics.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/search/mixed_types.h"

namespace tputwin::tools {
namespace {

namespace target = net::bm1684x;

// Adds the search to the report.
std::string with_search(const std::string& report, const target::MixedSearch& search) {
  auto json = nlohmann::ordered_json::parse(report);
  auto& mixed = json["mixed"];
  mixed["wanted"] = search.wanted;
  if (search.half_milliseconds > 0) mixed["fp16_ms"] = search.half_milliseconds;
  if (!search.beyond_fp16.empty()) mixed["beyond_fp16"] = search.beyond_fp16;
  mixed["layers"] = mixed["trials"] = nlohmann::ordered_json::array();
  for (const target::MixedLayer& l : search.layers)
    mixed["layers"].push_back({{"layer", l.name},
                               {"type", l.kind},
                               {"numbers", target::name_of(l.type)},
                               {"cost_ms", l.cost},
                               {"cosine_without", l.cosine}});
  for (const target::MixedTrial& t : search.trials)
    mixed["trials"].push_back(
        {{"layers", t.layers}, {"predicted_ms", t.milliseconds}, {"cosine", t.cosine}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Status mix_types(const CalibrateRequest& request, const std::vector<const net::DataSet*>& data,
                 uint64_t samples, net::Calibration& result, std::string& text, std::string& json) {
  const target::ScopedTarget scope(request.chip == ChipFamily::bm1684 ? net::bm1684::bm1684_target()
                                                                      : target::bm1684x_target());
  target::MixedTask task{.network = result.network,
                         .type = request.stream_type,
                         .wanted = request.options.reach.value_or(-1),
                         .samples = {}};
  for (size_t i = 0; i < std::min<uint64_t>(request.options.report_samples, samples); ++i) {
    TW_ASSIGN_OR_RETURN(inputs, net::read_inputs(result.network, data, i, samples));
    task.samples.push_back(std::move(inputs));
  }
  TW_ASSIGN_OR_RETURN(found, target::find_mixed_types(task, result.table));
  for (const auto& [tensor, cosine] : found.outputs)
    for (net::TensorReport& report : result.tensors)
      if (report.blob == result.network.blob_name(tensor)) report.cosine = cosine;
  text = net::report_text(result) + target::mixed_search_text(found);
  json = with_search(net::report_json(result), found);
  return {};
}

}  // namespace tputwin::tools
