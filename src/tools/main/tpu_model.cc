// tpu_model: prints, splits and combines bmodels of the BM1684 and BM1684X.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/log.h"
#include "bmodel/bm168x/parts.h"
#include "bmodel/open.h"
#include "tools/bm168x/info168x.h"
#include "tools/command_line.h"
#include "tools/exit_code.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;
namespace fs = std::filesystem;
namespace b168x = bmodel::bm168x;

Result<bmodel::OpenFile> open(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(path));
  if (file.bm168x() == nullptr) return Error(errors::cli_bm168x).argument("file", path);
  return file;
}

// Returns the names and addresses of weights of every stage.
std::string weights_text(const b168x::File& file) {
  std::string text;
  for (const auto& net : file.model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      const auto& memory = net->parameter[i]->coeff_mem;
      if (memory == nullptr) continue;
      text += fmt::format("net {} stage {}: at {:#x}, {} bytes\n", net->name, i, memory->address,
                          file.bytes(memory->binary_coeff).size());
      for (const auto& one : memory->location)
        text += fmt::format("  {} at {:#x}, {} bytes\n", one->name, one->offset, one->size);
    }
  return text;
}

// Keeps only letters, digits and -_. so that a model cannot choose where it is written.
std::string file_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return !name.empty() && name[0] == '.' ? "_" + name : name;
}

Status extract(const b168x::File& file) {
  for (size_t n = 0; n < file.model.net.size(); ++n)
    for (size_t s = 0; s < file.model.net[n]->parameter.size(); ++s) {
      const b168x::OwnFile part = stage_alone(file, n, s);
      const std::string name =
          file_name(fmt::format("{}_stage{}.bmodel", file.model.net[n]->name, s));
      const auto bytes = b168x::write(part.model, part.binary);
      TW_RETURN_IF_ERROR(write_bytes(name, bytes));
      fmt::print("{} ({} bytes)\n", name, bytes.size());
    }
  return {};
}

Status combine(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<bmodel::OpenFile> files;
  std::vector<const b168x::File*> models;
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(file, open(path));
    files.push_back(std::move(file));
  }
  for (const auto& file : files) models.push_back(file.bm168x());
  TW_ASSIGN_OR_RETURN(combined, b168x::combine(models));
  return write_bytes(output, b168x::write(combined.model, combined.binary));
}

// Combines the models of context directories, and concatenates their .dat files: a file holds the
// tensors of all nets in their order.
Status combine_directories(const std::vector<std::string>& directories, const std::string& output) {
  std::vector<std::string> models;
  for (const std::string& directory : directories)
    models.push_back(directory + "/compilation.bmodel");
  std::error_code ignored;
  fs::create_directories(output, ignored);
  TW_RETURN_IF_ERROR(combine(models, output + "/compilation.bmodel"));
  for (const char* name : {"/input_ref_data.dat", "/output_ref_data.dat"}) {
    std::vector<uint8_t> all;
    for (const std::string& directory : directories) {
      TW_ASSIGN_OR_RETURN(bytes, read_bytes(directory + name));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    TW_RETURN_IF_ERROR(write_bytes(output + name, all));
  }
  return {};
}

// --dump FILE START BYTES OUT writes a part of the binary part. Numbers may be hexadecimal.
Status dump(const std::vector<std::string>& arguments) {
  TW_ASSIGN_OR_RETURN(file, open(arguments[0]));
  uint64_t numbers[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    std::string_view text = arguments[i + 1];
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    const char* end = text.data() + text.size();
    auto [rest, failed] = std::from_chars(text.data(), end, numbers[i], hexadecimal ? 16 : 10);
    if (failed != std::errc() || rest != end)
      return Error(errors::cli_usage).in("tpu_model").argument("--dump", arguments[i + 1]);
  }
  const auto binary = file.bm168x()->binary;
  if (numbers[0] > binary.size() || numbers[1] > binary.size() - numbers[0])
    return Error(errors::cli_usage)
        .in("tpu_model")
        .argument("--dump", arguments[1] + " " + arguments[2])
        .detail(fmt::format("the binary part has {} bytes", binary.size()));
  return write_bytes(arguments[3], binary.subspan(numbers[0], numbers[1]));
}

Status dump_kernel(const std::string& path, const std::string& output) {
  TW_ASSIGN_OR_RETURN(file, open(path));
  const auto& module = file.bm168x()->model.kernel_module;
  if (module == nullptr)
    return Error(errors::cli_usage)
        .in("tpu_model")
        .argument("--kernel_dump", path)
        .detail("the file has no kernel module");
  return write_bytes(output, file.bm168x()->bytes(module->binary));
}

// Opens the file and prints the result of `text`.
template <class Text>
Status show(const std::string& path, Text text) {
  TW_ASSIGN_OR_RETURN(file, open(path));
  std::fputs(text(file).c_str(), stdout);
  return {};
}

struct Arguments {
  std::string info, print, weight, extracted, kernel, output;
  std::vector<std::string> combined, directories, dumped;
};

Status run(const Arguments& a) {
  if (!a.info.empty()) return show(a.info, [](const auto& f) { return info_text(*f.bm168x()); });
  if (!a.print.empty())
    return show(a.print, [](const auto& f) { return b168x::message_text(f.file->bytes()) + "\n"; });
  if (!a.weight.empty())
    return show(a.weight, [](const auto& f) { return weights_text(*f.bm168x()); });
  if (!a.dumped.empty()) return dump(a.dumped);
  if (!a.kernel.empty()) return dump_kernel(a.kernel, a.output);
  if (!a.combined.empty()) return combine(a.combined, a.output);
  if (!a.directories.empty()) return combine_directories(a.directories, a.output);
  TW_ASSIGN_OR_RETURN(file, open(a.extracted));
  return extract(*file.bm168x());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Shows, splits and merges bmodels of the BM1684 and BM1684X", "tpu_model");
  app.set_version_flag("--version", "tpu_model of tputwin " TPUTWIN_VERSION);
  app.footer(
      fmt::format("Examples:\n  tpu_model --info net.bmodel\n"
                  "  tpu_model --combine a.bmodel b.bmodel -o both.bmodel\n\n{}",
                  kExitCodes));
  Arguments a;
  auto* what = app.add_option_group("action");
  what->add_option("--info", a.info, "nets, stages, tensors, memory, commands");
  what->add_option("--print", a.print, "every field, as JSON");
  what->add_option("--weight", a.weight, "the weights of every stage");
  what->add_option("--extract", a.extracted, "write a file for each net and stage here");
  what->add_option("--dump", a.dumped, "FILE START BYTES OUT: a part of the binary part")
      ->expected(4);
  auto* kernel = what->add_option("--kernel_dump", a.kernel, "write the kernel module to OUTPUT");
  auto* merge = what->add_option("--combine", a.combined, "merge files into OUTPUT");
  auto* merge_dirs = what->add_option("--combine_dir", a.directories,
                                      "merge context directories into directory OUTPUT");
  what->require_option(1);
  app.add_option("-o,--output", a.output, "file or directory to write");
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  if ((*kernel || *merge || *merge_dirs) && a.output.empty())
    return bad_usage(app, "--output is required", kUsage);
  const Status status = run(a);
  return status.ok() ? kOk : fail("tpu_model", status.error());
}
