// Detection of kinds of files by their first bytes.
#include "bmodel/file_kind.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "bmodel/containers.h"
#include "bmodel/little_endian.h"

namespace tputwin::bmodel {
namespace {

using Bytes = std::span<const uint8_t>;

bool starts_with(Bytes bytes, std::string_view magic, size_t at = 0) {
  return bytes.size() >= at + magic.size() &&
         std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

// A kind with a magic number.
struct Magic {
  size_t at;
  std::string_view bytes, kind;
};
using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {0, "version https://git-lfs", "a Git LFS pointer, not the file itself: run git lfs pull"},
    {0, "PK\3\4"sv, "a zip archive: unpack it"},
    {0, "PK\5\6"sv, "an empty zip archive"},
    {0, "\x1f\x8b"sv, "a gzip archive: unpack it"},
    {0,
     "\xfd"sv
     "7zXZ"sv,
     "an xz archive: unpack it"},
    {0, "BZh"sv, "a bzip2 archive: unpack it"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd archive: unpack it"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive: unpack it"},
    {257, "ustar"sv, "a tar archive: unpack it"},
    {0, "\x93NUMPY"sv, "a NumPy array"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    {4, "TFL3"sv, "a TensorFlow Lite model"},
    {0, "RKNN"sv, "an RKNN model"},
    {0, "\x89PNG"sv, "a PNG picture"},
    {0, "\xff\xd8\xff"sv, "a JPEG picture"},
    {0, "%PDF"sv, "a PDF document"},
    {0,
     "\x89"sv
     "tprec"sv,
     "a recording of tputwin"},
};

// ---- cvimodel ----

// Format: magic, 4 bytes of size, 2 of version, 16 of check sum, then the name of the chip.
std::string cvimodel_kind(Bytes bytes) {
  if (!starts_with(bytes, "CviModel")) return "";
  constexpr size_t kChip = 30, kChipBytes = 16;
  std::string chip;
  for (size_t i = kChip; i < std::min(bytes.size(), kChip + kChipBytes) && bytes[i] != 0; ++i)
    chip += std::isalnum(bytes[i]) != 0 ? static_cast<char>(bytes[i]) : '?';
  const bool known = chip.starts_with("cv") || chip.starts_with("CV");
  return fmt::format("a cvimodel of the {}, another family of chips", known ? chip : "CV18xx");
}

// ---- ELF ----

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_RISCV:
      return "RISC-V";
    case EM_MIPS:
      return "MIPS";
    case EM_LOONGARCH:
      return "LoongArch";
    default:
      return fmt::format("machine {} of ELF", machine);
  }
}

constexpr uint16_t kOwnMachine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;
#endif

std::string elf_kind(Bytes bytes, Expected expected) {
  constexpr size_t kType = 16, kMachine = 18, kHeader = 20;
  if (!starts_with(bytes, ELFMAG) || bytes.size() < kHeader) return "";
  const auto type = little_endian<uint16_t>(bytes.subspan(kType));
  const auto machine = little_endian<uint16_t>(bytes.subspan(kMachine));
  const std::string_view what = type == ET_DYN    ? "a shared object"
                                : type == ET_EXEC ? "a program"
                                : type == ET_REL  ? "an object file"
                                                  : "an ELF file";
  const bool own = machine == kOwnMachine;
  const bool runs_here = expected == Expected::shared_object || expected == Expected::program;
  if (!runs_here)
    return fmt::format("{} made for {}, such as a kernel module", what, machine_name(machine));
  if (!own)
    return fmt::format("{} made for {}; this machine is {}", what, machine_name(machine),
                       machine_name(kOwnMachine));
  if (expected == Expected::shared_object && type != ET_DYN)
    return fmt::format("{}, not a shared object", what);
  return "";
}

// ---- messages of protobuf ----

// A field at the top level of a message.
struct Field {
  uint64_t number;
  uint32_t wire;
  uint64_t value;  // value of a number, or the length
};
class Fields {
 public:
  explicit Fields(Bytes bytes) : rest_(bytes) {}
  std::optional<Field> next() {
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0) return std::nullopt;
    const Field field{*tag >> 3, static_cast<uint32_t>(*tag & 7), 0};
    const auto value = field.wire == 0 || field.wire == 2 ? varint() : std::nullopt;
    if (!value) return std::nullopt;
    if (field.wire == 2) rest_ = rest_.subspan(std::min<uint64_t>(*value, rest_.size()));
    return Field{field.number, field.wire, *value};
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const uint8_t byte = rest_.front();
      rest_ = rest_.subspan(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }
  Bytes rest_;
};

// A field that messages of a kind have, and its wire type.
struct KnownField {
  uint64_t number;
  uint32_t wire;
};
// Returns true if the bytes are a message that has only known fields, and has the field `needed`.
bool is_message(Bytes bytes, std::span<const KnownField> known, uint64_t needed) {
  Fields fields(bytes);
  bool has_needed = false;
  while (!fields.at_end()) {
    const auto field = fields.next();
    const auto row =
        field ? std::ranges::find(known, field->number, &KnownField::number) : known.end();
    if (row == known.end() || row->wire != field->wire) return false;
    has_needed |= field->number == needed;
  }
  return has_needed;
}

std::string message_kind(Bytes bytes, Expected expected) {
  // ir_version, producer and its version, domain, model version, text, graph, operator sets, ...
  constexpr KnownField kOnnx[] = {{1, 0}, {2, 2}, {3, 2},  {4, 2},  {5, 0}, {6, 2},
                                  {7, 2}, {8, 2}, {14, 2}, {20, 2}, {25, 2}};
  if (expected != Expected::onnx && is_message(bytes, kOnnx, 7))
    return "an ONNX model: tputwin compile makes a bmodel of it";
  // name, layers of two kinds, inputs and their shapes, flags
  constexpr KnownField kCaffe[] = {{1, 2}, {2, 2}, {3, 2}, {4, 0},  {5, 0},
                                   {6, 2}, {7, 0}, {8, 2}, {100, 2}};
  if (expected != Expected::caffemodel &&
      (is_message(bytes, kCaffe, 100) || is_message(bytes, kCaffe, 2)))
    return "a caffemodel of Caffe: tputwin compile makes a bmodel of it";
  return "";
}

// ---- text ----

bool is_text(Bytes bytes) {
  constexpr size_t kLooked = 512;
  const auto looked = bytes.first(std::min(bytes.size(), kLooked));
  const auto others = std::ranges::count_if(looked, [](uint8_t c) { return c >= 0x80; });
  return 4 * static_cast<size_t>(others) <= looked.size() &&
         std::ranges::all_of(looked, [](uint8_t c) { return c >= 0x20 || (c >= 9 && c <= 13); });
}

std::string text_kind(Bytes bytes, Expected expected) {
  if (!is_text(bytes)) return "";
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto holds = [&](std::string_view part) { return text.find(part) != text.npos; };
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start != text.npos && text[start] == '<') return "a page of the web, or XML";
  if (text.starts_with("#!")) return "a script";
  if (expected == Expected::prototxt) return "";
  const bool names_layers = holds("layer {") || holds("layer{") || holds("layers {") ||
                            holds("layers{") || holds("input_dim:") || holds("input_shape");
  if (names_layers)
    return "a prototxt of Caffe: tputwin compile makes a bmodel of it and its weights";
  return "text";
}

