// Calibration: reads a net, calibrates it on samples, and writes the input of the chip's compiler.
#include "tools/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/calibrate/warnings.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/table.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"
#include "tools/bm168x/mix_types.h"
#include "tools/campaign/data_text.h"
#include "tools/campaign/packed_line.h"
#include "tools/data/calibrate_data_layer.h"
#include "tools/data/samples.h"
#include "tools/progress.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

Status write_text(const std::string& path, const std::string& text) {
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Returns the files of `directory` with this extension, sorted.
std::vector<std::string> files_of(const std::string& directory, std::string_view extension) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator i(directory, error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == extension) found.push_back(i->path());
  std::ranges::sort(found);
  return found;
}

Result<std::string> pick(const std::string& directory, std::string_view extension,
                         const std::vector<std::string>& preferred) {
  const std::vector<std::string> found = files_of(directory, extension);
  for (const std::string& name : preferred)
    for (const std::string& path : found)
      if (fs::path(path).filename() == name) return path;
  if (found.size() == 1) return found[0];
  return Error(errors::net_cli)
      .in("calibration_caffe.bin")
      .argument("CAFFEMODEL_DIR", directory)
      .detail(fmt::format("it has {} files *{}, none of them {}", found.size(), extension,
                          preferred[0]));
}

struct Report {
  std::string json, text;
};

Result<CalibratedFiles> write_all(const CalibrateRequest& request, const net::Calibration& result,
                                  Report report) {
  const fs::path folder(request.output_directory);
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string stem = folder / ("bmnet_" + request.name);
  CalibratedFiles paths{
      .model = stem + "_int8" + request.suffix + ".caffemodel",
      .table = stem + "_calibration_table" + request.suffix + ".pb2",
      .table_text = stem + "_calibration_table" + request.suffix + ".prototxt",
      .deploy = stem + "_deploy.prototxt",
      .report = std::move(report.json),
      .text = std::move(report.text),
      .missed = net::missed_outputs(
          result, std::max(request.required, request.options.reach.value_or(-1)))};
  TW_RETURN_IF_ERROR(net::write_table(result.table, paths.table));
  TW_RETURN_IF_ERROR(net::write_table(result.table, paths.table_text, net::TableFormat::text));
  if (request.is_stream()) {
    paths.model = paths.deploy = "";
  } else {
    TW_RETURN_IF_ERROR(write_text(paths.model, net::to_caffemodel(result.net)));
    TW_RETURN_IF_ERROR(write_text(paths.deploy, net::to_prototxt(result.net)));
  }
  if (!request.report_path.empty())
    TW_RETURN_IF_ERROR(write_text(request.report_path, paths.report));
  return paths;
}

// Returns the data that determines the result, except the contents of the files.
std::string identity_of(const CalibrateRequest& r, uint64_t samples) {
  const net::CalibrationOptions& o = r.options;
  std::string shapes;
  for (const auto& shape : r.shapes) shapes += fmt::format("{};", fmt::join(shape, ","));
  return fmt::format("calibrate {} {} {} {} {} {} {} {} {} {} {} {}", r.prototxt, r.caffemodel,
                     fmt::join(r.data, " "), net::float_instructions(), samples, o.batch, o.bins,
                     o.method == net::ThresholdMethod::divergence, o.equalize, shapes,
                     text_of(r.data_options), static_cast<int>(r.chip));
}

}  // namespace

struct CalibrationFiles::Parts {
  CalibrateRequest request;
  std::string net_name;
  bool keeps_batch = false;  // see LayerParameter
  DataSets data;             // one per input
  std::unique_ptr<net::CalibrationUnits> units;

  // Returns the ranges of all units.
  Result<std::string> joined(const std::vector<std::string>& lines) const {
    std::vector<std::string> of_units;
    for (const std::string& line : lines) {
      TW_ASSIGN_OR_RETURN(bytes, unpacked_line(line));
      of_units.push_back(std::move(bytes));
    }
    return units->join_ranges(of_units);
  }
  std::vector<const net::DataSet*> sets() const {
    std::vector<const net::DataSet*> all;
    for (const auto& set : data) all.push_back(set.get());
    return all;
  }
  Result<CalibratedFiles> write(net::Calibration result) const {
    result.net.set_name(net_name);
    if (keeps_batch)
      for (auto& layer : *result.net.mutable_layer())
        if (layer.type() == "Input") layer.set_keeps_batch(true);
    result.table.set_name(request.name);
    result.table.set_chip(net::table_chip(request.chip));
    Report report;
    if (request.is_stream())
      TW_RETURN_IF_ERROR(
          mix_types(request, sets(), units->samples(), result, report.text, report.json));
    else
      report = {net::report_json(result), net::report_text(result)};
    return write_all(request, result, std::move(report));
  }
};

