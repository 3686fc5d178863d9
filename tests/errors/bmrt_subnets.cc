// TW-BRT-012x, -022x: one net per rule of subnets on the host.
#include <bmruntime_interface.h>

#include <cstdlib>
#include <string>

#include "base/errors/bmrt.h"
#include "base/last_error.h"
#include "bmodel/subnets168x.h"
#include "errors/trigger.h"
#include "sdk/bmlib/card.h"

namespace tputwin::testing {
namespace {

namespace b168x = bmodel::bm168x;
using b168x::samples::host_tensor;
using b168x::samples::SubnetFile;

// Returns the last error of a launch of the net, on four floats.
Status launch(const SubnetFile& file) {
  bmlib::use_chip(bm1684x());
  bm_handle_t device = nullptr;
  bm_dev_request(&device, 0);
  void* runtime = bmrt_create(device);
  const auto bytes = file.bytes();
  bmrt_load_bmodel_data(runtime, bytes.data(), bytes.size());
  thread_diagnostics().clear();
  float x[] = {1, 0, 2, 3}, y[4];
  void *in[] = {x}, *out[] = {y};
  bm_shape_t given{1, {4}}, shape;
  bmrt_launch_data(runtime, "net", in, &given, 1, out, &shape, 1, true);
  auto error = thread_diagnostics().last_error();
  bmrt_destroy(runtime);
  bm_dev_free(device);
  bmlib::use_chip(bm1684());  // the chip of the other triggers
  thread_diagnostics().clear();
  return error ? Status(*error) : Status();
}

// Returns a net that computes y from x with one operator.
SubnetFile one_operator(int32_t number, const std::string& parameters) {
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.cpu(number, parameters, {*host_tensor("x", {4})}, {*host_tensor("y", {4})});
  file.output(host_tensor("y", {4}));
  return file;
}
SubnetFile one_operator(const std::string& text) {
  return one_operator(16880, "tputwin-host-operator-1 " + text);
}

Status launch_with(const char* variable, const char* value, const SubnetFile& file) {
  setenv(variable, value, 1);
  Status status = launch(file);
  unsetenv(variable);
  return status;
}

// Branch 0 writes y, branch 1 does not.
SubnetFile branches(const std::string& chooses) {
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.output(host_tensor("y", {4}));
  file.cpu(chooses, {*host_tensor("x", {4})}, {*host_tensor("at", {1})});
  file.branch({*host_tensor("x", {4}), *host_tensor("at", {1})}, {*host_tensor("y", {4})}, {0}, {0},
              {-1, -1});
  return file;
}

TW_TRIGGER(brt_subnet_graph, [] {
  SubnetFile file = one_operator("nonzero");
  file.stage().output_tensor[0]->name = "z";
  return launch(file);
});
TW_TRIGGER(brt_host_operator, [] { return launch(one_operator(3, "")); });
TW_TRIGGER(brt_host_parameter, [] { return launch(one_operator("nonzero k=1")); });
TW_TRIGGER(brt_host_library, [] {
  return launch_with("TPUTWIN_CPUOPS", "/no/such/library.so", one_operator(10001, ""));
});
TW_TRIGGER(brt_host_input, [] { return launch(one_operator("argmax axis=3")); });
TW_TRIGGER(brt_host_capacity, [] {
  // Two positions for each of three elements.
  SubnetFile file = one_operator("nonzero");
  file.stage().sub_net[0]->input_tensor[0]->shape[0]->dim = {2, 2};
  file.stage().input_tensor[0]->shape[0]->dim = {2, 2};
  return launch(file);
});
TW_TRIGGER(brt_host_failed, [] {
  return launch_with("TPUTWIN_CPUOPS", TPUTWIN_HOST_OPERATORS, one_operator(10001, "abc"));
});
TW_TRIGGER(brt_not_written, [] { return launch(branches("argmax smallest=1")); });
TW_TRIGGER(brt_run_time_shape, [] {
  SubnetFile file = one_operator("masked_select");
  file.stage().sub_net[0]->input_tensor.push_back(host_tensor("x", {4}));
  file.subnet(b168x::SubnetMode::tpu, {*host_tensor("y", {4})}, {});
  return launch(file);
});
TW_TRIGGER(brt_branch, [] { return launch(branches("argmax")); });
TW_TRIGGER(brt_steps, [] { return launch_with("TPUTWIN_SUBNET_STEPS", "1", branches("argmax")); });

}  // namespace
}  // namespace tputwin::testing
