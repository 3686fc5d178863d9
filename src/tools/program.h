// Users' programs that a tool starts.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Returns the program for the words of a command line: a host program itself; `tputwin run` for a
// model (.bmodel); `tputwin replay` for a recording (.tprec). It is an error if a model cannot be
// read. It is one if the model has no net or stage of the --net and --stage among the words, or if
// those that they choose are all dynamic.
Result<std::vector<std::string>> program_of(const std::vector<std::string>& words);
// Returns true if such a program is the tputwin command itself.
bool is_our_own(const std::vector<std::string>& program);
// Returns the value of an option among the words after the first: "--net resnet" or "--net=resnet".
std::optional<std::string> value_of(const std::vector<std::string>& words, std::string_view name);
// Returns an error that names the first word after the model that is none of these options with a
// value. `takes` says what may follow the model.
Status check_words(const std::vector<std::string>& words, std::span<const std::string_view> options,
                   std::string_view takes);
struct ProgramEnd {
  int code = 0;    // 128 and the signal, if a signal ended it
  int signal = 0;  // 0: none
};
// Returns "exit code 3" or "signal 11".
std::string describe(const ProgramEnd& end);
// Runs a program with its arguments until it ends. Returns the error `failure` if it cannot be
// started.
Result<ProgramEnd> run_to_end(const std::vector<std::string>& program, ErrorId failure);
// Returns the exit code of such a program. An end by a signal is an error too.
Result<int> run_program(const std::vector<std::string>& program, ErrorId failure);

// A file that a program will write. It is distinguished from an older file of this name, which
// stays until then: a program that crashes leaves it.
class Awaited {
 public:
  explicit Awaited(std::string path) : path_(std::move(path)), before_(now()) {}
  // Returns true if the file has been written since.
  bool is_there() const;

 private:
  std::optional<struct stat> now() const;

  std::string path_;
  std::optional<struct stat> before_;
};

}  // namespace tputwin::tools
