// CPU operators: plugin libraries in a bmodel or in the plugin directory that run on device memory.
#pragma once

#include <bmnet/targets/cpu/cpu_layer.hpp>

#include <libbmruntime/bmruntime.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "bmodel/bmodel.h"
#include "machine/device.h"

namespace tputwin::rt {

// A loaded plugin.
class OperatorLibrary {
 public:
  static Result<std::shared_ptr<OperatorLibrary>> open_file(const std::string& path);
  // Loads the bytes of a shared object.
  static Result<std::shared_ptr<OperatorLibrary>> open_bytes(const std::string& name,
                                                             std::span<const uint8_t> bytes);
  ~OperatorLibrary();
  OperatorLibrary(const OperatorLibrary&) = delete;
  OperatorLibrary& operator=(const OperatorLibrary&) = delete;

  uint32_t version() const { return version_; }
  // Returns true if the plugin declares it (bmnet/plugins). All others may write wherever their
  // pointers reach.
  bool writes_outputs_only() const { return writes_outputs_only_; }
  using Instance = std::unique_ptr<bmnet::CpuLayer, void (*)(bmnet::CpuLayer*)>;
  Instance create() const { return {create_(), destroy_}; }

 private:
  OperatorLibrary(void* library, int file) : library_(library), file_(file) {}
  static Result<std::shared_ptr<OperatorLibrary>> open(const std::string& path, int file,
                                                       const std::string& origin);
  void* library_;
  int file_;  // memory file of the library, or -1
  uint32_t version_ = 0;
  bool writes_outputs_only_ = false;
  bmnet::CpuLayer* (*create_)() = nullptr;
  void (*destroy_)(bmnet::CpuLayer*) = nullptr;
};

// Plugins by operator name, loaded at first use and kept until the end.
class OperatorLibraries {
 public:
  explicit OperatorLibraries(std::vector<bmodel::Library> carried = {})
      : carried_(std::move(carried)) {}
  // Loads the library of the model if native_plugins_allowed(). Otherwise searches the directories
  // of TPUTWIN_PLUGIN_PATH (separated by ':') and that of the shipped plugins, for
  // <dir>/x86_64/<name>.so (<dir>/armv8/<name>.so on ARM hosts) or <dir>/<name>.so. A warning is
  // given if such a file replaces a model's library that may not be loaded or needs libraries this
  // system lacks.
  Result<std::shared_ptr<OperatorLibrary>> find(const std::string& name);

 private:
  Result<std::shared_ptr<OperatorLibrary>> load(const std::string& name) const;
  std::vector<bmodel::Library> carried_;
  std::map<std::string, std::shared_ptr<OperatorLibrary>> loaded_;
};

// The memory that offsets of CPU operators refer to. Without a network these are offsets of global
// memory.
struct CpuEnvironment {
  bmctx_t context = nullptr;
  uint64_t neuron_address = 0, neuron_bytes = UINT64_MAX;  // UINT64_MAX: up to the end
  uint64_t weight_address = 0, weight_bytes = UINT64_MAX;
  OperatorLibraries* libraries = nullptr;
};

// Runs one operator to its end.
Status run_cpu_operator(const CpuCall& call, Device& device, const CpuEnvironment& environment);

}  // namespace tputwin::rt