// ---- bmodels ----

std::string bmodel_kind(Bytes bytes, Expected expected) {
  if (bm168x::has_frame(bytes)) {
    const std::string chip = bm168x::chip_name(bytes);
    const bool known = chip.empty() || bm168x::chip_named(chip) != nullptr;
    if (expected == Expected::bmodel && known) return "";
    return chip.empty() ? "a bmodel" : fmt::format("a bmodel of the {}", chip);
  }
  return expected != Expected::bmodel ? "a bmodel of the BM1880" : "";
}

std::string kind_of(Bytes bytes, Expected expected) {
  if (bytes.empty()) return "an empty file";
  for (const Magic& magic : kMagics)
    if (starts_with(bytes, magic.bytes, magic.at)) return std::string(magic.kind);
  if (starts_with(bytes, ELFMAG)) return elf_kind(bytes, expected);
  if (std::string kind = cvimodel_kind(bytes); !kind.empty()) return kind;
  if (bm168x::has_frame(bytes) || has_v011_frame(bytes) || has_v21_frame(bytes))
    return bmodel_kind(bytes, expected);
  if (expected == Expected::program && starts_with(bytes, "#!")) return "";
  if (std::string text = text_kind(bytes, expected); !text.empty()) return text;
  return message_kind(bytes, expected);
}

}  // namespace

std::string file_kind(Bytes bytes, Expected expected) {
  const std::string kind = kind_of(bytes, expected);
  return kind.empty() ? "" : "it is " + kind;
}

std::string file_kind_of(const std::string& path, Expected expected) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return "it is a directory";
  if (!S_ISREG(status.st_mode)) return "";
  // Limit of bytes to read. In ONNX files the graph may follow long names.
  constexpr size_t kMost = size_t{64} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  std::vector<uint8_t> bytes(std::min<size_t>(static_cast<size_t>(status.st_size), kMost));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return file_kind(bytes, expected);
}

Error about_file(Error error, Bytes bytes, std::string_view path, Expected expected) {
  if (!path.empty()) error.set_call_if_empty(path);
  std::string kind = file_kind(bytes, expected);
  return kind.empty() ? error : std::move(error).detail(std::move(kind));
}

}  // namespace tputwin::bmodel
