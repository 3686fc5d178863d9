// Finds and loads the libraries of CPU operators, and calls them.
#include "sdk/bmruntime/cpu_operator.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/architecture.h"
#include "base/errors/bmruntime.h"
#include "base/file.h"
#include "base/last_error.h"
#include "base/native_plugins.h"
#include "base/plugin_folder.h"
#include "base/variables.h"
#include "bmodel/file_kind.h"
#include "sdk/bmruntime/api.h"

namespace tputwin::rt {
namespace {

std::span<const uint8_t> host_bytes(const bmodel::Library& library) {
  return kArchitecture == std::string_view("armv8") ? library.armv8 : library.x86_64;
}

bool write_all(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// Loads the library that plugins link. A plugin in memory has no path of its own to find it by, but
// a library that is loaded once serves all.
void load_plugin_base() {
  static void* const base = dlopen("libcpu-plugin.so", RTLD_NOW | RTLD_LOCAL);
  // absent: plugins that do not need it still work
  (void)base;
}

}  // namespace

Result<std::shared_ptr<OperatorLibrary>> OperatorLibrary::open(const std::string& path, int file,
                                                               const std::string& origin) {
  auto failed = [&](std::string why) {
    return Error(errors::bmr_cpu_load).argument("library", origin).detail(std::move(why));
  };
  load_plugin_base();
  dlerror();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    if (file >= 0) close(file);
    const std::string kind = bmodel::file_kind_of(path, bmodel::Expected::shared_object);
    return failed(!kind.empty() ? kind : why != nullptr ? why : "unknown reason");
  }
  std::shared_ptr<OperatorLibrary> library(new OperatorLibrary(handle, file));
  library->create_ = reinterpret_cast<bmnet::CpuLayer* (*)()>(dlsym(handle, "create_cpu_op"));
  library->destroy_ = reinterpret_cast<void (*)(bmnet::CpuLayer*)>(dlsym(handle, "destroy_cpu_op"));
  auto version = reinterpret_cast<uint32_t (*)()>(dlsym(handle, "get_version_cpu_op"));
  if (library->create_ == nullptr || library->destroy_ == nullptr || version == nullptr)
    return failed("it must export create_cpu_op, destroy_cpu_op and get_version_cpu_op");
  library->version_ = version();
  library->writes_outputs_only_ = dlsym(handle, "tputwin_writes_outputs_only") != nullptr;
  if (library->version_ != 1 && library->version_ != 3)
    return Error(errors::bmr_cpu_version)
        .argument(origin, fmt::format("version {}", library->version_));
  return library;
}

Result<std::shared_ptr<OperatorLibrary>> OperatorLibrary::open_file(const std::string& path) {
  return open(path, -1, path);
}

// Keeps the memory file open as long as the library. The loader knows libraries by path, and the
// next file would get the path of a closed one.
Result<std::shared_ptr<OperatorLibrary>> OperatorLibrary::open_bytes(
    const std::string& name, std::span<const uint8_t> bytes) {
  int file = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (file < 0 || !write_all(file, bytes)) {
    if (file >= 0) close(file);
    return Error(errors::bmr_cpu_load).argument("library", name).detail("no memory file");
  }
  return open(fmt::format("/proc/self/fd/{}", file), file, name + " of the bmodel");
}

OperatorLibrary::~OperatorLibrary() {
  dlclose(library_);
  if (file_ >= 0) close(file_);
}

Result<std::shared_ptr<OperatorLibrary>> OperatorLibraries::find(const std::string& name) {
  if (auto it = loaded_.find(name); it != loaded_.end()) return it->second;
  auto library = load(name);
  if (library.ok()) loaded_.emplace(name, *library);
  return library;
}

namespace {

// Returns the existing files of an operator of this name. `looked` receives the searched paths.
std::vector<std::string> plugin_files(const std::string& name, std::string& looked) {
  std::vector<std::string> found;
  const bool is_file_name = !name.empty() && name.find('/') == std::string::npos;
  auto looked_in = [&looked](const std::string& place) {
    looked += (looked.empty() ? "" : ", ") + place;
  };
  auto search = [&](const std::string& folder, auto&& note) {
    for (std::string file : {fmt::format("{}/{}/{}.so", folder, kArchitecture, name),
                             fmt::format("{}/{}.so", folder, name)}) {
      std::error_code ignored;
      if (is_file_name && std::filesystem::exists(file, ignored)) found.push_back(file);
      note(file);
    }
  };
  const std::string path(value_of(EnvVariable::plugin_path));
  std::istringstream directories(path);
  for (std::string directory; std::getline(directories, directory, ':');)
    search(directory, looked_in);
  search(shipped_plugins(), [](const std::string&) {});
  looked_in(path.empty() ? "the shipped plugins; TPUTWIN_PLUGIN_PATH is not set"
                         : "the shipped plugins");
  return found;
}

// Warns that the file's operator runs instead of the one in the bmodel.
Status replaced(const Error& failure, const std::string& file) {
  return report(Error(errors::bmr_cpu_replaced)
                    .argument("library", failure.argument() == "library" ? failure.value()
                                                                         : failure.argument())
                    .detail(fmt::format("{} runs in its place; {}", file, failure.detail())));
}

// As replaced(), for an operator of the bmodel that may not be loaded. Silent if the file has the
// same bytes.
Status kept_out(const std::string& name, std::span<const uint8_t> carried,
                const std::string& file) {
  const auto bytes = read_bytes(file);
  if (bytes.ok() && std::ranges::equal(*bytes, carried)) return {};
  return report(Error(errors::bmr_cpu_native)
                    .argument("library", name + " of the bmodel")
                    .detail(file + " runs in its place"));
}

Error missing(const std::string& name, const std::string& looked, bool is_kept_out) {
  std::string why = "looked in: " + looked;
  if (is_kept_out)
    why += fmt::format(
        "; the bmodel carries native code by this name, which {}=1 or --allow-native-plugins loads",
        name_of(EnvVariable::allow_native_plugins));
  return Error(errors::bmr_cpu_missing).argument("operator", name).detail(std::move(why));
}

}  // namespace

Result<std::shared_ptr<OperatorLibrary>> OperatorLibraries::load(const std::string& name) const {
  const auto found = std::ranges::find_if(carried_, [&](const bmodel::Library& library) {
    return library.name == name && !host_bytes(library).empty();
  });
  const bool is_carried = found != carried_.end();
  const auto bytes = is_carried ? host_bytes(*found) : std::span<const uint8_t>();
  const bool is_kept_out = is_carried && !native_plugins_allowed();
  std::optional<Error> failure;  // error of the library in the model
  if (is_carried && !is_kept_out) {
    auto opened = OperatorLibrary::open_bytes(name, bytes);
    if (opened.ok()) return opened;
    failure = opened.error();
  }
  std::string looked =
      carried_.empty() || is_kept_out ? "" : fmt::format("the bmodel ({})", kArchitecture);
  const auto files = plugin_files(name, looked);
  if (!failure && files.empty()) return missing(name, looked, is_kept_out);
  for (const std::string& file : files) {
    auto opened = OperatorLibrary::open_file(file);
    if (!opened.ok() && failure) continue;
    if (opened.ok() && failure) TW_RETURN_IF_ERROR(replaced(*failure, file));
    if (opened.ok() && is_kept_out) TW_RETURN_IF_ERROR(kept_out(name, bytes, file));
    return opened;
  }
  return *failure;
}

namespace {

// An area of global memory that offsets of an operator refer to.
struct Area {
  std::string_view name;
  uint64_t address, bytes;
  uint8_t* data;
};

Area make_area(std::string_view name, Device& device, uint64_t address, uint64_t bytes) {
  const uint64_t rest = device.memories().global_bytes() - address;
  return {name, address, std::min(bytes, rest), device.memories().prepare_write(address, 0)};
}

using Operands = std::vector<bmnet::CpuLayer::Operand>;

// Returns host addresses of operands.
Result<std::vector<uint64_t>> locate(const Operands& operands, std::string_view what,
                                     const Area& area, const Device& device) {
  std::vector<uint64_t> addresses;
  for (const auto& [offset, bytes] : operands) {
    if (offset > area.bytes || bytes > area.bytes - offset)
      return Error(errors::bmr_cpu_range)
          .argument(what, fmt::format("[{:#x}, +{:#x})", offset, bytes))
          .detail(fmt::format("{} memory has {:#x} bytes", area.name, area.bytes));
    const uint8_t* operand = device.memories().prepare_read(area.address + offset, bytes);
    addresses.push_back(reinterpret_cast<uint64_t>(operand));
  }
  return addresses;
}

// Notifies the device of the writes of the operator.
void announce(const OperatorLibrary& library, const Operands& outputs, const Area& neuron,
              const Area& weight, Device& device) {
  if (!library.writes_outputs_only()) {
    device.memories().prepare_write(neuron.address, neuron.bytes);
    if (library.version() >= 3) device.memories().prepare_write(weight.address, weight.bytes);
    return;
  }
  for (const auto& [offset, bytes] : outputs)
    device.memories().prepare_write(neuron.address + offset, bytes);
}

Status drive(bmnet::CpuLayer& op, const OperatorLibrary& library, std::vector<uint8_t> payload,
             Device& device, const CpuEnvironment& environment) {
  Area neuron = make_area("neuron", device, environment.neuron_address, environment.neuron_bytes);
  Area weight = make_area("weight", device, environment.weight_address, environment.weight_bytes);
  op.parse_cmd(reinterpret_cast<char*>(payload.data()), static_cast<int>(payload.size()));
  Operands inputs, outputs, coeffs;
  op.get_op_inputs(inputs);
  op.get_op_outputs(outputs);
  TW_ASSIGN_OR_RETURN(input_addresses, locate(inputs, "input", neuron, device));
  TW_ASSIGN_OR_RETURN(output_addresses, locate(outputs, "output", neuron, device));
  announce(library, outputs, neuron, weight, device);
  op.relocate_op_inputs(input_addresses);
  op.relocate_op_outputs(output_addresses);
  if (library.version() >= 3) {
    op.get_op_coeffs(coeffs);
    TW_ASSIGN_OR_RETURN(coeff_addresses, locate(coeffs, "coefficient", weight, device));
    op.relocate_op_coeffs(coeff_addresses);
    op.func(CPU_LAYER_NEURON_ADDR, neuron.data);
    op.func(CPU_LAYER_WEIGHT_ADDR, weight.data);
    op.func(CPU_LAYER_CTX, environment.context);
  }
  op.init_runtime_info(environment.context, reinterpret_cast<uint64_t>(neuron.data));
  op.run();
  return {};
}

}  // namespace

Status run_cpu_operator(const CpuCall& call, Device& device, const CpuEnvironment& environment) {
  OperatorLibraries none;
  auto& libraries = environment.libraries != nullptr ? *environment.libraries : none;
  TW_ASSIGN_OR_RETURN(library, libraries.find(call.name));
  auto failed = [&](std::string why) {
    return Error(errors::bmr_cpu_failed).argument("operator", call.name).detail(std::move(why));
  };
  try {
    OperatorLibrary::Instance op = library->create();
    if (op == nullptr) return failed("create_cpu_op returned NULL");
    return drive(*op, *library, call.params, device, environment);
  } catch (const std::exception& error) {
    return failed(error.what());
  } catch (...) {
    return failed("it threw something that is no std::exception");
  }
}

}  // namespace tputwin::rt
