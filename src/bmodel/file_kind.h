// Names the kind of an unexpected file by its first bytes. Every reader of models, kernel
// modules and libraries asks here, so that all say the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tputwin::bmodel {

// The expected kind; a file of that kind is not described. bmodel: one of a chip that is known.
enum class Expected : uint8_t {
  nothing,
  bmodel,
  shared_object,
  program,
  onnx,
  caffemodel,
  prototxt
};

// "it is a Git LFS pointer, not the file itself: run git lfs pull"; empty: nothing is known of such
// bytes, or they are as expected. Needs the first bytes alone, or all.
std::string file_kind(std::span<const uint8_t> bytes, Expected expected = Expected::bmodel);
// Describes the file at a path, also a folder and a missing file.
std::string file_kind_of(const std::string& path, Expected expected = Expected::bmodel);

// The error with what the file is as its detail, if that is known, and with the path, if there is
// one.
Error about_file(Error error, std::span<const uint8_t> bytes, std::string_view path = "",
                 Expected expected = Expected::bmodel);

}  // namespace tputwin::bmodel
