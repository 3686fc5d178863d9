// Makes, compiles and runs mutants.
#include "insight/mutants.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <vector>

#include "common/temporary_directory.h"
#include "insight/check_process.h"

namespace tputwin::insight::testing {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_everything() {
  setenv("TPUTWIN_CHECK", "all,hints", 1);
  setenv("TPUTWIN_LOG", "quiet", 1);
}

namespace {

const std::string kRoot = TPUTWIN_SOURCE_DIR, kLibraries = TPUTWIN_BIN_DIR "/../lib";

std::string renamed(const Mutant& mutant, std::string_view function) {
  return std::string(function) + "_" + std::string(mutant.name);
}

// Returns the source of a mutant; its kernels, or main, get the mutant's name.
std::string source_of(const Project& project, const Mutant& mutant) {
  std::string text = text_of(kRoot + "/examples/" + project.folder + "/" +
                             std::string(mutant.file) + project.extension);
  if (const size_t at = text.find(mutant.from); at != std::string::npos)
    text.replace(at, mutant.from.size(), mutant.to);
  else
    ADD_FAILURE() << mutant.name << ": its text is not in the example: " << mutant.from;
  const std::regex registered("KERNEL_FUNC_REGISTER[(](\\w+)[)]");
  std::vector<std::string> kernels;
  for (std::sregex_iterator i(text.begin(), text.end(), registered), end; i != end; ++i)
    kernels.push_back((*i)[1]);
  for (const std::string& kernel : kernels)
    text = std::regex_replace(
        text, std::regex("\\b" + kernel + "([(][^;]*[{]|[)]$)", std::regex::multiline),
        renamed(mutant, kernel) + "$1");
  const std::string linkage = project.extension == ".cpp" ? "extern \"C\" " : "";
  return std::regex_replace(text, std::regex("int main[(]"),
                            linkage + "int " + renamed(mutant, "main") + "(");
}

int line_of(const std::string& text, std::string_view part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return 0;
  const auto end = text.begin() + static_cast<ptrdiff_t>(at);
  return static_cast<int>(std::count(text.begin(), end, '\n')) + 1;
}

// Compiles the mutants together and loads them.
void* load(const Project& project, const std::filesystem::path& folder) {
  const std::string library = (folder / "mutants.so").string();
  const std::string command =
      TPUTWIN_C_COMPILER " -g -O0 -w -DUSING_CMODEL -shared -fPIC -I" + kRoot + "/include " +
      project.includes + " -o " + library + " " + folder.string() + "/*" + project.extension +
      " -L" + kLibraries + " -Wl,--no-as-needed " + project.libraries + " -Wl,-rpath," + kLibraries;
  if (std::system(command.c_str()) != 0) return nullptr;
  return dlopen(library.c_str(), RTLD_NOW);
}

std::string describe_all(std::span<const Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) text += describe(finding) + "\n";
  return text.empty() ? "nothing was found" : text;
}

bool names_line(const Finding& finding, const std::string& file, int line) {
  const auto is_there = [&](const Actor& actor) {
    return std::ranges::any_of(
        actor.lines, [&](const SourceLine& l) { return l.line == line && l.file.ends_with(file); });
  };
  return is_there(finding.actor) || (finding.other && is_there(*finding.other));
}

void expect_finding(const Mutant& mutant, const std::string& file, const std::string& source,
                    std::span<const Finding> found) {
  if (mutant.finding.empty()) {
    const bool is_clean = std::ranges::all_of(found, is_hint);
    EXPECT_TRUE(is_clean) << mutant.name << ":\n" << describe_all(found);
    return;
  }
  const int line = line_of(source, mutant.line);
  EXPECT_NE(line, 0) << mutant.name << ": " << mutant.line;
  const bool is_found = std::ranges::any_of(found, [&](const Finding& finding) {
    return info(finding.kind).id == mutant.finding && names_line(finding, file, line);
  });
  EXPECT_TRUE(is_found) << mutant.name << ": " << mutant.finding << " at line " << line << "\n"
                        << describe_all(found);
}

}  // namespace

void expect_findings(const Project& project, std::span<const Mutant> mutants, const Run& run) {
  const tputwin::testing::TemporaryDirectory folder;
  std::vector<std::string> sources, files;
  for (const Mutant& mutant : mutants) {
    sources.push_back(source_of(project, mutant));
    files.push_back(std::string(mutant.name) + project.extension);
    std::ofstream(folder / files.back()) << sources.back();
  }
  void* const library = load(project, folder.path());
  ASSERT_NE(library, nullptr) << dlerror();
  for (size_t i = 0; i < mutants.size(); ++i) {
    const Report* report = report_of_process();
    const size_t before = report->findings().size();
    run(mutants[i], library, renamed(mutants[i], mutants[i].kernel));
    const std::vector<Finding> all = report->findings();
    expect_finding(mutants[i], files[i], sources[i], std::span(all).subspan(before));
  }
}

}  // namespace tputwin::insight::testing
