// Reads a net, calibrates it on samples, and writes what the chip's compiler takes.
#include "tools/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/integers/table.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"
#include "tools/calibrate_data_layer.h"
#include "tools/progress.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

Status write_text(const std::string& path, const std::string& text) {
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The files of `directory` that end in `extension`, sorted.
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

Result<std::unique_ptr<net::DataSet>> open_data(const CalibrateRequest& request,
                                                const net::caffe::NetParameter& model,
                                                size_t input) {
  net::DataOptions options = request.data_options;
  TW_ASSIGN_OR_RETURN(shape, net::sample_shape(model, input, request.options.input_shapes));
  options.shape = shape;
  return net::open_data_set(request.data, options);
}

Result<CalibratedFiles> write_all(const CalibrateRequest& request, const net::Calibration& result) {
  const fs::path folder(request.output_directory);
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string stem = folder / ("bmnet_" + request.name);
  CalibratedFiles paths{.model = stem + "_int8" + request.suffix + ".caffemodel",
                        .table = stem + "_calibration_table" + request.suffix + ".pb2",
                        .table_text = stem + "_calibration_table" + request.suffix + ".prototxt",
                        .deploy = stem + "_deploy.prototxt",
                        .report = net::report_json(result),
                        .text = net::report_text(result)};
  TW_RETURN_IF_ERROR(write_text(paths.model, net::to_caffemodel(result.net)));
  TW_RETURN_IF_ERROR(net::write_table(result.table, paths.table));
  TW_RETURN_IF_ERROR(net::write_table(result.table, paths.table_text, net::TableFormat::text));
  TW_RETURN_IF_ERROR(write_text(paths.deploy, net::to_prototxt(result.net)));
  if (!request.report_path.empty())
    TW_RETURN_IF_ERROR(write_text(request.report_path, paths.report));
  return paths;
}

}  // namespace

Result<CalibratedFiles> write_calibrated(CalibrateRequest request) {
  if (!request.shape.empty()) request.options.input_shapes = {net::make_shape(request.shape)};
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(request.prototxt, request.caffemodel,
                                            {.input_shapes = request.options.input_shapes}));
  net::caffe::NetParameter& model = loaded.net;
  request.options.thresholds = loaded.thresholds;
  TW_RETURN_IF_ERROR(use_data_layer(model, request));
  if (request.data.empty())
    return Error(errors::net_cli)
        .in("calibrate")
        .argument("data", "missing")
        .detail("the net has no data layer that names a data set");
  TW_ASSIGN_OR_RETURN(data, open_data(request, model, 0));

  std::optional<ProgressBar> bar;
  if (request.progress)
    request.options.progress = [&bar](size_t, size_t total) {
      if (!bar) bar.emplace(total);
      bar->advance(1);
    };
  auto result = net::calibrate(model, {data.get()}, request.options);
  bar.reset();
  if (!result.ok()) return result.error();
  result->net.set_name(model.name());
  result->table.set_name(request.name);
  return write_all(request, *result);
}

Result<std::string> calibrate_files(CalibrateRequest request) {
  TW_ASSIGN_OR_RETURN(files, write_calibrated(std::move(request)));
  return files.text + fmt::format("wrote {}\nwrote {}\nwrote {}\nwrote {}\n", files.model,
                                  files.table, files.table_text, files.deploy);
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
