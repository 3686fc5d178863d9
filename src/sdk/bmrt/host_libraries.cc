// Lookup of the operator of a CPU subnet: the simulator's own by its text, others in the libraries
// that the user named.
#include "sdk/bmrt/host_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors/bmrt.h"
#include "base/errors/machine.h"
#include "base/variables.h"
#include "bmodel/bm168x/subnets.h"
#include "bmodel/file_kind.h"
#include "host/operator.h"
#include "machine/stop.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

constexpr int32_t kFloat = 0, kInt32 = 6;  // as in tputwin_host_array_t
constexpr size_t kMostText = 4096;

Error library_error(const std::string& name, std::string why) {
  return Error(errors::brt_host_library).argument("TPUTWIN_CPUOPS", name).detail(std::move(why));
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "it cannot be loaded";
}

template <class Array>
void* data_of(Array& array) {
  return std::visit(
      [](auto& list) { return const_cast<void*>(static_cast<const void*>(list.data())); },
      array.values);
}

template <class Array>
tputwin_host_array_t c_array(Array& array) {
  tputwin_host_array_t result{};
  result.type = array.type() == host::Type::f32 ? kFloat : kInt32;
  result.num_dims = static_cast<int32_t>(array.shape.size());
  for (size_t i = 0; i < array.shape.size(); ++i)
    result.dims[i] = static_cast<int32_t>(array.shape[i]);
  result.data = data_of(array);
  result.capacity = array.size();
  return result;
}

// A call of an operator of a library, with all data that its C structure points at.
struct UserOperator {
  std::shared_ptr<const HostLibrary> library;
  int32_t op_type;
  std::span<const uint8_t> parameters;  // part of the file, which outlives the stage
  std::vector<tputwin_host_constant_t> constants;
  std::vector<host::Shape> compiled;  // of the outputs

  Status operator()(host::Call& call) const;
  Status take_shape(host::Call& call, size_t i, const tputwin_host_array_t& written) const;
};

Status UserOperator::take_shape(host::Call& call, size_t i,
                                const tputwin_host_array_t& written) const {
  host::Array& array = call.out(i);
  const auto refuse = [&](std::string why) {
    return Error(errors::brt_host_failed)
        .in(call.name())
        .argument(fmt::format("outputs[{}]", i), std::move(why));
  };
  if (written.data != data_of(array) || written.num_dims < 0 ||
      written.num_dims > static_cast<int32_t>(host::kMaxRank))
    return refuse(fmt::format("{} axes", written.num_dims));
  const host::Shape shape(written.dims, written.dims + written.num_dims);
  if (!host::fits(shape, static_cast<int64_t>(array.size())))
    return refuse(fmt::format("{} of {} elements", host::describe(shape), array.size()));
  array.shape = shape;
  std::visit([&](auto& list) { list.resize(static_cast<size_t>(host::count(shape))); },
             array.values);
  return {};
}

Status UserOperator::operator()(host::Call& call) const {
  std::vector<tputwin_host_array_t> in, out;
  for (size_t i = 0; i < call.inputs(); ++i) in.push_back(c_array(call.in(i)));
  for (size_t i = 0; i < call.outputs(); ++i) {
    call.out(i).shape = compiled[i];
    std::visit([&](auto& list) { list.assign(static_cast<size_t>(host::count(compiled[i])), {}); },
               call.out(i).values);
    out.push_back(c_array(call.out(i)));
  }
  tputwin_host_call_t c{};
  c.op_type = op_type;
  c.param = parameters.data();
  c.param_bytes = parameters.size();
  c.num_constants = static_cast<int32_t>(constants.size());
  c.constants = constants.data();
  c.num_inputs = static_cast<int32_t>(in.size());
  c.inputs = in.data();
  c.num_outputs = static_cast<int32_t>(out.size());
  c.outputs = out.data();
  int32_t code = 0;
  {
    const ScopedForeignCode scope;
    code = library->run(c);
  }
  if (is_stop_wanted()) return Error(errors::mch_stopped);
  if (code != 0) {
    c.message[sizeof c.message - 1] = 0;
    return Error(errors::brt_host_failed)
        .in(call.name())
        .argument("returned", fmt::format("{}", code))
        .detail(c.message);
  }
  for (size_t i = 0; i < out.size(); ++i) TW_RETURN_IF_ERROR(take_shape(call, i, out[i]));
  return {};
}

// Returns the compiled shape of a tensor of CPU subnets; the graph has checked it.
host::Shape compiled_shape(const TensorT& tensor) {
  return {shape(tensor).begin(), shape(tensor).end()};
}

host::Operator user_operator(const File& file, const SubNetT& subnet,
                             const std::shared_ptr<const HostLibrary>& library) {
  const CpuParamT& param = *subnet.cpu_param.front();
  UserOperator op{
      .library = library, .op_type = param.op_type, .parameters = file.bytes(param.binary_param)};
  for (const auto& constant : param.cpu_const) {
    const auto bytes = file.bytes(constant->const_data);
    op.constants.push_back({constant->name.c_str(), bytes.data(), bytes.size()});
  }
  for (const auto& tensor : subnet.output_tensor) op.compiled.push_back(compiled_shape(*tensor));
  std::string text =
      fmt::format("{} of {}", library->operator_name(param.op_type), library->name());
  return {std::move(text), std::move(op)};
}

}  // namespace

