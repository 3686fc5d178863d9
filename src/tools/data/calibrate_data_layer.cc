// Source, mean and scale of samples from a Caffe data layer.
#include "tools/data/calibrate_data_layer.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors/bmnet.h"
#include "base/file.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using Layer = net::caffe::LayerParameter;

// Paths in prototxts are relative to the directory where Caffe was started, or to that of the
// prototxt; both are tried.
std::string find_path(const std::string& path, const CalibrateRequest& request) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  const fs::path beside = fs::path(request.prototxt).parent_path() / path;
  return fs::exists(beside, error) ? beside.string() : path;
}

Status use_mean_file(const std::string& path, net::DataOptions& options) {
  TW_ASSIGN_OR_RETURN(file, read_bytes(path));
  net::caffe::BlobProto blob;
  if (!blob.ParsePartialFromArray(file.data(), static_cast<int>(file.size())))
    return Error(errors::net_data).in("calibrate").argument("mean_file", path);
  if (blob.has_shape())
    options.mean_shape = net::extents([&] {
      net::TensorShape shape;
      for (const int64_t dim : blob.shape().dim()) shape.add_dim(dim);
      return shape;
    }());
  else
    options.mean_shape = {1, blob.channels(), blob.height(), blob.width()};
  options.mean_image.assign(blob.data().begin(), blob.data().end());
  return {};
}

Status use_transform(const Layer& layer, CalibrateRequest& request) {
  net::DataOptions& options = request.data_options;
  const auto& transform = layer.transform_param();
  if (options.mean.empty())
    options.mean.assign(transform.mean_value().begin(), transform.mean_value().end());
  if (options.scale.empty()) options.scale = {transform.scale()};
  if (transform.crop_size() > 0) options.crop = true;
  if (options.mean.empty() && !transform.mean_file().empty())
    return use_mean_file(find_path(transform.mean_file(), request), options);
  return {};
}

void use_source(const Layer& layer, CalibrateRequest& request) {
  net::DataOptions& options = request.data_options;
  if (layer.type() == "Data") {
    request.data = {find_path(layer.data_param().source(), request)};
    return;
  }
  const auto& image = layer.image_data_param();
  options.kind = net::DataKind::images;
  options.list = find_path(image.source(), request);
  options.resize_h = static_cast<int>(image.new_height());
  options.resize_w = static_cast<int>(image.new_width());
  std::string folder = image.root_folder().empty() ? fs::path(options.list).parent_path().string()
                                                   : find_path(image.root_folder(), request);
  request.data = {folder.empty() ? "." : std::move(folder)};
}

// Returns n,c,h,w of the samples: those of the request, else the stored ones, cropped.
Result<std::vector<int64_t>> find_shape(const Layer& layer, const CalibrateRequest& request) {
  if (!request.shapes.empty()) return request.shapes[0];
  TW_ASSIGN_OR_RETURN(data, net::open_data_set(request.data[0], request.data_options));
  TW_ASSIGN_OR_RETURN(shape, data->natural_shape());
  const net::DataOptions& options = request.data_options;
  if (options.resize_h > 0 && options.resize_w > 0) {
    shape.h = options.resize_h;
    shape.w = options.resize_w;
  }
  if (const int64_t crop = layer.transform_param().crop_size(); crop > 0) shape.h = shape.w = crop;
  return std::vector<int64_t>{1, shape.c, shape.h, shape.w};
}

}  // namespace

Status use_data_layer(net::caffe::NetParameter& model, CalibrateRequest& request) {
  for (Layer& layer : *model.mutable_layer()) {
    if (layer.type() != "Data" && layer.type() != "ImageData") continue;
    if (request.data.empty()) use_source(layer, request);
    TW_RETURN_IF_ERROR(use_transform(layer, request));
    TW_ASSIGN_OR_RETURN(shape, find_shape(layer, request));
    Layer input;
    input.set_name(layer.name());
    input.set_type("Input");
    if (layer.top_size() > 0) input.add_top(layer.top(0));
    auto* dims = input.mutable_input_param()->add_shape();
    for (const int64_t extent : shape) dims->add_dim(extent);
    layer = std::move(input);
    return {};
  }
  return {};
}

}  // namespace tputwin::tools
