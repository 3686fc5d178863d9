// Archives in memory, by libzip.
#include "fuzz/archives.h"

#include <zip.h>

#include <memory>

namespace tputwin::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

}  // namespace

Members unzip(std::span<const uint8_t> bytes) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  const Archive archive(zip_open_from_source(source, ZIP_RDONLY, nullptr));
  if (!archive) {
    zip_source_free(source);
    return {};
  }
  Members members;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t status;
    if (zip_stat_index(archive.get(), i, 0, &status) != 0 || status.size > kMostBytes) continue;
    Bytes content(status.size);
    zip_file_t* const file = zip_fopen_index(archive.get(), i, 0);
    if (file == nullptr) continue;
    const zip_int64_t got = zip_fread(file, content.data(), content.size());
    zip_fclose(file);
    if (got == static_cast<zip_int64_t>(content.size()))
      members.emplace_back(status.name, std::move(content));
  }
  return members;
}

Bytes zip(const Members& members) {
  zip_source_t* const result = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(result);
  zip_t* const archive = zip_open_from_source(result, ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, content] : members)
    if (zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
        zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE) < 0)
      zip_source_free(source);
  Bytes bytes;
  zip_stat_t status;
  if (zip_close(archive) != 0) {
    zip_discard(archive);
  } else if (zip_source_stat(result, &status) == 0 && zip_source_open(result) == 0) {
    bytes.resize(status.size);
    if (zip_source_read(result, bytes.data(), bytes.size()) < 0) bytes.clear();
    zip_source_close(result);
  }
  zip_source_free(result);
  return bytes;
}

}  // namespace tputwin::fuzz
