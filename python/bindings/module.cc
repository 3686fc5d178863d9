// The extension module tputwin._core, on which the package tputwin is built.
#include "base/log.h"
#include "bindings/binding.h"

PYBIND11_MODULE(_core, module) {
  using namespace tputwin;
  module.doc() = "What the package tputwin is made of; no interface of its own.";
  set_default_log_level(LogLevel::quiet);  // errors become exceptions instead
  python::bind_errors(module);
  python::bind_arrays(module);
  python::bind_models(module);
  python::bind_nets(module);
  python::bind_kernels(module);
  python::bind_compiler(module);
  python::bind_campaigns(module);
  python::bind_pictures(module);
}
