// Libraries of users' operators, <tputwin/host_operator.h>, which the user names.
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
  // Opens a library that is part of a file.
  static Result<std::shared_ptr<const HostLibrary>> open(std::span<const uint8_t> bytes,
                                                         const std::string& name);
  ~HostLibrary();
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  const std::string& name() const { return name_; }
  // Returns the operator's name, empty if the library lacks it.
  std::string operator_name(int32_t op_type) const;
  // Returns the operator in terms of ours, empty if the library does not describe it.
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

// Opens the libraries of `paths`, which has the form of TPUTWIN_CPUOPS. Empty: opens those that the
// variable names.
Result<HostLibraries> open_host_libraries(const bmodel::bm168x::File& file, std::string_view paths);

// Returns the operator that a CPU subnet computes. An operator that no library has is an error with
// its number.
Result<host::Operator> host_operator(const bmodel::bm168x::File& file,
                                     const bmodel::bm168x::SubNetT& subnet,
                                     const HostLibraries& libraries);

}  // namespace tputwin::bmrt
