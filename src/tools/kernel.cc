// tputwin kernel. bmlib and bmruntime both have a bm_memcpy_s2d and a bm_memcpy_d2s; this file
// calls only forms of bmlib whose names are unique.
#include "tools/kernel.h"

#include <bmlib_runtime.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "base/checked_json.h"
#include "base/errors/bmlib.h"
#include "base/errors/tools.h"
#include "base/file.h"
#include "base/last_error.h"
#include "chip/family.h"
#include "sdk/bmlib/card.h"
#include "sdk/okkernel/kernel_library.h"
#include "sdk/okkernel/registry.h"
#include "tools/bm168x/npy.h"
#include "tools/runtime.h"

namespace tputwin::tools {
namespace {

using Json = CheckedJson;
using Bytes = std::vector<uint8_t>;

Error wrong(std::string_view field, std::string detail) {
  return Error(errors::cli_kernel_parameters)
      .argument("field", std::string(field))
      .detail(std::move(detail));
}

Status expect(bool holds, std::string_view field, std::string_view detail) {
  return holds ? Status() : Status(wrong(field, std::string(detail)));
}

// Returns the error of a failed call of bmlib.
Status status_of(bm_status_t status, std::string_view call) {
  return status == BM_SUCCESS ? Status() : Status(runtime_error(call));
}

// ---- Values ----

template <class T>
void append(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

template <class T>
bool append_number(Bytes& bytes, const Json& value) {
  if (std::is_floating_point_v<T> ? !value.is_number() : !value.is_number_integer()) return false;
  try {
    append(bytes, value.get<T>());
  } catch (const Json::out_of_range&) {
    return false;
  }
  return true;
}

struct Type {
  std::string_view name;
  bool (*append)(Bytes&, const Json&);
};
constexpr Type kTypes[] = {
    {"u8", append_number<uint8_t>},   {"u16", append_number<uint16_t>},
    {"u32", append_number<uint32_t>}, {"u64", append_number<uint64_t>},
    {"i8", append_number<int8_t>},    {"i16", append_number<int16_t>},
    {"i32", append_number<int32_t>},  {"i64", append_number<int64_t>},
    {"f32", append_number<float>},
};

// ---- Buffers ----

struct Buffer {
  std::string name, file, dump;
  bm_device_mem_t memory;
};

// Returns bytes, or fp32 numbers in [-1, 1).
Bytes random_bytes(size_t size, bool floats, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (size_t at = 0; floats && at + 4 <= size; at += 4) {
    const float value = static_cast<float>(static_cast<int32_t>(random()) >> 8) * 0x1p-23f;
    std::memcpy(bytes.data() + at, &value, 4);
  }
  return bytes;
}

// Returns the contents of a buffer before the launch.
Result<Bytes> content(const std::string& name, const Json& spec) {
  std::optional<Bytes> file;
  if (spec.contains("file")) {
    TW_RETURN_IF_ERROR(expect(spec["file"].is_string(), name, "\"file\" is a name"));
    const auto path = spec["file"].get<std::string>();
    TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
    file = std::move(bytes);
    if (path.ends_with(".npy")) {
      auto array = read_npy(std::move(*file));
      if (!array.ok()) return in_call(array.error(), path);
      file = std::move(array->bytes);
    }
  }
  const Json size_field = spec.value("size", Json(file ? file->size() : 0));
  TW_RETURN_IF_ERROR(expect(size_field.is_number_unsigned() && size_field > 0u &&
                                size_field <= std::numeric_limits<unsigned>::max(),
                            name, "\"size\" is a number of bytes above 0 and below 4 GiB"));
  const auto size = size_field.get<size_t>();
  if (file) {
    TW_RETURN_IF_ERROR(expect(file->size() <= size, name, "the file is longer than \"size\""));
    file->resize(size);
    return std::move(*file);
  }
  const Json fill = spec.value("fill", Json("zero")), seed = spec.value("seed", Json(1u));
  TW_RETURN_IF_ERROR(expect(seed.is_number_unsigned(), name, "\"seed\" is a number"));
  if (fill == "zero") return Bytes(size);
  const bool floats = fill == "random_f32";
  TW_RETURN_IF_ERROR(expect(floats || fill == "random", name,
                            "\"fill\" is \"zero\", \"random\" or \"random_f32\""));
  return random_bytes(size, floats, seed.get<uint64_t>());
}

// ---- Run ----

class Run {
 public:
  ~Run() {
    if (handle_ != nullptr) bm_dev_free(handle_);
  }
  Status open() { return status_of(bm_dev_request(&handle_, 0), "bm_dev_request"); }

  // Adds a field of the argument struct.
  Status add(const Json& field) {
    TW_RETURN_IF_ERROR(expect(field.is_object(), "any", "every field is an object"));
    const Json name_field = field.value("name", Json(""));
    TW_RETURN_IF_ERROR(expect(name_field.is_string(), "any", "a \"name\" is text"));
    const auto name = name_field.get<std::string>();
    if (field.contains("buffer")) return add_buffer(name, field["buffer"]);
    if (field.contains("address_of")) return add_address(name, field);
    const Json type_field = field.value("type", Json());
    auto type = std::ranges::find_if(kTypes, [&](const Type& t) { return type_field == t.name; });
    TW_RETURN_IF_ERROR(expect(type != std::end(kTypes), name,
                              "\"type\" is u8, u16, u32, u64, i8, i16, i32, i64 or f32, unless "
                              "there is a \"buffer\" or an \"address_of\""));
    return expect(type->append(arguments_, field.value("value", Json())), name,
                  fmt::format("\"value\" is a number of type {}", type->name));
  }

  Status launch(const std::string& kernel) {
    const auto start = std::chrono::steady_clock::now();
    TW_RETURN_IF_ERROR(status_of(okkernel_launch_sync(handle_, kernel.c_str(), arguments_.data(),
                                                      static_cast<unsigned>(arguments_.size())),
                                 "okkernel_launch_sync"));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {};
  }

  Status write_dumps() {
    for (const Buffer& buffer : buffers_) {
      if (buffer.dump.empty()) continue;
      Bytes bytes(buffer.memory.size);
      TW_RETURN_IF_ERROR(
          status_of(bm_memcpy_d2s_partial(handle_, bytes.data(), buffer.memory, buffer.memory.size),
                    "bm_memcpy_d2s_partial"));
      TW_RETURN_IF_ERROR(write_bytes(buffer.dump, bytes));
    }
    return {};
  }

  Json json(const std::string& kernel) const {
    Json all{{"kernel", kernel}, {"argument_bytes", arguments_.size()}, {"seconds", seconds_}};
    all["buffers"] = Json::array();
    for (const Buffer& buffer : buffers_)
      all["buffers"].push_back({{"name", buffer.name},
                                {"address", bm_mem_get_device_addr(buffer.memory)},
                                {"bytes", buffer.memory.size},
                                {"file", buffer.file},
                                {"dump", buffer.dump}});
    all["warnings"] = Json::array();
    for (const WarningCount& warning : thread_diagnostics().warnings())
      all["warnings"].push_back({{"count", warning.count}, {"message", warning.sample.message()}});
    return all;
  }

  std::string text(const std::string& kernel) const {
    std::string text =
        fmt::format("kernel  {}, {} bytes of arguments\n", kernel, arguments_.size());
    for (const Buffer& buffer : buffers_) {
      text += fmt::format("buffer  {} at {:#x}, {} bytes", buffer.name,
                          bm_mem_get_device_addr(buffer.memory), buffer.memory.size);
      if (!buffer.file.empty()) text += fmt::format(", from {}", buffer.file);
      if (!buffer.dump.empty()) text += fmt::format(", to {}", buffer.dump);
      text += "\n";
    }
    text += fmt::format("time    {:.3f} ms\n", 1e3 * seconds_);
    for (const WarningCount& warning : thread_diagnostics().warnings())
      text += fmt::format("warning {} x {}\n", warning.count, warning.sample.message());
    return text;
  }

 private:
  Status add_buffer(const std::string& name, const Json& spec) {
    TW_RETURN_IF_ERROR(expect(spec.is_object(), name, "a buffer is an object"));
    const Json dump = spec.value("dump", Json(""));
    TW_RETURN_IF_ERROR(expect(dump.is_string(), name, "\"dump\" is a name"));
    TW_ASSIGN_OR_RETURN(bytes, content(name, spec));
    TW_RETURN_IF_ERROR(expect(!is_array_file(dump.get<std::string>()), name,
                              "\"dump\" is a file of raw bytes, as a buffer has neither shape nor "
                              "type: read them with numpy.fromfile"));
    Buffer buffer{.name = name, .file = spec.value("file", ""), .dump = dump.get<std::string>()};
    const auto size = static_cast<unsigned>(bytes.size());
    TW_RETURN_IF_ERROR(
        status_of(bm_malloc_device_byte(handle_, &buffer.memory, size), "bm_malloc_device_byte"));
    TW_RETURN_IF_ERROR(status_of(bm_memcpy_s2d_partial(handle_, buffer.memory, bytes.data(), size),
                                 "bm_memcpy_s2d_partial"));
    append(arguments_, uint64_t{bm_mem_get_device_addr(buffer.memory)});
    buffers_.push_back(std::move(buffer));
    return {};
  }

  // Adds the address of an earlier buffer again.
  Status add_address(const std::string& name, const Json& field) {
    const Json& target = field["address_of"];
    auto buffer = std::ranges::find_if(buffers_, [&](const Buffer& b) { return target == b.name; });
    const Json offset = field.value("offset", Json(0u));
    TW_RETURN_IF_ERROR(
        expect(buffer != buffers_.end(), name, "\"address_of\" names an earlier buffer"));
    TW_RETURN_IF_ERROR(expect(offset.is_number_unsigned(), name, "\"offset\" is a number"));
    append(arguments_, bm_mem_get_device_addr(buffer->memory) + offset.get<uint64_t>());
    return {};
  }

  bm_handle_t handle_ = nullptr;
  std::vector<Buffer> buffers_;
  Bytes arguments_;
  double seconds_ = 0;
};

}  // namespace

Result<std::vector<std::string>> load_kernels(const std::string& library) {
  thread_diagnostics().clear();
  const std::vector<std::string> before = okk::kernels().names();
  // a plain name is a file here, not a library of the system
  const std::string path = library.find('/') == std::string::npos ? "./" + library : library;
  // a library that is linked with libtpukernel overrides this
  bmlib::use_chip(first_of(ChipFamily::bm1684));
  const okk::KernelLibrary loaded = okk::load_kernel_library(path, RTLD_GLOBAL);
  if (loaded.handle == nullptr)
    return Error(errors::cli_kernel_library).argument("library", library).detail(loaded.reason);
  if (!loaded.undefined.empty())
    TW_RETURN_IF_ERROR(report(Error(errors::bml_library_undefined)
                                  .argument(library, okk::joined(loaded.undefined))
                                  .in("load_kernels")));
  std::vector<std::string> added;
  std::ranges::set_difference(okk::kernels().names(), before, std::back_inserter(added));
  if (added.empty())
    return Error(errors::cli_kernel_library)
        .argument("library", library)
        .detail("it registers no kernel");
  return added;
}

Result<std::string> run_kernel(const std::string& kernel, const std::string& parameters,
                               bool json) {
  const Json fields = Json::parse(parameters, nullptr, /*allow_exceptions=*/false);
  TW_RETURN_IF_ERROR(expect(fields.is_array(), "all", "the file is not a JSON array"));
  Run run;
  TW_RETURN_IF_ERROR(run.open());
  for (const Json& field : fields) TW_RETURN_IF_ERROR(run.add(field));
  TW_RETURN_IF_ERROR(run.launch(kernel));
  TW_RETURN_IF_ERROR(run.write_dumps());
  return json ? run.json(kernel).dump(2) + "\n" : run.text(kernel);
}

}  // namespace tputwin::tools
