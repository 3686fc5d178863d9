// What binding libraries make of bmrt: an engine that has the nets of a file, and the card it is
// on.
#ifndef ENGINE_H
#define ENGINE_H

#include <map>
#include <string>
#include <vector>

#include "bmdef.h"

class Engine {
 public:
  Engine(const std::string& file, int device);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::vector<std::string> nets() const;
  size_t input_bytes(const std::string& net) const;
  // The first input of the first stage to its first output.
  std::vector<unsigned char> process(const std::string& net, const std::vector<unsigned char>& in);

 private:
  bm_handle_t handle_ = nullptr;
  void* runtime_ = nullptr;
};

// Everything that such libraries ask of a card.
std::map<std::string, std::string> card(int device);

#endif
