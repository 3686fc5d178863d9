// Files of kinds that users pass by mistake, and the expected messages.
#pragma once

#include <string>
#include <vector>

#include "bmodel/file_kind.h"
#include "bmodel/samples168x.h"

namespace tputwin::testing {

using namespace std::string_literals;

inline std::string text_of(const std::vector<uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

// The header of an ELF file: 64 bits, little endian.
inline std::string elf(uint8_t type, uint8_t machine) {
  std::string bytes =
      "\x7f"
      "ELF\2\1\1"s +
      std::string(9, '\0');
  bytes += std::string{static_cast<char>(type), '\0', static_cast<char>(machine), '\0'};
  return bytes + std::string(44, '\0');
}

inline std::string bmodel_of(const char* chip) {
  auto model = bmodel::bm168x::samples::model168x();
  model.chip = chip;
  return text_of(write(model, bmodel::bm168x::samples::binary168x()));
}

inline constexpr char kDirectory[] = "\1directory";
struct FileOfKind {
  std::string name, content, reason;
};
inline std::vector<FileOfKind> kinds() {
  return {
      {"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
       "it is a Git LFS pointer, not the file itself: run git lfs pull"},
      {"empty", "", "it is an empty file"},
      {"cvimodel", "CviModel" + "\0\0\0\0\1\4"s + std::string(16, 'x') + "cv181x" + "\0\0"s,
       "it is a cvimodel of the cv181x"},
      {"onnx", "\x08\x07\x12\x07pytorch\x3a\x03\x0a\x01n"s, "it is an ONNX model"},
      {"prototxt", "name: \"net\"\nlayer {\n  name: \"conv1\"\n}\n", "it is a prototxt of Caffe"},
      {"caffemodel", "\x0a\x03net\xa2\x06\x04\x0a\x02l1"s, "it is a caffemodel of Caffe"},
      {"module", elf(3, 183), "it is a shared object made for AArch64"},
      {"zip", "PK\3\4"s + std::string(30, '\0'), "it is a zip archive"},
      {"gzip", "\x1f\x8b\x08"s + std::string(20, '\0'), "it is a gzip archive"},
      {"page", "<!DOCTYPE html><html>not found</html>", "it is a page of the web"},
      {"other", bmodel_of("BM1688"), "it is a bmodel of the BM1688"},
      {"directory", kDirectory, "irectory"},
  };
}

}  // namespace tputwin::testing
