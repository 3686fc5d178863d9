// Opening of files of every container.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "base/mapped_file.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// A model, and the file that holds its bytes.
struct OpenFile {
  std::shared_ptr<const MappedFile> file;
  std::variant<Model, bm168x::File> content;

  const bm168x::File* bm168x() const { return std::get_if<bm168x::File>(&content); }
  const Model* bm1880() const { return std::get_if<Model>(&content); }
};

// Detects the container by its bytes, reads and validates.
Result<OpenFile> open(std::shared_ptr<const MappedFile> file);
// Opens the file at a path. Errors name the path.
Result<OpenFile> open_file(const std::string& path);

}  // namespace tputwin::bmodel
