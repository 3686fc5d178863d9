// Finds lines of addresses and structures of arguments in the process, with elfutils.
#include "insight/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tputwin::insight {
namespace {

std::string demangled(const char* name) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
  return text != nullptr ? text.get() : name;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr)
    return {};
  return type;
}

// Returns the type without typedefs and qualifiers.
std::optional<Dwarf_Die> bare_type_of(Dwarf_Die& die) {
  auto type = type_of(die);
  while (type) {
    const int tag = dwarf_tag(&*type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_restrict_type)
      break;
    type = type_of(*type);
  }
  return type;
}

uint64_t bytes_of(Dwarf_Die& type) {
  Dwarf_Word bytes = 0;
  return dwarf_aggregate_size(&type, &bytes) == 0 ? bytes : 0;
}

template <class Visit>
void each_child(Dwarf_Die& die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Returns a variable of the function, or of a block in it, that is a structure of `bytes` bytes or
// points to one.
std::optional<Dwarf_Die> structure_in(Dwarf_Die& scope, uint64_t bytes) {
  std::optional<Dwarf_Die> found;
  each_child(scope, [&](Dwarf_Die& child) {
    if (found) return;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block) found = structure_in(child, bytes);
    if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) return;
    auto type = bare_type_of(child);
    if (type && dwarf_tag(&*type) == DW_TAG_pointer_type) type = bare_type_of(*type);
    if (type && dwarf_tag(&*type) == DW_TAG_structure_type && bytes_of(*type) == bytes)
      found = type;
  });
  return found;
}

std::vector<Member> members_of(Dwarf_Die& structure) {
  std::vector<Member> members;
  each_child(structure, [&](Dwarf_Die& child) {
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    const char* name = dwarf_diename(&child);
    auto type = bare_type_of(child);
    if (dwarf_tag(&child) != DW_TAG_member || name == nullptr || !type ||
        dwarf_attr(&child, DW_AT_data_member_location, &attribute) == nullptr ||
        dwarf_formudata(&attribute, &offset) != 0)
      return;
    members.push_back({offset, bytes_of(*type), name});
  });
  return members;
}

std::atomic<uint64_t> look_ups = 0;

// The loaded libraries with their debug information, read by elfutils.
class Symbols {
 public:
  Symbols() : dwfl_(dwfl_begin(&callbacks()), dwfl_end) {
    if (dwfl_ == nullptr) return;
    dl_iterate_phdr(report, dwfl_.get());
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  }

  // Calls `look` with the symbols of the libraries that are loaded now. Thread-safe.
  template <class Look>
  static auto ask(Look look) {
    static auto& mutex = *new std::mutex;
    static std::unique_ptr<const Symbols> newest;
    static uint64_t loaded_then = 0;
    std::lock_guard lock(mutex);
    if (newest == nullptr || loaded() != loaded_then) {
      newest.reset();
      newest = std::make_unique<const Symbols>();
    }
    auto found = look(*newest);
    loaded_then = loaded();  // elfutils loads libraries itself
    return found;
  }

  // Results are cached, because a program has few addresses and looks them up repeatedly.
  const Frame& frame(uintptr_t return_address) const {
    const auto [known, is_new] = frames_.try_emplace(return_address);
    if (is_new) known->second = find_frame(return_address);
    return known->second;
  }

  const std::vector<Member>& arguments(uintptr_t function, uint64_t bytes) const {
    const auto [known, is_new] = arguments_.try_emplace({function, bytes});
    if (is_new) known->second = find_arguments(function, bytes);
    return known->second;
  }

