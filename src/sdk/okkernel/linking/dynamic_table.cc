// Reading of dynamic sections, in memory and in files.
#include "sdk/okkernel/linking/dynamic_table.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "base/file.h"

namespace tputwin::okk {
namespace {

using Dyn = ElfW(Dyn);
using Sym = ElfW(Sym);
using Rela = ElfW(Rela);
using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

// The parts of a dynamic section that describe references.
struct Tables {
  const Sym* symbols = nullptr;
  const char* strings = nullptr;
  std::span<const Rela> data, procedures;
};

Tables tables_of(uintptr_t base, const Dyn* table) {
  Tables t;
  const Rela *data = nullptr, *procedures = nullptr;
  size_t data_bytes = 0, procedure_bytes = 0;
  for (; table->d_tag != DT_NULL; ++table) {
    // The loader has replaced offsets by addresses; a file still has offsets.
    const uintptr_t value = table->d_un.d_ptr;
    void* const address = reinterpret_cast<void*>(value < base ? base + value : value);
    switch (table->d_tag) {
      case DT_SYMTAB:
        t.symbols = static_cast<const Sym*>(address);
        break;
      case DT_STRTAB:
        t.strings = static_cast<const char*>(address);
        break;
      case DT_RELA:
        data = static_cast<const Rela*>(address);
        break;
      case DT_RELASZ:
        data_bytes = value;
        break;
      case DT_JMPREL:
        procedures = static_cast<const Rela*>(address);
        break;
      case DT_PLTRELSZ:
        procedure_bytes = value;
        break;
      default:
        break;
    }
  }
  if (t.symbols == nullptr || t.strings == nullptr) return {};
  if (data != nullptr) t.data = {data, data_bytes / sizeof(Rela)};
  if (procedures != nullptr) t.procedures = {procedures, procedure_bytes / sizeof(Rela)};
  return t;
}

// Returns the symbol of a relocation, if another library must define it.
const Sym* undefined_symbol(const Tables& t, const Rela& relocation) {
  const Sym& symbol = t.symbols[ELF64_R_SYM(relocation.r_info)];
  const bool undefined = symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0 &&
                         ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
  return undefined ? &symbol : nullptr;
}

// Returns the segments of a file at the addresses where a loader would put them.
std::vector<uint8_t> image_of(std::span<const uint8_t> file, std::span<const Segment> segments) {
  size_t bytes = 0;
  for (const Segment& s : segments)
    if (s.p_type == PT_LOAD) bytes = std::max<size_t>(bytes, s.p_vaddr + s.p_memsz);
  std::vector<uint8_t> image(bytes);
  for (const Segment& s : segments)
    if (s.p_type == PT_LOAD)
      std::memcpy(image.data() + s.p_vaddr, file.data() + s.p_offset, s.p_filesz);
  return image;
}

// Returns true if all segments are inside the file and one of them is the dynamic section.
bool plausible(std::span<const uint8_t> file, std::span<const Segment> segments) {
  constexpr size_t kMost = size_t{1} << 32;
  return std::ranges::all_of(segments, [&](const Segment& s) {
    return s.p_type != PT_LOAD ||
           (s.p_offset <= file.size() && s.p_filesz <= s.p_memsz &&
            s.p_filesz <= file.size() - s.p_offset && s.p_vaddr < kMost && s.p_memsz < kMost);
  });
}

}  // namespace

std::map<uintptr_t, const Dyn*> loaded_tables() {
  std::map<uintptr_t, const Dyn*> tables;
  auto add = [](dl_phdr_info* info, size_t, void* to) {
    for (const Segment& s : std::span(info->dlpi_phdr, info->dlpi_phnum))
      if (s.p_type == PT_DYNAMIC)
        static_cast<decltype(&tables)>(to)->emplace(
            info->dlpi_addr, reinterpret_cast<const Dyn*>(info->dlpi_addr + s.p_vaddr));
    return 0;
  };
  dl_iterate_phdr(add, &tables);
  return tables;
}

std::vector<UndefinedSymbol> undefined_procedures(uintptr_t base, const Dyn* table) {
  const Tables t = tables_of(base, table);
  std::vector<UndefinedSymbol> found;
  for (const Rela& relocation : t.procedures)
    if (const Sym* symbol = undefined_symbol(t, relocation))
      found.push_back(
          {t.strings + symbol->st_name, reinterpret_cast<uintptr_t*>(base + relocation.r_offset)});
  return found;
}

std::vector<std::string> undefined_in_file(const std::string& path) {
  const auto file = read_bytes(path);
  if (!file.ok() || file->size() < sizeof(Header)) return {};
  Header header;
  std::memcpy(&header, file->data(), sizeof header);
  const size_t available = file->size() - std::min<size_t>(file->size(), header.e_phoff);
  if (header.e_phnum * sizeof(Segment) > available) return {};
  std::vector<Segment> segments(header.e_phnum);
  std::memcpy(segments.data(), file->data() + header.e_phoff, segments.size() * sizeof(Segment));
  if (!plausible(*file, segments)) return {};
  const std::vector<uint8_t> image = image_of(*file, segments);
  const auto dynamic = std::ranges::find(segments, PT_DYNAMIC, &Segment::p_type);
  if (dynamic == segments.end() || dynamic->p_vaddr + dynamic->p_memsz > image.size()) return {};
  const auto base = reinterpret_cast<uintptr_t>(image.data());
  const Tables t = tables_of(base, reinterpret_cast<const Dyn*>(base + dynamic->p_vaddr));
  std::set<std::string> names;
  for (const auto& relocations : {t.data, t.procedures})
    for (const Rela& relocation : relocations)
      if (const Sym* symbol = undefined_symbol(t, relocation))
        names.insert(t.strings + symbol->st_name);
  return {names.begin(), names.end()};
}

}  // namespace tputwin::okk
