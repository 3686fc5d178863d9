// Files of every container.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "base/mapped_file.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// A model and the file that its bytes are in.
struct OpenFile {
  std::shared_ptr<const MappedFile> file;
  std::variant<Model, bm168x::File> content;

  const bm168x::File* bm168x() const { return std::get_if<bm168x::File>(&content); }
  const Model* bm1880() const { return std::get_if<Model>(&content); }
};

// Tells the containers apart by their bytes, reads and validates.
Result<OpenFile> open(std::shared_ptr<const MappedFile> file);
// The same of a path, which errors then name.
Result<OpenFile> open_file(const std::string& path);

}  // namespace tputwin::bmodel
