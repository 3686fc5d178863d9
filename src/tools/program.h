// Programs of users that a tool starts.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// What runs the words of a command line: a host program as it is; for a model (.bmodel) `tputwin
// run`; for a recording (.tprec) `tputwin replay`. A model that cannot be read is an error, and one
// whose nets, or those that --net and --stage choose among the words, are all dynamic.
Result<std::vector<std::string>> program_of(const std::vector<std::string>& words);
// True if such a program is the tputwin command itself.
bool is_our_own(const std::vector<std::string>& program);
// The value of an option among the words behind the first: "--net resnet" or "--net=resnet".
std::optional<std::string> value_of(const std::vector<std::string>& words, std::string_view name);
// Runs a program with its arguments until it ends; its exit code. An error of that id if it cannot
// be started, or ends by a signal.
Result<int> run_program(const std::vector<std::string>& program, ErrorId failure);

// A file that a program is to write, told from what was there before, which stays until then: a
// program that dies leaves it.
class Awaited {
 public:
  explicit Awaited(std::string path) : path_(std::move(path)), before_(now()) {}
  // Whether the file has been written since.
  bool is_there() const;

 private:
  std::optional<struct stat> now() const;

  std::string path_;
  std::optional<struct stat> before_;
};

}  // namespace tputwin::tools
