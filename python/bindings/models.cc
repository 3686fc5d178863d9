// Descriptions of models without running them, and the list of chips.
#include "bindings/binding.h"
#include "bmodel/file_kind.h"
#include "bmodel/open.h"
#include "bmodel/parts.h"
#include "tools/bm168x/info168x.h"
#include "tools/catalogue.h"
#include "tools/disasm.h"
#include "tools/info.h"

namespace tputwin::python {
namespace {

std::string info(const std::string& path) {
  const bmodel::OpenFile file = value(bmodel::open_file(path));
  if (const auto* model = file.bm1880()) return value(tools::info_json(*model));
  return tools::info_json(*file.bm168x());
}

std::string disassembly(const std::string& path, std::optional<size_t> variety,
                        std::optional<std::string> net, std::optional<size_t> stage) {
  const auto file = value(MappedFile::open(path));
  const auto of_path = [&](auto result) {
    if (!result.ok()) throw Failure{bmodel::about_file(result.error(), file->bytes(), path)};
    return std::move(*result);
  };
  if (!bmodel::bm168x::has_frame(file->bytes()))
    return of_path(tools::disassemble(file->bytes(), {.json = false, .variety = variety}));
  const auto model = of_path(bmodel::bm168x::read(file->bytes()));
  tools::Disassembly shown =
      tools::disassemble(model, {.net = net, .stage = stage, .strict = false});
  if (shown.text.empty()) return value(Result<std::string>(std::move(shown.status)));
  return std::move(shown.text);
}

}  // namespace

void bind_models(py::module_& module) {
  module.def("chips", &tools::chips_json);
  module.def("info", &info, Unlocked());
  module.def("disassembly", &disassembly, Unlocked());
}

}  // namespace tputwin::python
