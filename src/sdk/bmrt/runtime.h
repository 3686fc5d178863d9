// Runtime: the object that bmrt_create returns. It holds the nets of any number of files, on the
// first of its devices.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bmodel/open.h"
#include "sdk/bmlib/api.h"
#include "sdk/bmrt/net.h"

namespace tputwin::bmrt {

// Bytes that a load of a file takes in a runtime without nets; multiples of 4096.
struct LoadSizes {
  uint64_t neurons = 0, coefficients = 0, io = 0;
};
LoadSizes load_sizes(const bmodel::bm168x::File& model, const MappedFile& file);
// Returns the model in a file of this container.
Result<bmodel::bm168x::File> read_model(const MappedFile& file);

// Memory of the caller that receives all data of a load.
struct LoadMemory {
  bm_device_mem_u64_t neurons, coefficients, io;
};

class Runtime {
 public:
  // All devices must have one kind of chip.
  static Result<std::shared_ptr<Runtime>> create(std::vector<bm_handle_t> handles);
  // Waits for launches: nets must not end while they run.
  ~Runtime();

  bm_handle_t handle(size_t device = 0) const { return handles_[device]; }
  size_t devices() const { return handles_.size(); }
  bmlib::Card& card() const { return *cards_.front(); }

  // Sets the libraries of operators on the host of nets that are loaded later, in the form of
  // TPUTWIN_CPUOPS. Empty, the default: those that the variable names.
  void use_host_libraries(std::string paths) { host_libraries_ = std::move(paths); }
  // Adds the nets of a file. A name that is loaded already gives a warning of `call`. With `memory`
  // the nets are stored there, and nothing is allocated.
  Status load(std::string_view call, std::shared_ptr<const MappedFile> file,
              const LoadMemory* memory = nullptr);
  // After this call the destructor leaves the device memory of coefficients allocated.
  void keep_coefficients();
  std::vector<std::shared_ptr<Net>> nets() const;
  Result<std::shared_ptr<Net>> find(const char* name) const;

  std::atomic<uint32_t> flags = 0;

 private:
  Runtime() = default;
  // The sources and destinations of a load of one file.
  struct Load {
    std::shared_ptr<const bmodel::bm168x::File> model;
    std::shared_ptr<const MappedFile> file;
    BlockSource neurons, coefficients, io;
    std::shared_ptr<Block> shared_neurons;  // of nets of one subnet
    // Weights that the file's nets may share.
    std::vector<std::shared_ptr<Coefficients>> weights;
  };
  Result<Load> begin_load(std::string_view call, std::shared_ptr<const bmodel::bm168x::File> model,
                          std::shared_ptr<const MappedFile> file, const LoadMemory* memory);
  Result<std::shared_ptr<Net>> load_net(Load& load, const bmodel::bm168x::NetT& net);
  Result<std::shared_ptr<const Coefficients>> load_weights(
      Load& load, const bmodel::bm168x::NetParameterT& stage);

  std::vector<bm_handle_t> handles_;
  std::vector<std::shared_ptr<bmlib::Card>> cards_;
  std::string host_libraries_;

  mutable std::mutex mutex_;  // guards the members below
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<std::shared_ptr<Net>> nets_;
  std::vector<std::shared_ptr<Coefficients>> weights_;  // in memory of the runtime
  // Neurons of all nets of one subnet, as large as the largest of them.
  std::shared_ptr<Block> neurons_;
};

}  // namespace tputwin::bmrt
