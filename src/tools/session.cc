// The runtime calls of one inference, and their errors.
#include "tools/session.h"

#include <cstdlib>

#include "base/errors/tools.h"
#include "base/last_error.h"
#include "base/variables.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::tools {
namespace {

shape_t runtime_shape(const std::vector<uint32_t>& extents) {
  auto at = [&extents](size_t i) { return static_cast<int>(extents[i]); };
  switch (extents.size()) {
    case 1:
      return shape_t1(at(0));
    case 2:
      return shape_t2(at(0), at(1));
    case 3:
      return shape_t3(at(0), at(1), at(2));
    default:
      return shape_t4(at(0), at(1), at(2), at(3));
  }
}

}  // namespace

Session::~Session() {
  if (net_) bmnet_cleanup(net_);
  if (context_) bm_exit(context_);
}

Status Session::open(std::span<const uint8_t> file) {
  if (bm_init(0, &context_) != BM_SUCCESS) return runtime_error("bm_init");
  auto* data = const_cast<uint8_t*>(file.data());  // the C API takes it without const
  if (bmnet_register_bmodel_data(context_, data, file.size(), &net_) != BM_SUCCESS)
    return runtime_error("bmnet_register_bmodel_data");
  return {};
}

Status Session::select(const ShapeList& shapes) {
  std::vector<shape_t> list;
  for (const auto& shape : shapes) list.push_back(runtime_shape(shape));
  int count = static_cast<int>(list.size());
  if (bmnet_set_input_shape2(net_, list.data(), count) == BM_SUCCESS) return {};
  return runtime_error("bmnet_set_input_shape2");
}

Status Session::infer(std::span<const uint8_t> input, std::span<uint8_t> output) {
  auto* in = const_cast<uint8_t*>(input.data());
  if (bmnet_inference(net_, in, output.data()) == BM_SUCCESS) return {};
  return runtime_error("bmnet_inference");
}

void Session::watch(Observer* before, Observer* after) {
  auto bound = rt::bound_device(context_);
  if (!bound.ok()) return;
  std::lock_guard lock(bound.value()->mutex);
  if (before != nullptr) bound.value()->chip->observers().remove(before);
  if (after != nullptr) bound.value()->chip->observers().add(after);
}

Device* Session::device() {
  auto bound = rt::bound_device(context_);
  return bound.ok() ? bound.value()->chip.get() : nullptr;
}

void prepend_plugin_path(const std::string& directory) {
  const std::string old(value_of(EnvVariable::plugin_path));
  const std::string path = old.empty() ? directory : directory + ":" + old;
  setenv(name_of(EnvVariable::plugin_path), path.c_str(), 1);
}

Error runtime_error(std::string_view call) {
  auto last = thread_diagnostics().last_error();
  if (last) return *last;
  return Error(errors::cli_runtime).in(call);
}

}  // namespace tputwin::tools
