// Nets of bmodels: opening, describing, running, observing.
#include "base/last_error.h"
#include "bindings/binding.h"
#include "core/events.h"
#include "insight/timing/commands.h"
#include "machine/program_cost.h"
#include "tools/net.h"

namespace tputwin::python {
namespace {

using tools::Net;
using tools::NetTensor;

std::unique_ptr<Net> open(const std::string& path, const tools::NetChoice& choice) {
  thread_diagnostics().clear();
  auto file = std::make_shared<bmodel::OpenFile>(value(bmodel::open_file(path)));
  return value(tools::open_net(std::move(file), choice));
}

std::vector<tools::Array> run(Net& net, const std::vector<py::buffer>& inputs, bool as_float) {
  std::vector<tools::Array> arrays;
  for (const py::buffer& input : inputs) arrays.push_back(array_of(input));
  py::gil_scoped_release unlocked;
  thread_diagnostics().clear();
  return value(net.run(arrays, as_float));
}

py::dict predicted(Net& net) {
  const auto program = value(net.program());
  const ProgramCost cost = program_cost(program, net.chip());
  const uint64_t cycles = insight::predicted_cycles(program, net.chip());
  py::dict all;
  for (const OperationCost& operation : cost.operations) {
    py::dict row;
    row["count"] = operation.count;
    row["cycles"] = operation.cost.cycles();
    row["macs"] = operation.cost.macs;
    row["global_bytes"] = operation.cost.global_bytes;
    all[py::str(operation.name)] = row;
  }
  py::dict result;
  result["instructions"] = cost.instructions;
  result["cycles"] = cycles;
  result["milliseconds"] = static_cast<double>(cycles) / net.chip().clock_hz * 1e3;
  result["operations"] = all;
  return result;
}

}  // namespace

void bind_nets(py::module_& module) {
  py::class_<NetTensor>(module, "NetTensor")
      .def_readonly("name", &NetTensor::name)
      .def_readonly("type", &NetTensor::type)
      .def_readonly("shape", &NetTensor::shape)
      .def_readonly("step", &NetTensor::step)
      .def_readonly("zero_point", &NetTensor::zero_point);
  py::class_<Net>(module, "Net")
      .def(py::init([](const std::string& path, const std::string& net, std::optional<size_t> stage,
                       const tools::ShapeList& shapes, const std::string& plugins, bool reference) {
             return open(path, {.net = net,
                                .stage = stage,
                                .shapes = shapes,
                                .plugin_directory = plugins,
                                .reference = reference});
           }),
           Unlocked())
      .def_property_readonly("name", &Net::name)
      .def_property_readonly("chip", [](const Net& net) { return net.chip().name; })
      .def_property_readonly("inputs", &Net::inputs)
      .def_property_readonly("outputs", &Net::outputs)
      .def("run", &run)
      .def("predicted", &predicted)
      .def(
          "watch",
          [](Net& net, EventRecorder* recorder) {
            if (recorder != nullptr) recorder->begin(net.device());
            check(net.watch(recorder));
          },
          Unlocked());
}

}  // namespace tputwin::python
