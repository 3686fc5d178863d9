// Conversion of errors to tputwin.Error; warnings of the calling thread; the catalogue.
#include "base/errors/tools.h"
#include "base/last_error.h"
#include "bindings/binding.h"
#include "tools/bm168x/npy.h"

namespace tputwin::python {
namespace {

py::dict described(const Error& error) {
  const ErrorInfo& info = error.info();
  py::dict fields;
  fields["id"] = info.code;
  fields["symbol"] = info.symbol;
  fields["kind"] = to_string(info.kind);
  fields["call"] = error.call();
  fields["argument"] = error.argument();
  fields["value"] = error.value();
  fields["detail"] = error.detail();
  fields["rule"] = info.rule;
  fields["document"] = error.reference();
  fields["message"] = error.message();
  return fields;
}

py::list take_warnings() {
  py::list list;
  for (const WarningCount& warning : thread_diagnostics().warnings()) {
    py::dict fields = described(warning.sample);
    fields["count"] = warning.count;
    list.append(fields);
  }
  thread_diagnostics().clear();
  return list;
}

py::list error_catalogue_rows() {
  py::list rows;
  for (const ErrorInfo& info : error_catalogue()) {
    py::dict row;
    row["id"] = info.code;
    row["symbol"] = info.symbol;
    row["kind"] = to_string(info.kind);
    row["is_warning"] = info.level == Level::warning;
    row["rule"] = info.rule;
    row["document"] = info.reference;
    rows.append(row);
  }
  return rows;
}

}  // namespace

const Chip& chip_named(const std::string& name) {
  if (const Chip* chip = find_chip(name)) return *chip;
  throw py::value_error("chip \"" + name + "\" is unknown: BM1880, BM1684 or BM1684X");
}

void bind_errors(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const py::object type = py::module_::import("tputwin.errors").attr("Error");
      const py::object error = type(**described(failure.error));
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
  module.def("take_warnings", &take_warnings);
  module.def("error_catalogue", &error_catalogue_rows);
}

}  // namespace tputwin::python
