// Devices for kernels, libraries of kernels, and records of device activity.
#include "core/kernel_device.h"

#include <nlohmann/json.hpp>

#include "base/last_error.h"
#include "bindings/binding.h"
#include "core/events.h"
#include "core/kernel_library.h"
#include "insight/report.h"

namespace tputwin::python {
namespace {

Schedule schedule_named(const std::string& name) {
  static const std::map<std::string, Schedule> kSchedules{
      {"program", Schedule::program},
      {"compute_first", Schedule::compute_first},
      {"dma_first", Schedule::dma_first},
      {"shuffled", Schedule::shuffled}};
  const auto found = kSchedules.find(name);
  if (found == kSchedules.end())
    throw py::value_error("schedule \"" + name +
                          "\": expected program, compute_first, dma_first or shuffled");
  return found->second;
}

std::unique_ptr<KernelDevice> open(const std::string& chip, const std::string& checks,
                                   const std::string& schedule, uint64_t seed, bool reference) {
  return value(KernelDevice::open(chip_named(chip), {.checks = checks,
                                                     .reference = reference,
                                                     .schedule = schedule_named(schedule),
                                                     .seed = seed}));
}

void write(KernelDevice& device, uint64_t address, const py::buffer& source) {
  const py::buffer_info info = source.request();
  const auto bytes = bytes_of(info);
  py::gil_scoped_release unlocked;
  check(device.write(address, bytes));
}

void read(KernelDevice& device, uint64_t address, const py::buffer& target) {
  const py::buffer_info info = target.request(/*writable=*/true);
  const auto bytes = bytes_of(info);
  py::gil_scoped_release unlocked;
  check(device.read(address, bytes));
}

void launch(KernelDevice& device, const KernelLibrary& library, const std::string& name,
            const std::string& arguments) {
  thread_diagnostics().clear();
  const AnyKernel kernel = value(library.find(name));
  check(device.launch(name, kernel,
                      {reinterpret_cast<const uint8_t*>(arguments.data()), arguments.size()}));
}

py::bytes bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

py::dict record(const EventRecord& event) {
  py::dict fields;
  fields["kind"] = event.kind;
  fields["name"] = event.name;
  if (event.kind != "command") {
    fields["space"] = event.space;
    fields["address"] = event.address;
    fields["bytes"] = event.bytes;
    fields["number"] = event.number;
    return fields;
  }
  fields["text"] = event.text;
  fields["engine"] = event.engine;
  fields["call"] = event.call;
  fields["id"] = event.id;
  fields["wait"] = event.wait;
  fields["cycles"] = event.cost.cycles();
  fields["macs"] = event.cost.macs;
  py::list operands, footprint;
  for (const OperandRecord& o : event.operands)
    operands.append(py::make_tuple(o.name, o.access, o.space, o.dtype, o.address, o.shape,
                                   o.strides, bytes_of(o.before), bytes_of(o.after)));
  for (const RangeRecord& r : event.footprint)
    footprint.append(py::make_tuple(r.written, r.space, r.lane, r.begin, r.end));
  fields["operands"] = operands;
  fields["footprint"] = footprint;
  return fields;
}

}  // namespace

void bind_kernels(py::module_& module) {
  py::class_<EventRecorder>(module, "EventRecorder")
      .def(py::init<bool, bool>())
      .def("profile", &EventRecorder::profile, Unlocked())
      .def("take", [](EventRecorder& all) {
        py::list list;
        for (const EventRecord& event : all.take()) list.append(record(event));
        return list;
      });
  py::class_<KernelLibrary>(module, "KernelLibrary")
      .def(py::init([](const std::string& path, const std::string& chip) {
             thread_diagnostics().clear();
             return value(KernelLibrary::open(path, chip_named(chip)));
           }),
           Unlocked())
      .def("names", &KernelLibrary::names);
  py::class_<KernelDevice>(module, "KernelDevice")
      .def(py::init(&open), Unlocked())
      .def_property_readonly("chip", [](const KernelDevice& d) { return d.chip().name; })
      .def(
          "allocate", [](KernelDevice& d, uint64_t bytes) { return value(d.allocate(bytes)); },
          Unlocked())
      .def(
          "free", [](KernelDevice& d, uint64_t address) { check(d.free(address)); }, Unlocked())
      .def("write", &write)
      .def("read", &read)
      .def("launch", &launch, Unlocked())
      .def(
          "watch",
          [](KernelDevice& d, EventRecorder* recorder) {
            if (recorder != nullptr) recorder->begin(d.device());
            d.watch(recorder);
          },
          Unlocked())
      .def("findings",
           [](const KernelDevice& d) { return insight::to_json(d.findings().findings()).dump(); });
}

}  // namespace tputwin::python
