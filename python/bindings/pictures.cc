// Nets whose inputs are pictures.
#include "base/last_error.h"
#include "bindings/binding.h"
#include "bmnet/data/readers.h"
#include "tools/vision/run_pictures.h"

namespace tputwin::python {
namespace {

using tools::Seen;
using tools::Viewer;

tools::ViewOptions view_options(const std::string& description, size_t top,
                                const std::string& scores) {
  tools::ViewOptions options{.description = {}, .top = top, .scores = scores};
  check(tools::parse_description(description, options.description));
  return options;
}

// Returns the extents of bytes (height, width), or (height, width, channels) in order BGR.
net::Extents extents_of(const py::buffer_info& info) {
  if (info.itemsize != 1 || info.ndim < 2 || info.ndim > 3)
    throw py::type_error("pixels are uint8, (height, width) or (height, width, channels)");
  return {1, info.ndim == 3 ? info.shape[2] : 1, info.shape[0], info.shape[1]};
}

py::dict described(const Seen& seen, const Viewer& viewer) {
  py::list classes, boxes;
  for (const auto& [label, score] : seen.classes)
    classes.append(py::make_tuple(label, viewer.label(label), score));
  for (const tools::Detection& b : seen.boxes)
    boxes.append(py::make_tuple(b.label, viewer.label(b.label), b.score, b.x1, b.y1, b.x2, b.y2));
  py::dict result;
  result["picture"] = seen.picture;
  result["classes"] = classes;
  result["boxes"] = boxes;
  return result;
}

py::list see_files(tools::Net& net, const std::vector<std::string>& paths, const std::string& draw,
                   const std::string& description, size_t top, const std::string& scores) {
  const tools::LookOptions options{
      .images = paths, .view = view_options(description, top, scores), .output = {}, .draw = draw};
  const auto report = [&] {
    const py::gil_scoped_release unlocked;
    thread_diagnostics().clear();
    return value(tools::look(net, options));
  }();
  const Viewer viewer = value(Viewer::create(net, options.view));
  py::list all;
  for (const Seen& seen : report.seen) all.append(described(seen, viewer));
  return all;
}

py::dict see_pixels(tools::Net& net, const py::buffer& pixels, const std::string& description,
                    size_t top, const std::string& scores) {
  const py::buffer_info info = pixels.request();
  const net::Extents extents = extents_of(info);
  const auto bytes = bytes_of(info);
  tools::Frame frame;
  frame.pixels = cv::Mat(static_cast<int>(extents.h), static_cast<int>(extents.w),
                         CV_8UC(static_cast<int>(extents.c)), bytes.data());
  const Viewer viewer = value(Viewer::create(net, view_options(description, top, scores)));
  const auto seen = [&] {
    const py::gil_scoped_release unlocked;
    thread_diagnostics().clear();
    return value(viewer.see({&frame, 1}));
  }();
  return described(seen.front(), viewer);
}

tools::Array prepared(const py::buffer& pixels, const std::string& description, int64_t channels,
                      int64_t height, int64_t width) {
  const py::buffer_info info = pixels.request();
  net::DataOptions options = view_options(description, 1, "").description.preparation;
  options.shape = {1, channels, height, width};
  const auto picture =
      value(net::picture_of(bytes_of(info), extents_of(info), channels, options.rgb));
  std::vector<float> values(static_cast<size_t>(channels * height * width));
  check(net::prepare(picture, options, "picture", values));
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {'f',
          4,
          {1, static_cast<uint64_t>(channels), static_cast<uint64_t>(height),
           static_cast<uint64_t>(width)},
          {bytes, bytes + values.size() * sizeof(float)}};
}

}  // namespace

void bind_pictures(py::module_& module) {
  module.def("see_files", &see_files);
  module.def("see_pixels", &see_pixels);
  module.def("prepared", &prepared);
}

}  // namespace tputwin::python
