// Reports of calibration, as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net {
namespace {

nlohmann::ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

std::string decibel(double value) {
  return std::isnan(value) ? "-" : std::isinf(value) ? "exact" : fmt::format("{:.1f}", value);
}

nlohmann::ordered_json host_json(const HostSearch& search) {
  nlohmann::ordered_json json;
  json["wanted"] = search.wanted;
  json["all_operations"] = search.all_operations;
  json["layers"] = json["trials"] = nlohmann::ordered_json::array();
  for (const LeftLayer& l : search.left)
    json["layers"].push_back({{"layer", l.name},
                              {"type", l.type},
                              {"operations", l.operations},
                              {"cosine_alone", number(l.cosine)}});
  for (const HostTrial& t : search.trials)
    json["trials"].push_back(
        {{"layers", t.layers}, {"operations", t.operations}, {"cosine", number(t.cosine)}});
  return json;
}

}  // namespace

std::string report_text(const Calibration& calibration) {
  std::string text = fmt::format("{:<24} {:<20} {:>12} {:>12} {:>12} {:>8} {:>8}\n", "blob",
                                 "layer", "least", "largest", "threshold", "SQNR dB", "cosine");
  for (const TensorReport& t : calibration.tensors)
    text += fmt::format("{:<24} {:<20} {:>12.5g} {:>12.5g} {:>12.5g} {:>8} {:>8}\n", t.blob,
                        t.layer, t.least, t.largest, t.threshold, decibel(t.sqnr),
                        std::isnan(t.cosine) ? "-" : fmt::format("{:.5f}", t.cosine));
  if (calibration.host) text += host_search_text(*calibration.host);
  for (const Error& warning : calibration.warnings)
    text += fmt::format("warning: {}\n", warning.message());
  return text;
}

std::string report_json(const Calibration& calibration) {
  nlohmann::ordered_json json;
  json["net"] = calibration.net.name();
  json["tensors"] = nlohmann::ordered_json::array();
  for (const TensorReport& t : calibration.tensors)
    json["tensors"].push_back({{"blob", t.blob},
                               {"layer", t.layer},
                               {"type", t.type},
                               {"least", number(t.least)},
                               {"largest", number(t.largest)},
                               {"threshold", number(t.threshold)},
                               {"sqnr_db", number(t.sqnr)},
                               {"cosine", number(t.cosine)}});
  if (calibration.host) json["host"] = host_json(*calibration.host);
  json["warnings"] = nlohmann::ordered_json::array();
  for (const Error& warning : calibration.warnings) json["warnings"].push_back(warning.message());
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tputwin::net
