// A class like those of binding libraries on bmrt: an engine with the nets of a file, and its card.
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
  // Maps the first input of the first stage to its first output.
  std::vector<unsigned char> process(const std::string& net, const std::vector<unsigned char>& in);

 private:
  bm_handle_t handle_ = nullptr;
  void* runtime_ = nullptr;
};

// Returns all properties of a card that such libraries query.
std::map<std::string, std::string> card(int device);

#endif
