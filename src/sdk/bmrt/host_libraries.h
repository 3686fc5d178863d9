// Libraries of users' operators, <tputwin/host_operator.h>, which were asked for by name.
#pragma once

#include <tputwin/host_operator.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "host/operators.h"

namespace tputwin::bmrt {

// An open library; closed with its last owner.
class HostLibrary {
 public:
  static Result<std::shared_ptr<const HostLibrary>> open(const std::string& path);
  // One that is bytes of a file.
  static Result<std::shared_ptr<const HostLibrary>> open(std::span<const uint8_t> bytes,
                                                         const std::string& name);
  ~HostLibrary();
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  const std::string& name() const { return name_; }
  // The operator's name, empty if it is not there.
  std::string operator_name(int32_t op_type) const;
  // The operator in terms of ours, empty if the library does not say it.
  std::string operator_text(int32_t op_type, std::span<const uint8_t> parameters) const;
  int32_t run(tputwin_host_call_t& call) const { return run_(&call); }

 private:
  HostLibrary() = default;
  static Result<std::shared_ptr<const HostLibrary>> open(const std::string& path, std::string name);
  Status bind();

  std::string name_;
  void* handle_ = nullptr;
  decltype(&tputwin_host_operator_name) name_of_ = nullptr;
  decltype(&tputwin_host_operator_run) run_ = nullptr;
  decltype(&tputwin_host_operator_text) text_of_ = nullptr;
};

using HostLibraries = std::vector<std::shared_ptr<const HostLibrary>>;

// Those that TPUTWIN_CPUOPS asks for.
Result<HostLibraries> open_host_libraries(const bmodel::bm168x::File& file);

// What a CPU subnet computes. An operator that nobody has is an error with its number.
Result<host::Operator> host_operator(const bmodel::bm168x::File& file,
                                     const bmodel::bm168x::SubNetT& subnet,
                                     const HostLibraries& libraries);

}  // namespace tputwin::bmrt
