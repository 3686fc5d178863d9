// Runs of `tputwin`, as a user types it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace tputwin::test {

// Returns the output of a command, followed by "exit N".
inline std::string tputwin(const std::string& arguments) {
  const std::string line = TPUTWIN_BIN_DIR "/tputwin " + arguments + " 2>&1; echo exit $?";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  char part[4096];
  while (fgets(part, sizeof(part), pipe.get()) != nullptr) text += part;
  return text;
}

}  // namespace tputwin::test
