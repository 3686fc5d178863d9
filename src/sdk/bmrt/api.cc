// Runtimes by number.
#include "sdk/bmrt/api.h"

#include <fmt/format.h>

#include "base/errors/bmrt.h"
#include "chip/family.h"
#include "sdk/common/registry.h"

namespace tputwin::bmrt {
namespace {

// Never destroyed: programs may destroy runtimes in their own static destructors.
sdk::Registry<void*, Runtime>& runtimes() {
  static auto& instance = *new sdk::Registry<void*, Runtime>(9);
  return instance;
}

// Programs with this API get BM1684X devices.
[[maybe_unused]] const bool chosen = [] {
  bmlib::use_chip(first_of(ChipFamily::bm1684x));
  return true;
}();

Error unknown(void* p_bmrt) {
  return Error(errors::brt_runtime)
      .argument("p_bmrt", fmt::format("{}", static_cast<const void*>(p_bmrt)));
}

}  // namespace

void* add_runtime(std::shared_ptr<Runtime> runtime) { return runtimes().add(std::move(runtime)); }

Result<std::shared_ptr<Runtime>> find_runtime(void* p_bmrt) {
  if (auto found = runtimes().find(p_bmrt)) return found;
  return unknown(p_bmrt);
}

Result<std::shared_ptr<Runtime>> remove_runtime(void* p_bmrt) {
  if (auto found = runtimes().remove(p_bmrt)) return found;
  return unknown(p_bmrt);
}

Status check_pointer(const void* pointer, std::string_view argument) {
  if (pointer != nullptr) return {};
  return Error(errors::brt_null).argument(argument, "NULL");
}

Status check_type(bm_data_type_t dtype) {
  if (0 <= static_cast<int>(dtype) && static_cast<uint32_t>(dtype) < bmodel::bm168x::kElementTypes)
    return {};
  return Error(errors::brt_data_type).argument("dtype", fmt::format("{}", static_cast<int>(dtype)));
}

}  // namespace tputwin::bmrt
