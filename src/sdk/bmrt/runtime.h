// Runtime: what bmrt_create returns. The nets of any number of files, on the first of its devices.
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

class Runtime {
 public:
  // All of one chip.
  static Result<std::shared_ptr<Runtime>> create(std::vector<bm_handle_t> handles);
  // Waits for launches: nets must not end while they run.
  ~Runtime();

  bm_handle_t handle(size_t device = 0) const { return handles_[device]; }
  size_t devices() const { return handles_.size(); }
  bmlib::Card& card() const { return *cards_.front(); }

  // Adds the nets of a file; one whose name is there is a warning of `call`.
  Status load(std::string_view call, std::shared_ptr<const MappedFile> file);
  std::vector<std::shared_ptr<Net>> nets() const;
  Result<std::shared_ptr<Net>> find(const char* name) const;

  std::atomic<uint32_t> flags = 0;

 private:
  Runtime() = default;
  Result<std::shared_ptr<Net>> load_net(const std::shared_ptr<const bmodel::bm168x::File>& model,
                                        const std::shared_ptr<const MappedFile>& file,
                                        const bmodel::bm168x::NetT& net);
  Result<std::shared_ptr<const Coefficients>> load_weights(
      const bmodel::bm168x::File& model, const std::shared_ptr<const MappedFile>& file,
      const bmodel::bm168x::NetParameterT& stage);
  Result<std::shared_ptr<Block>> neurons(uint64_t bytes, bool own);

  std::vector<bm_handle_t> handles_;
  std::vector<std::shared_ptr<bmlib::Card>> cards_;

  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<std::shared_ptr<Net>> nets_;
  std::vector<std::shared_ptr<const Coefficients>> weights_;
  std::shared_ptr<Block> neurons_;  // of all nets of one subnet; as large as one of them needed
};

}  // namespace tputwin::bmrt
