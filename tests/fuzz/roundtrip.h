// The requirement for every pair of container reader and writer.
#pragma once

#include <string>

#include "bmodel/bmodel.h"
#include "bmodel/parts.h"

namespace tputwin::fuzz {

template <class Write, class Read>
std::string roundtrip(const Result<bmodel::Model>& model, Write write, Read read) {
  if (!model.ok() || !validate(*model).ok()) return "";
  auto bytes = write(*model);
  if (!bytes.ok()) return "what was read cannot be written: " + bytes.status().message();
  auto again = read(*bytes);
  if (!again.ok()) return "what was written cannot be read: " + again.status().message();
  if (*again != *model) return "what was written reads back different";
  // The other container may refuse it; splitting must not crash.
  (void)bmodel::write(*model, bmodel::Container::v0_1_1);
  (void)bmodel::split(*model);
  return "";
}

}  // namespace tputwin::fuzz
