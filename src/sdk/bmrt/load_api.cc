// Loads of bmodels: from a file or from memory, into memory of the runtime or of the caller.
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/errors/bmrt.h"
#include "sdk/bmrt/api.h"

namespace tputwin::bmrt {
namespace {

using File = Result<std::shared_ptr<const MappedFile>>;

File file_at(const char* path) {
  TW_RETURN_IF_ERROR(check_pointer(path, "bmodel_path"));
  return MappedFile::open(path);
}

// Returns a copy, which stays valid when the caller frees the data.
File file_of(const void* data, size_t size) {
  TW_RETURN_IF_ERROR(check_pointer(data, "bmodel_data"));
  const auto* bytes = static_cast<const uint8_t*>(data);
  return std::make_shared<const MappedFile>(std::vector<uint8_t>(bytes, bytes + size));
}

// Errors of a file with a path name the path.
Status naming(Status status, std::string_view call, const char* path) {
  if (!status.ok()) status.error().set_call_if_empty(fmt::format("{}: {}", call, path));
  return status;
}

Result<bm_device_mem_u64_t> device_memory(const memory_t& memory, std::string_view name) {
  constexpr int kDevice = 0;
  if (memory.size == 0 || memory.type == kDevice)
    return bm_mem_from_device_u64(static_cast<uint64_t>(memory.addr), memory.size);
  return Error(errors::brt_load_memory)
      .argument(fmt::format("mem_info->{}.type", name), fmt::format("{}", memory.type));
}

Status load(std::string_view call, Runtime& runtime, File file, const mem_info_t* mem_info) {
  if (!file.ok()) return file.status();
  TW_RETURN_IF_ERROR(check_pointer(mem_info, "mem_info"));
  TW_ASSIGN_OR_RETURN(neurons, device_memory(mem_info->neuron_mem, "neuron_mem"));
  TW_ASSIGN_OR_RETURN(coefficients, device_memory(mem_info->coeff_mem, "coeff_mem"));
  TW_ASSIGN_OR_RETURN(io, device_memory(mem_info->io_mem, "io_mem"));
  const LoadMemory memory{.neurons = neurons, .coefficients = coefficients, .io = io};
  return runtime.load(call, std::move(file.value()), &memory);
}

Status describe(File file, mem_info_t* mem_info) {
  if (!file.ok()) return file.status();
  TW_RETURN_IF_ERROR(check_pointer(mem_info, "mem_info"));
  TW_ASSIGN_OR_RETURN(model, read_model(**file));
  const LoadSizes sizes = load_sizes(model, **file);
  *mem_info = {};
  const auto describe = [](memory_t& memory, uint64_t bytes) {
    memory.size = bytes;
    memory.number = bytes != 0 ? 1 : 0;
  };
  describe(mem_info->neuron_mem, sizes.neurons);
  describe(mem_info->coeff_mem, sizes.coefficients);
  describe(mem_info->io_mem, sizes.io);
  return {};
}

Status load_decrypted(std::string_view call, Runtime& runtime, const char* path, decrypt_func f) {
  TW_ASSIGN_OR_RETURN(file, file_at(path));
  if (f == nullptr) return Error(errors::brt_null).argument("f", "NULL");
  if (!bmodel::bm168x::has_frame(file->bytes()))
    return Error(errors::brt_encrypted)
        .argument("bmodel_path", path)
        .detail("the file does not begin as a bmodel");
  return naming(runtime.load(call, std::move(file)), call, path);
}

// The library stays loaded while its function may be called.
class DecryptLibrary {
 public:
  explicit DecryptLibrary(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  ~DecryptLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  DecryptLibrary(const DecryptLibrary&) = delete;
  Result<decrypt_func> function(const char* path) const {
    void* symbol = handle_ != nullptr ? dlsym(handle_, "decrypt") : nullptr;
    if (symbol != nullptr) return reinterpret_cast<decrypt_func>(symbol);
    const char* why = dlerror();
    return Error(errors::brt_decrypt_library)
        .argument("decrypt_lib", path)
        .detail(why != nullptr ? why : "");
  }

 private:
  void* handle_;
};

}  // namespace
}  // namespace tputwin::bmrt

using namespace tputwin;
using namespace tputwin::bmrt;

bool bmrt_load_bmodel(void* p_bmrt, const char* bmodel_path) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    TW_ASSIGN_OR_RETURN(file, file_at(bmodel_path));
    return naming(runtime.load(call, std::move(file)), call, bmodel_path);
  });
}

bool bmrt_load_bmodel_data(void* p_bmrt, const void* bmodel_data, size_t size) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    TW_ASSIGN_OR_RETURN(file, file_of(bmodel_data, size));
    return runtime.load(call, std::move(file));
  });
}

bool bmrt_load_bmodel_with_mem(void* p_bmrt, const char* bmodel_path, mem_info_t* mem_info) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    return naming(load(call, runtime, file_at(bmodel_path), mem_info), call,
                  bmodel_path != nullptr ? bmodel_path : "NULL");
  });
}

bool bmrt_load_bmodel_data_with_mem(void* p_bmrt, const void* bmodel_data, size_t size,
                                    mem_info_t* mem_info) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    return load(call, runtime, file_of(bmodel_data, size), mem_info);
  });
}

bool bmrt_get_bmodel_info(const char* bmodel_path, mem_info_t* mem_info) {
  return succeeds(__func__, [&, call = __func__]() -> Status {
    return naming(describe(file_at(bmodel_path), mem_info), call,
                  bmodel_path != nullptr ? bmodel_path : "NULL");
  });
}

bool bmrt_get_bmodel_data_info(const void* bmodel_data, size_t size, mem_info_t* mem_info) {
  return succeeds(__func__,
                  [&]() -> Status { return describe(file_of(bmodel_data, size), mem_info); });
}

bool bmrt_load_bmodel_with_decrypt(void* p_bmrt, const char* bmodel_path, decrypt_func f) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    return load_decrypted(call, runtime, bmodel_path, f);
  });
}

bool bmrt_load_bmodel_with_decrypt_lib(void* p_bmrt, const char* bmodel_path,
                                       const char* decrypt_lib) {
  return on_runtime(__func__, p_bmrt, [&, call = __func__](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(decrypt_lib, "decrypt_lib"));
    const DecryptLibrary library(decrypt_lib);
    TW_ASSIGN_OR_RETURN(f, library.function(decrypt_lib));
    return load_decrypted(call, runtime, bmodel_path, f);
  });
}
