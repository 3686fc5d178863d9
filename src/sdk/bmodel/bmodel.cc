#include "base/errors/bmodel.h"
#include "libbmodel/bmodel.hpp"

#include <cstdio>

#include "base/file.h"
#include "base/last_error.h"
#include "bmodel/message.h"
#include "bmodel/parts.h"

namespace bmodel {

bmerr_t save(const Model& model, const std::string& filename) {
  std::string bytes;
  if (!model.IsInitialized()) {
    (void)tputwin::report(tputwin::Error(tputwin::errors::mod_message)
                              .in("bmodel::save")
                              .argument("missing", model.InitializationErrorString()));
    return BM_ERR_DATA;
  }
  if (auto valid = tputwin::bmodel::validate(tputwin::bmodel::from_message(model)); !valid.ok()) {
    valid.error().set_call_if_empty("bmodel::save");
    (void)tputwin::report(valid.error());
    return BM_ERR_DATA;
  }
  // The message as given, unknown fields and all.
  model.SerializeToString(&bytes);
  auto written = tputwin::write_bytes(
      filename, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
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
