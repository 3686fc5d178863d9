// Arrays of numpy: the header of .npy is parsed here, the archive is read by libzip.
#include "tools/bm168x/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <regex>
#include <string_view>

#include "base/errors/base.h"
#include "base/errors/tools.h"
#include "base/file.h"

namespace tputwin::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kFixed = 10;  // magic, version, length of the header's text
constexpr size_t kLongestHeader = 4096;
constexpr size_t kMostBytes = size_t{1} << 32;  // of an archive's unpacked arrays

Error malformed(std::string what) { return Error(errors::cli_npy).detail(std::move(what)); }

// Parses "(1, 3, 224, 224)".
Result<std::vector<uint64_t>> parse_shape(const std::string& text) {
  std::vector<uint64_t> shape;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    uint64_t extent = 0;
    auto [rest, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent > INT32_MAX) return malformed("shape (" + text + ")");
    shape.push_back(extent);
    at = rest;
  }
  return shape;
}

Status parse_header(const std::string& text, Array& array) {
  std::smatch match;
  static const std::regex type("'descr': *'([<|])([fiub])([1248])'"),
      order("'fortran_order': *False"), shape("'shape': *\\(([0-9, ]*)\\)");
  if (!std::regex_search(text, match, type))
    return malformed("descr is none of f, i, u, b1: " + text);
  array.kind = match[2].str()[0];
  array.element_bytes = static_cast<uint32_t>(match[3].str()[0] - '0');
  if (array.kind == 'b' && array.element_bytes != 1) return malformed("descr: " + text);
  if (!std::regex_search(text, order)) return malformed("it is in Fortran's order");
  if (!std::regex_search(text, match, shape)) return malformed("no shape");
  TW_ASSIGN_OR_RETURN(extents, parse_shape(match[1]));
  array.shape = std::move(extents);
  return {};
}

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, CloseZip>;
using ArchivedFile = std::unique_ptr<zip_file_t, CloseZip>;

Result<Archive> open(const std::string& path, int flags, ErrorId failure) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return Error(failure).in(path).detail(std::move(reason));
}

// Reads at most `most` bytes.
Result<Array> read_member(zip_t* archive, zip_uint64_t index, const zip_stat_t& status,
                          size_t most) {
  ArchivedFile file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) return malformed(fmt::format("{}: {}", status.name, zip_strerror(archive)));
  // The array grows with the bytes that exist: a header may claim any size.
  std::vector<uint8_t> bytes;
  constexpr size_t kChunk = size_t{1} << 20;
  while (true) {
    const size_t at = bytes.size();
    bytes.resize(at + kChunk);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + at, kChunk);
    if (got < 0) return malformed(fmt::format("{} does not unpack", status.name));
    bytes.resize(at + static_cast<size_t>(got));
    if (got == 0) break;
    if (bytes.size() > most)
      return malformed(fmt::format("its arrays have more than {} bytes", kMostBytes));
  }
  return read_npy(std::move(bytes));
}

}  // namespace

Result<Array> read_npy(std::vector<uint8_t> file) {
  if (file.size() < kFixed || !std::equal(kMagic.begin(), kMagic.end(), file.begin(),
                                          [](char a, uint8_t b) { return uint8_t(a) == b; }))
    return malformed("it does not begin as one");
  const bool long_header = file[6] >= 2;
  size_t length = file[8] | size_t{file[9]} << 8, begin = kFixed;
  if (long_header) {
    if (file.size() < kFixed + 2) return malformed("its header is cut");
    length |= size_t{file[10]} << 16 | size_t{file[11]} << 24;
    begin += 2;
  }
  if (length > kLongestHeader) return malformed("its header is too long");
  if (length > file.size() - begin) return malformed("its header is cut");
  Array array;
  const auto* text = reinterpret_cast<const char*>(file.data() + begin);
  TW_RETURN_IF_ERROR(parse_header({text, length}, array));
  uint64_t bytes = array.element_bytes;
  for (uint64_t extent : array.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return malformed("its shape is too large");
  if (file.size() - begin - length != bytes)
    return malformed(fmt::format("({}) of {} bytes has {} bytes", fmt::join(array.shape, ", "),
                                 array.element_bytes, file.size() - begin - length));
  file.erase(file.begin(), file.begin() + static_cast<ptrdiff_t>(begin + length));
  array.bytes = std::move(file);
  return array;
}

std::vector<uint8_t> write_npy(const Array& array) {
  constexpr size_t kAlignment = 64;
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  array.element_bytes == 1 ? '|' : '<', array.kind, array.element_bytes,
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  header.resize(
      (kFixed + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kFixed - 1, ' ');
  header += '\n';
  std::vector<uint8_t> file(kMagic.begin(), kMagic.end());
  for (size_t byte : {size_t{1}, size_t{0}, header.size() & 0xff, header.size() >> 8})
    file.push_back(static_cast<uint8_t>(byte));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

Result<Arrays> read_npz(const std::string& path) {
  TW_ASSIGN_OR_RETURN(archive, open(path, ZIP_RDONLY, errors::sys_file_read));
  Arrays arrays;
  size_t bytes = 0;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive.get(), index, 0, &status) != 0) return malformed("an entry is lost");
    auto array = read_member(archive.get(), index, status, kMostBytes - bytes);
    if (!array.ok()) {
      Error error = array.error();
      error.set_call_if_empty(fmt::format("{}: {}", path, status.name));
      return error;
    }
    bytes += array->bytes.size();
    std::string name = status.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    arrays.emplace(std::move(name), std::move(array.value()));
  }
  return arrays;
}

Status write_npz(const std::string& path, const NamedArrays& arrays) {
  TW_ASSIGN_OR_RETURN(archive, open(path, ZIP_CREATE | ZIP_TRUNCATE, errors::sys_file_write));
  std::vector<std::vector<uint8_t>> files;  // until the archive is closed
  auto failed = [&] {
    return Error(errors::sys_file_write).in(path).detail(zip_strerror(archive.get()));
  };
  for (const auto& [name, array] : arrays) {
    const auto& file = files.emplace_back(write_npy(array));
    zip_source_t* source = zip_source_buffer(archive.get(), file.data(), file.size(), 0);
    const zip_int64_t index = zip_file_add(archive.get(), (name + ".npy").c_str(), source,
                                           ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE);
    if (index < 0) {
      zip_source_free(source);
      return failed();
    }
    zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  if (zip_close(archive.get()) != 0) return failed();
  static_cast<void>(archive.release());
  return {};
}

bool is_array_file(std::string_view path) {
  return path.ends_with(".npy") || path.ends_with(".npz");
}

Status check_array_file(const std::string& path, size_t arrays) {
  if (!path.ends_with(".npy") || arrays == 1) return {};
  return Error(errors::cli_output)
      .argument("--output", path)
      .detail(fmt::format("the net has {} outputs", arrays));
}

Status write_array_file(const std::string& path, const NamedArrays& arrays) {
  TW_RETURN_IF_ERROR(check_array_file(path, arrays.size()));
  if (path.ends_with(".npz")) return write_npz(path, arrays);
  return write_bytes(path, write_npy(arrays.front().second));
}

}  // namespace tputwin::tools
