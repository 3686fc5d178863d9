// generate_classics DIR [NAME...]: writes NAME.prototxt and NAME.caffemodel.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "classics/classics.h"

namespace {

using tputwin::Status;

Status write(const std::string& path, const std::string& text) {
  return tputwin::write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Status generate(const std::string& directory, const std::string& name) {
  TW_ASSIGN_OR_RETURN(net, tputwin::models::make_classic(name));
  TW_RETURN_IF_ERROR(write(directory + "/" + name + ".prototxt", tputwin::net::to_prototxt(net)));
  return write(directory + "/" + name + ".caffemodel", tputwin::net::to_caffemodel(net));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s DIR [NAME...]\nnames:", argv[0]);
    for (const auto& classic : tputwin::models::classics())
      std::fprintf(stderr, " %s", std::string(classic.name).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (names.empty())
    for (const auto& classic : tputwin::models::classics()) names.emplace_back(classic.name);
  for (const std::string& name : names) {
    const Status status = generate(argv[1], name);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
