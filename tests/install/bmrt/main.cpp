// engine MODEL: runs the first net twice and prints information about the card.
#include <cstdio>

#include "engine.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Engine engine(argv[1], 0);
  const std::string net = engine.nets()[0];
  std::vector<unsigned char> input(engine.input_bytes(net));
  for (size_t i = 0; i < input.size(); i++) input[i] = (unsigned char)(i % 61);
  const auto first = engine.process(net, input), second = engine.process(net, input);
  for (const auto& line : card(0)) std::printf("%s: %s\n", line.first.c_str(), line.second.c_str());
  return first.empty() || first != second;
}
