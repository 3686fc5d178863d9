// Formats findings as JSON, and as SARIF 2.1.0 for editors and servers that show analysis results.
#include <nlohmann/json.hpp>

#include "insight/report.h"

namespace tputwin::insight {
namespace {

using nlohmann::json;

json to_json(const Actor& actor) {
  json lines = json::array();
  for (const SourceLine& line : actor.lines)
    lines.push_back({{"function", line.function}, {"file", line.file}, {"line", line.line}});
  json object{{"does", actor.does},     {"call", actor.call},     {"operation", actor.operation},
              {"kernel", actor.kernel}, {"engine", actor.engine}, {"command", actor.command},
              {"lines", lines}};
  if (!actor.layer.empty()) object["layer"] = actor.layer;
  if (!actor.tensors.empty()) object["tensors"] = actor.tensors;
  if (actor.launch.lines.empty()) return object;
  const SourceLine& launch = actor.launch.lines.front();
  object["launched"] = {{"call", actor.launch.call}, {"file", launch.file}, {"line", launch.line}};
  return object;
}

json to_json(const Place& place) {
  json object{{"space", to_string(place.space)},
              {"begin", place.begin},
              {"end", place.end},
              {"bytes", place.bytes}};
  if (place.space != Space::local) return object;
  object["lanes"] = {place.first_lane, place.last_lane};
  object["banks"] = {place.first_bank, place.last_bank};
  return object;
}

json to_json(const Finding& finding) {
  json object{{"id", info(finding.kind).id},
              {"check", to_string(info(finding.kind).check)},
              {"text", info(finding.kind).text},
              {"actor", to_json(finding.actor)},
              {"missing", finding.missing}};
  if (is_hint(finding)) object["hint"] = true;
  if (!finding.note.empty()) object["note"] = finding.note;
  if (!finding.tensor.empty()) object["tensor"] = finding.tensor;
  if (finding.other) object["other"] = to_json(*finding.other);
  for (const Actor& step : finding.way) object["way"].push_back(to_json(step));
  if (finding.place) object["place"] = to_json(*finding.place);
  return object;
}

json sarif_location(const SourceLine& line) {
  json location{{"message", {{"text", line.function}}}};
  if (!line.file.empty())
    location["physicalLocation"] = {{"artifactLocation", {{"uri", line.file}}},
                                    {"region", {{"startLine", line.line}}}};
  return location;
}

json sarif_result(const Finding& finding) {
  json result{{"ruleId", info(finding.kind).id},
              {"level", is_hint(finding) ? "note" : "error"},
              {"message", {{"text", describe(finding)}}}};
  if (!finding.actor.lines.empty())
    result["locations"] = {sarif_location(finding.actor.lines.front())};
  json related = json::array();
  if (finding.other && !finding.other->lines.empty())
    related.push_back(sarif_location(finding.other->lines.front()));
  for (const Actor& step : finding.way)
    if (!step.lines.empty()) related.push_back(sarif_location(step.lines.front()));
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  return result;
}

}  // namespace

json to_json(const std::vector<Finding>& findings) {
  json list = json::array();
  for (const Finding& finding : findings) list.push_back(to_json(finding));
  return {{"version", 1}, {"findings", list}};
}

json to_sarif(const std::vector<Finding>& findings) {
  json rules = json::array(), results = json::array();
  for (const FindingInfo& kind : finding_catalogue())
    rules.push_back({{"id", kind.id}, {"shortDescription", {{"text", kind.text}}}});
  for (const Finding& finding : findings) results.push_back(sarif_result(finding));
  json run{{"tool", {{"driver", {{"name", "tputwin check"}, {"rules", rules}}}}},
           {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({run})}};
}

}  // namespace tputwin::insight
