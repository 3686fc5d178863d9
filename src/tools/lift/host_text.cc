// Text of the host program: memory, weights from the model, inputs and outputs as files.
#include <fmt/format.h>

#include "tools/lift/dialect.h"
#include "tools/lift/kernel_text.h"

namespace tputwin::lift {

using namespace bmodel::bm168x;

namespace {

// The part that does not depend on the net.
constexpr std::string_view kHelpers = R"(
static void fail(const char* what, const char* name) {
  fprintf(stderr, "%s %s\n", what, name);
  exit(1);
}

static void check(bm_status_t status, const char* what) {
  if (status != BM_SUCCESS) fail("failed:", what);
}

static void* read_bytes(const char* path, long from, size_t bytes) {
  void* data = malloc(bytes);
  FILE* file = fopen(path, "rb");
  if (file == NULL || data == NULL || fseek(file, from, SEEK_SET) != 0 ||
      fread(data, 1, bytes, file) != bytes)
    fail("too short, or cannot be read:", path);
  fclose(file);
  return data;
}

static void fill(bm_handle_t handle, bm_device_mem_t memory, unsigned offset, const char* path,
                 long from, unsigned bytes) {
  void* data = read_bytes(path, from, bytes);
  check(bm_memcpy_s2d_partial_offset(handle, memory, data, bytes, offset), path);
  free(data);
}

static void save(bm_handle_t handle, bm_device_mem_t memory, unsigned offset, const char* path,
                 unsigned bytes) {
  void* data = malloc(bytes);
  FILE* file = fopen(path, "wb");
  if (file == NULL || data == NULL) fail("cannot be written:", path);
  check(bm_memcpy_d2s_partial_offset(handle, data, memory, bytes, offset), path);
  if (fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) fail("cannot be written:", path);
  free(data);
}

static unsigned long long allocate(bm_handle_t handle, bm_device_mem_t* memory, unsigned bytes) {
  check(bm_malloc_device_byte(handle, memory, bytes), "bm_malloc_device_byte");
  return bm_mem_get_device_addr(*memory);
}

)";

const Region* region_of(const Stage& stage, const Tensor& tensor) {
  for (const Region& region : stage.regions)
    if (tensor.compiled >= region.compiled && tensor.compiled - region.compiled < region.bytes)
      return &region;
  return nullptr;
}

std::string usage(const Stage& stage) {
  std::string text = "MODEL";
  for (const Tensor& tensor : stage.inputs) text += fmt::format(" {}.bin", tensor.name);
  for (const Tensor& tensor : stage.outputs) text += fmt::format(" {}.bin", tensor.name);
  return text;
}

// Returns the bytes of a tensor as the device stores it: whole cells of two or four images, and
// padded rows.
uint64_t device_bytes(const bmodel::bm168x::TensorT& tensor) {
  const auto extents = bmodel::bm168x::shape(tensor);
  uint64_t bytes = tensor_bytes(tensor);
  if (tensor.pad_h != 0 && extents.size() == 4)
    bytes += bytes / extents[2] * ((tensor.pad_h >> 16) + (tensor.pad_h & 0xffff));
  const uint64_t cell = uint64_t{1} << tensor.gmem_stmode;
  return extents.empty() ? bytes : bytes / extents[0] * ((extents[0] + cell - 1) / cell * cell);
}

// Returns " stored as 4N", or nothing for consecutive images.
std::string storage_note(const bmodel::bm168x::TensorT& tensor) {
  if (tensor.gmem_stmode == 0) return "";
  return fmt::format(" stored as {}N", 1 << tensor.gmem_stmode);
}

// Returns the text of a transfer of a tensor by `function` of the helpers, with its arguments after
// the path.
std::string transfer(const Stage& stage, const Tensor& tensor, size_t argument,
                     std::string_view function, std::string_view from) {
  const Region* region = region_of(stage, tensor);
  if (region == nullptr) return fmt::format("  /* {} is in no memory of the net */\n", tensor.name);
  return fmt::format("  {}(handle, {}, {:#x}, argv[{}],{} {}); /* {} \"{}\"{} */\n", function,
                     region->field, tensor.compiled - region->compiled, argument, from,
                     device_bytes(*tensor.file), tensor.name, tensor.file->name,
                     storage_note(*tensor.file));
}

std::string main_text(const Stage& stage, const Naming& naming, std::string_view launch,
                      uint64_t weights_at) {
  const size_t arguments = 2 + stage.inputs.size() + stage.outputs.size();
  std::string text =
      fmt::format("int main(int argc, char** argv) {{\n  {}_args_t args;\n  bm_handle_t handle;\n",
                  naming.kernel);
  for (const Region& region : stage.regions)
    text += fmt::format("  bm_device_mem_t {};\n", region.field);
  text += fmt::format("  if (argc != {}) fail(\"usage:\", \"{}\");\n", arguments, usage(stage));
  text += "  check(bm_dev_request(&handle, 0), \"bm_dev_request\");\n";
  for (const Region& region : stage.regions)
    text += fmt::format("  args.{0} = allocate(handle, &{0}, {1});\n", region.field, region.bytes);
  for (const Region& region : stage.regions)
    if (region.field == "weights")
      text +=
          fmt::format("  fill(handle, weights, 0, argv[1], {}, {});\n", weights_at, region.bytes);
  size_t argument = 2;
  for (const Tensor& tensor : stage.inputs)
    text += transfer(stage, tensor, argument++, "fill", " 0,");
  text += fmt::format("  check({1}(handle, \"{0}\", &args, sizeof args), \"{0}\");\n",
                      naming.kernel, launch);
  for (const Tensor& tensor : stage.outputs)
    text += transfer(stage, tensor, argument++, "save", "");
  for (const Region& region : stage.regions)
    text += fmt::format("  bm_free_device(handle, {});\n", region.field);
  return text + "  bm_dev_free(handle);\n  return 0;\n}\n";
}

}  // namespace

std::string host_text(const Stage& stage, const Naming& naming, const Chip& chip,
                      uint64_t weights_at) {
  return fmt::format(
             "/* Runs the kernel {}: weights out of the model, tensors out of and into files, "
             "in the order\n * of memory.\n *\n *   main {}\n */\n",
             naming.kernel, usage(stage)) +
         "#include <bmlib_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n" +
         arguments_text(stage, naming) + std::string(kHelpers) +
         main_text(stage, naming, dialect_of(chip).launch, weights_at);
}

}  // namespace tputwin::lift