 private:
  Frame find_frame(uintptr_t return_address) const {
    const uintptr_t at = return_address - 1;  // an address within the call
    Dwfl_Module* module = dwfl_ != nullptr ? dwfl_addrmodule(dwfl_.get(), at) : nullptr;
    if (module == nullptr) return {};
    const char* path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    Frame frame{.line = {}, .module = std::filesystem::path(path ? path : "").filename()};
    const char* function = dwfl_module_addrname(module, at);
    frame.line.function = function != nullptr ? demangled(function) : frame.module;
    int number = 0;
    Dwfl_Line* line = dwfl_module_getsrc(module, at);
    const char* file = line == nullptr
                           ? nullptr
                           : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file != nullptr) frame.line.file = file;
    frame.line.line = number;
    ++look_ups;
    return frame;
  }
  // Reports libraries as the loader lists them. The mappings of the process would include those of
  // libelf, which maps the same files.
  static int report(dl_phdr_info* library, size_t, void* dwfl) {
    const bool is_program = library->dlpi_name[0] == '\0';
    std::error_code ignored;
    const std::string path = is_program ? std::filesystem::read_symlink("/proc/self/exe", ignored)
                                        : std::filesystem::path(library->dlpi_name);
    dwfl_report_elf(static_cast<Dwfl*>(dwfl), path.c_str(), path.c_str(), -1, library->dlpi_addr,
                    /*add_p_vaddr=*/true);
    return 0;
  }
  // Returns a number that grows with every library that is loaded or released.
  static uint64_t loaded() {
    uint64_t count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* to) {
          *static_cast<uint64_t*>(to) = library->dlpi_adds + library->dlpi_subs;
          return 1;
        },
        &count);
    return count;
  }
  std::vector<Member> find_arguments(uintptr_t function, uint64_t bytes) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_ != nullptr ? dwfl_addrdie(dwfl_.get(), function, &bias) : nullptr;
    Dwarf_Die* found = nullptr;
    const int count = unit != nullptr ? dwarf_getscopes(unit, function - bias, &found) : 0;
    const std::unique_ptr<Dwarf_Die[], void (*)(void*)> scopes(found, std::free);
    for (int i = 0; i < count; ++i) {
      Dwarf_Die& scope = scopes[static_cast<size_t>(i)];
      if (dwarf_tag(&scope) != DW_TAG_subprogram) continue;
      if (auto structure = structure_in(scope, bytes)) return members_of(*structure);
    }
    return {};
  }
  static const Dwfl_Callbacks& callbacks() {
    static char* debug_path = nullptr;  // the standard paths
    static const Dwfl_Callbacks instance{.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = nullptr,
                                         .debuginfo_path = &debug_path};
    return instance;
  }
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl_;
  mutable std::map<std::pair<uintptr_t, uint64_t>, std::vector<Member>> arguments_;
  mutable std::unordered_map<uintptr_t, Frame> frames_;
};

}  // namespace

uint64_t frame_look_ups() { return look_ups; }

std::vector<Frame> frames_of(std::span<const uintptr_t> return_addresses) {
  return Symbols::ask([&](const Symbols& symbols) {
    std::vector<Frame> frames;
    for (const uintptr_t address : return_addresses) frames.push_back(symbols.frame(address));
    return frames;
  });
}

std::vector<Member> argument_members(const void* function, uint64_t bytes) {
  return Symbols::ask([&](const Symbols& symbols) {
    return symbols.arguments(reinterpret_cast<uintptr_t>(function), bytes);
  });
}

std::vector<NamedAddress> addresses_in(const void* function, std::span<const uint8_t> arguments) {
  constexpr size_t kBytes = sizeof(uint64_t);
  std::vector<NamedAddress> addresses;
  const auto add = [&](uint64_t offset, std::string name, bool is_certain) {
    uint64_t value = 0;
    std::memcpy(&value, arguments.data() + offset, kBytes);
    addresses.push_back({value, std::move(name), is_certain});
  };
  const std::vector<Member> members = argument_members(function, arguments.size());
  for (const Member& member : members)
    if (member.bytes == kBytes) add(member.offset, "argument " + member.name, true);
  if (members.empty())
    for (uint64_t at = 0; at + kBytes <= arguments.size(); at += kBytes)
      add(at, fmt::format("argument at byte {}", at), false);
  return addresses;
}

}  // namespace tputwin::insight