CalibrationFiles::CalibrationFiles(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CalibrationFiles::~CalibrationFiles() = default;

Result<std::unique_ptr<CalibrationFiles>> CalibrationFiles::open(CalibrateRequest request) {
  for (const std::vector<int64_t>& shape : request.shapes)
    request.options.input_shapes.push_back(net::make_shape(shape));
  const net::ImportOptions import{.input_shapes = request.options.input_shapes,
                                  .outputs = request.outputs,
                                  .has_subnets = request.is_stream()};
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(request.prototxt, request.caffemodel, import));
  if (loaded.is_onnx) request.options.input_shapes.clear();  // the net has them
  // Tables say nothing about batches.
  const bool keeps_batch =
      loaded.is_onnx && !request.is_stream() &&
      !net::keeps_meaning_with_batch(loaded, request.prototxt, request.caffemodel, import);
  net::caffe::NetParameter& model = loaded.net;
  if (!loaded.is_onnx) TW_RETURN_IF_ERROR(net::check_float_weights(model));
  request.options.thresholds = loaded.thresholds;
  TW_RETURN_IF_ERROR(use_data_layer(model, request));
  if (request.data.empty())
    return Error(errors::net_cli)
        .in("calibrate")
        .argument("data", "missing")
        .detail("the net has no data layer that names a data set");
  TW_ASSIGN_OR_RETURN(inputs, net::sample_inputs(model, request.options.input_shapes));
  TW_ASSIGN_OR_RETURN(data, open_samples(request.data, request.data_options, inputs));
  std::vector<const net::DataSet*> sets;
  for (const auto& set : data) sets.push_back(set.get());
  net::CalibrationOptions options = request.options;
  if (request.is_stream()) {
    options.table_only = true;
    options.equalize = false;
    options.has_unsigned_bytes = request.chip == ChipFamily::bm1684x;
    options.reach.reset();
  }
  TW_ASSIGN_OR_RETURN(units, net::calibration_units(model, sets, options));
  auto parts = std::make_unique<Parts>();
  *parts = {.request = std::move(request),
            .net_name = model.name(),
            .keeps_batch = keeps_batch,
            .data = std::move(data),
            .units = std::move(units)};
  return std::unique_ptr<CalibrationFiles>(new CalibrationFiles(std::move(parts)));
}

Campaign CalibrationFiles::campaign() {
  Parts& parts = *parts_;
  net::CalibrationUnits& units = *parts.units;
  const auto work = [&units](uint64_t unit) -> Result<std::string> {
    const uint64_t first = units.count();
    TW_ASSIGN_OR_RETURN(bytes,
                        unit < first ? units.ranges(unit) : units.distributions(unit - first));
    return packed_line(bytes);
  };
  const auto summary = [&parts](const std::vector<std::string>& lines) -> Result<std::string> {
    TW_ASSIGN_OR_RETURN(ranges, parts.joined(lines));
    return packed_line(ranges);
  };
  const auto go_on = [&units](const std::string& summary) -> Status {
    TW_ASSIGN_OR_RETURN(ranges, unpacked_line(summary));
    return units.know_ranges(ranges);
  };
  return {.identity = identity_of(parts.request, units.samples()),
          .units = 2 * units.count(),
          .work = work,
          .second_part = units.count(),
          .summary = summary,
          .go_on = go_on};
}

Result<CalibratedFiles> CalibrationFiles::write(const std::vector<std::string>& lines) {
  net::CalibrationUnits& units = *parts_->units;
  if (lines.size() != 2 * units.count())
    return Error(errors::net_statistics)
        .in("calibration")
        .detail(fmt::format("{} units, not {}", lines.size(), 2 * units.count()));
  const auto second = lines.begin() + static_cast<ptrdiff_t>(units.count());
  TW_ASSIGN_OR_RETURN(joined, parts_->joined({lines.begin(), second}));
  TW_RETURN_IF_ERROR(units.know_ranges(joined));
  for (auto line = second; line != lines.end(); ++line) {
    TW_ASSIGN_OR_RETURN(bytes, unpacked_line(*line));
    TW_RETURN_IF_ERROR(units.add_distributions(bytes));
  }
  TW_ASSIGN_OR_RETURN(result, units.finish());
  return parts_->write(std::move(result));
}

uint64_t CalibrationFiles::steps() const { return parts_->units->steps(); }

Result<CalibratedFiles> CalibrationFiles::all() {
  TW_ASSIGN_OR_RETURN(result, parts_->units->all());
  return parts_->write(std::move(result));
}

Result<CalibratedFiles> write_calibrated(CalibrateRequest request) {
  TW_ASSIGN_OR_RETURN(files, CalibrationFiles::open(std::move(request)));
  return files->all();
}

Result<std::optional<CalibratedFiles>> calibrate_together(CalibrateRequest request) {
  CampaignProgress progress(request.progress);
  request.options.progress = progress.callback();  // progress of the steps after the units
  const std::string checkpoint = request.checkpoint;
  TW_ASSIGN_OR_RETURN(files, CalibrationFiles::open(std::move(request)));
  Campaign campaign = files->campaign();
  std::optional<CalibratedFiles> written;
  campaign.conclude = [&](const std::vector<std::string>& lines) -> Status {
    TW_ASSIGN_OR_RETURN(made, files->write(lines));
    written = std::move(made);
    return {};
  };
  const CampaignOptions options{.checkpoint = checkpoint,
                                .progress = progress.callback(files->steps() - campaign.units)};
  auto ran = run_campaign(campaign, options);
  if (!ran.ok()) return ran.error();
  return written;
}

Result<CalibrationText> calibrate_files(CalibrateRequest request) {
  TW_ASSIGN_OR_RETURN(files, calibrate_together(std::move(request)));
  if (!files) return CalibrationText();
  std::string text = std::move(files->text);
  for (const std::string* path : {&files->model, &files->table, &files->table_text, &files->deploy})
    if (!path->empty()) text += fmt::format("wrote {}\n", *path);
  return CalibrationText{std::move(text), std::move(files->missed)};
}

Result<CalibrateRequest> find_model(const std::string& name, const std::string& directory) {
  CalibrateRequest request;
  request.name = name;
  TW_ASSIGN_OR_RETURN(prototxt,
                      pick(directory, ".prototxt", {"deploy.prototxt", name + ".prototxt"}));
  TW_ASSIGN_OR_RETURN(caffemodel,
                      pick(directory, ".caffemodel", {name + ".caffemodel", "custom.caffemodel"}));
  request.prototxt = prototxt;
  request.caffemodel = caffemodel;
  return request;
}

}  // namespace tputwin::tools
