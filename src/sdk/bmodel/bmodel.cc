// The functions of <libbmodel/bmodel.hpp>, implemented with tputwin's own model.
#include "libbmodel/bmodel.hpp"

#include <cstdio>

#include "base/errors/bmodel.h"
#include "base/file.h"
#include "base/last_error.h"
#include "bmodel/message.h"
#include "bmodel/parts.h"

namespace bmodel {
namespace {

// Checks the rules of the container.
tputwin::Status check(const Model& model) {
  if (!model.IsInitialized())
    return tputwin::Error(tputwin::errors::mod_message)
        .argument("missing", model.InitializationErrorString());
  if (model.weight_size() == 0 && model.weight_info_size() > 0)
    return tputwin::Error(tputwin::errors::mod_external_weight)
        .argument("weight_info", std::to_string(model.weight_info_size()) + " entries")
        .detail("the message has no weight");
  return tputwin::bmodel::validate(tputwin::bmodel::from_message(model));
}

}  // namespace

bmerr_t save(const Model& model, const std::string& filename) {
  if (auto valid = check(model); !valid.ok()) {
    valid.error().set_call_if_empty("bmodel::save");
    (void)tputwin::report(valid.error());
    return BM_ERR_DATA;
  }
  // Writes the message as given, including unknown fields.
  auto written = tputwin::write_bytes(filename, tputwin::bmodel::to_file(model));
  if (written.ok()) return BM_SUCCESS;
  (void)tputwin::report(written.error());
  return BM_ERR_FAILURE;
}

void print(const Model& model) {
  std::puts(tputwin::bmodel::to_json(tputwin::bmodel::from_message(model)).c_str());
}

void split(const Model& model) {
  auto written = tputwin::bmodel::write_parts(tputwin::bmodel::from_message(model), ".");
  if (!written.ok()) (void)tputwin::report(written.error());
}

}  // namespace bmodel
