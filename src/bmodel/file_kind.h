// Description of an unexpected file by its first bytes. Every reader of models, kernel modules and
// libraries uses it, so that all report the same text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tputwin::bmodel {

// The expected kind. A file of that kind is not described. `bmodel` is a bmodel for a known chip.
enum class Expected : uint8_t {
  nothing,
  bmodel,
  shared_object,
  program,
  onnx,
  caffemodel,
  prototxt
};

// Returns a text such as "it is a Git LFS pointer, not the file itself: run git lfs pull". Returns
// an empty text if the kind is unknown, or as expected. `bytes` are the first bytes of a file, or
// all.
std::string file_kind(std::span<const uint8_t> bytes, Expected expected = Expected::bmodel);
// Describes the file at a path, also if it is a directory or missing.
std::string file_kind_of(const std::string& path, Expected expected = Expected::bmodel);

// Returns the error with the kind of the file as its detail, if the kind is known, and with the
// path, if there is one.
Error about_file(Error error, std::span<const uint8_t> bytes, std::string_view path = "",
                 Expected expected = Expected::bmodel);

}  // namespace tputwin::bmodel
