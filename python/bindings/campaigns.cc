// Work in units, like the campaigns of the tools: evaluations, calibrations, random operations,
// checkpoints.
#include <thread>

#include "base/parallel.h"
#include "bindings/binding.h"
#include "bindings/requests.h"
#include "tools/calibrate.h"
#include "tools/campaign/checkpoint.h"
#include "tools/eval.h"
#include "tools/progress.h"
#include "tools/selftest.h"

namespace tputwin::python {
namespace {

class EvaluationUnits {
 public:
  explicit EvaluationUnits(tools::EvalRequest request)
      : request_(std::move(request)),
        evaluation_(value(tools::Evaluation::open(request_))),
        campaign(tools::campaign_of(*evaluation_, request_)) {}

  py::dict sum_of(const std::vector<std::string>& lines) const {
    return described(value(tools::sum_of(lines)));
  }

 private:
  tools::EvalRequest request_;
  std::unique_ptr<tools::Evaluation> evaluation_;

 public:
  const tools::Campaign campaign;
};

class CalibrationUnits {
 public:
  explicit CalibrationUnits(tools::CalibrateRequest request)
      : files_(value(tools::CalibrationFiles::open(std::move(request)))),
        campaign(files_->campaign()) {}

  py::dict write(const std::vector<std::string>& lines) const {
    auto written = [&] {
      const py::gil_scoped_release release;
      return files_->write(lines);
    }();
    return described(value(std::move(written)));
  }

 private:
  std::unique_ptr<tools::CalibrationFiles> files_;

 public:
  const tools::Campaign campaign;
};

class RandomUnits {
 public:
  explicit RandomUnits(const tools::SelftestOptions& options)
      : units_(value(tools::SelftestUnits::open(options))), campaign(units_->campaign()) {}

  py::list sum_of(const std::vector<std::string>& lines) const {
    py::list rows;
    for (const tools::TargetReport& target : units_->sum_of(lines)) {
      py::dict row;
      row["isa"] = target.isa;
      row["operations"] = target.operations;
      row["difference"] = target.difference;
      row["rerun"] = target.rerun;
      rows.append(row);
    }
    return rows;
  }

 private:
  std::unique_ptr<tools::SelftestUnits> units_;

 public:
  const tools::Campaign campaign;
};

// Binds the members that every kind of units has.
template <class Units>
py::class_<Units> bind_units(py::module_& module, const char* name) {
  return py::class_<Units>(module, name)
      .def_property_readonly("identity", [](const Units& u) { return u.campaign.identity; })
      .def_property_readonly("units", [](const Units& u) { return u.campaign.units; })
      .def(
          "work", [](const Units& u, uint64_t unit) { return value(u.campaign.work(unit)); },
          Unlocked());
}

tools::Checkpoint open_checkpoint(const std::string& path, const std::string& identity,
                                  uint64_t units) {
  const tools::Campaign campaign{.identity = identity, .units = units, .work = nullptr};
  return value(tools::Checkpoint::open(path, campaign));
}

}  // namespace

void bind_campaigns(py::module_& module) {
  bind_units<EvaluationUnits>(module, "EvaluationUnits")
      .def("sum_of", &EvaluationUnits::sum_of)
      .def(py::init([](const std::string& prototxt, const std::string& caffemodel,
                       const std::string& model, const std::vector<std::string>& data,
                       uint64_t samples, const std::string& output, const py::dict& preparation) {
        return std::make_unique<EvaluationUnits>(
            evaluation_request(prototxt, caffemodel, model, data, samples, output, preparation));
      }));
  bind_units<CalibrationUnits>(module, "CalibrationUnits")
      .def(py::init([](const std::string& prototxt, const std::string& caffemodel,
                       const std::vector<std::string>& data, const std::string& output,
                       const std::string& name, size_t samples, const std::string& method,
                       double reach, const std::vector<std::vector<int64_t>>& shapes,
                       const py::dict& preparation,
                       const std::pair<std::string, std::string>& chip_type) {
        return std::make_unique<CalibrationUnits>(
            calibration_request(prototxt, caffemodel, data, output, name, samples, method, reach,
                                shapes, preparation, chip_type));
      }))
      .def_property_readonly("second_part",
                             [](const CalibrationUnits& u) { return u.campaign.second_part; })
      .def("summary",
           [](const CalibrationUnits& u, const std::vector<std::string>& lines) {
             return value(u.campaign.summary(lines));
           })
      .def("go_on", [](const CalibrationUnits& u,
                       const std::string& summary) { check(u.campaign.go_on(summary)); })
      .def("write", &CalibrationUnits::write);
  bind_units<RandomUnits>(module, "RandomUnits")
      .def("sum_of", &RandomUnits::sum_of)
      .def(py::init(
          [](uint64_t cases, uint64_t seed, const std::string& only, const std::string& isa) {
            return std::make_unique<RandomUnits>(tools::SelftestOptions{
                .cases = cases, .seed = seed, .only = only, .isa = isa, .random = true});
          }));
  py::class_<tools::Checkpoint>(module, "Checkpoint")
      .def(py::init(&open_checkpoint))
      .def("results", &tools::Checkpoint::results)
      .def("add", [](tools::Checkpoint& c, uint64_t unit,
                     std::string result) { check(c.add(unit, std::move(result))); })
      .def("write", [](tools::Checkpoint& c) { check(c.write()); })
      .def("remove", &tools::Checkpoint::remove);
  py::class_<tools::ProgressBar>(module, "ProgressBar")
      .def(py::init<uint64_t>())
      .def("advance", &tools::ProgressBar::advance);
  module.def("set_threads", &set_thread_count);
}

}  // namespace tputwin::python
