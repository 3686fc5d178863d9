// Selection of the reader of a file by its first bytes.
#include "bmodel/open.h"

#include <utility>

#include "bmodel/file_kind.h"

namespace tputwin::bmodel {

Result<OpenFile> open(std::shared_ptr<const MappedFile> file) {
  if (bm168x::has_frame(file->bytes())) {
    auto model = bm168x::read(file->bytes());
    if (!model.ok()) return about_file(model.error(), file->bytes());
    return OpenFile{std::move(file), std::move(*model)};
  }
  TW_ASSIGN_OR_RETURN(model, read(file->bytes()));
  return OpenFile{std::move(file), std::move(model)};
}

Result<OpenFile> open_file(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, MappedFile::open(path));
  auto opened = open(std::move(file));
  if (opened.ok()) return opened;
  Error error = opened.error();
  error.set_call_if_empty(path);
  return error;
}

}  // namespace tputwin::bmodel