HostLibrary::~HostLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

Status HostLibrary::bind() {
  const auto find = [&](const char* symbol) { return dlsym(handle_, symbol); };
  const auto version = reinterpret_cast<decltype(&tputwin_host_operators_version)>(
      find("tputwin_host_operators_version"));
  name_of_ = reinterpret_cast<decltype(name_of_)>(find("tputwin_host_operator_name"));
  run_ = reinterpret_cast<decltype(run_)>(find("tputwin_host_operator_run"));
  text_of_ = reinterpret_cast<decltype(text_of_)>(find("tputwin_host_operator_text"));
  if (version == nullptr || name_of_ == nullptr || run_ == nullptr)
    return library_error(name_, "it lacks functions of <tputwin/host_operator.h>");
  if (version() != TPUTWIN_HOST_OPERATORS_VERSION)
    return library_error(
        name_, fmt::format("it has version {} of <tputwin/host_operator.h>, not {}", version(),
                           TPUTWIN_HOST_OPERATORS_VERSION));
  return {};
}

Result<std::shared_ptr<const HostLibrary>> HostLibrary::open(const std::string& path) {
  return open(path, path);
}

Result<std::shared_ptr<const HostLibrary>> HostLibrary::open(const std::string& path,
                                                             std::string name) {
  std::shared_ptr<HostLibrary> library(new HostLibrary);
  library->name_ = std::move(name);
  library->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr) {
    const std::string kind = bmodel::file_kind_of(path, bmodel::Expected::shared_object);
    return library_error(library->name_, kind.empty() ? last_loader_error() : kind);
  }
  TW_RETURN_IF_ERROR(library->bind());
  return std::shared_ptr<const HostLibrary>(std::move(library));
}

Result<std::shared_ptr<const HostLibrary>> HostLibrary::open(std::span<const uint8_t> bytes,
                                                             const std::string& name) {
  const int file = memfd_create("host_operators", MFD_CLOEXEC);
  if (file < 0) return library_error(name, "no memory for it");
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t more = ::write(file, bytes.data() + done, bytes.size() - done);
    if (more <= 0) break;
    done += static_cast<size_t>(more);
  }
  auto library = done == bytes.size()
                     ? open(fmt::format("/proc/self/fd/{}", file), name)
                     : Result<std::shared_ptr<const HostLibrary>>(library_error(name, "no memory"));
  close(file);
  return library;
}

std::string HostLibrary::operator_name(int32_t op_type) const {
  const char* name = name_of_(op_type);
  return name != nullptr ? name : "";
}

std::string HostLibrary::operator_text(int32_t op_type, std::span<const uint8_t> parameters) const {
  char text[kMostText] = "";
  if (text_of_ == nullptr ||
      text_of_(op_type, parameters.data(), parameters.size(), text, sizeof text - 1) != 0)
    return "";
  return text;
}

Result<HostLibraries> open_host_libraries(const File& file, std::string_view paths) {
  HostLibraries libraries;
  std::string_view rest = paths.empty() ? value_of(EnvVariable::cpuops) : paths;
  while (!rest.empty()) {
    const std::string path(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    if (path.empty()) continue;
    const auto& module = file.model.cpuop_module;
    if (path == "file" && module == nullptr) return library_error(path, "the file has no library");
    auto library = path == "file" ? HostLibrary::open(file.bytes(module->binary), module->file_name)
                                  : HostLibrary::open(path);
    if (!library.ok()) return library.error();
    libraries.push_back(std::move(library.value()));
  }
  return libraries;
}

Result<host::Operator> host_operator(const File& file, const SubNetT& subnet,
                                     const HostLibraries& libraries) {
  const CpuParamT& param = *subnet.cpu_param.front();
  const auto bytes = file.bytes(param.binary_param);
  const size_t inputs = subnet.input_tensor.size(), outputs = subnet.output_tensor.size();
  if (const std::string text = own_operator_text(param.op_type, bytes); !text.empty()) {
    if (param.cpu_const.empty()) return host::make_operator(text, inputs, outputs);
    return Error(errors::brt_host_parameter)
        .argument("cpu_const", fmt::format("{} of them", param.cpu_const.size()))
        .detail("operators of tputwin take their constants as input tensors");
  }
  for (const auto& library : libraries) {
    if (const std::string text = library->operator_text(param.op_type, bytes); !text.empty())
      return host::make_operator(text, inputs, outputs);
    if (!library->operator_name(param.op_type).empty()) return user_operator(file, subnet, library);
  }
  return Error(errors::brt_host_operator)
      .argument(fmt::format("op_type of subnet {}", subnet.id), fmt::format("{}", param.op_type))
      .detail(param.op_type < kFirstUserNumber
                  ? "the vendor's numbers below 10000 are not documented"
                  : "numbers from 10000 on are of libraries of the user");
}

}  // namespace tputwin::bmrt
