// Memory for constants that kernels pack once and then only read. Equal constants of all devices of
// the process are kept once, so that devices that run the same net share them in the caches, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tputwin::fast {

// Copies share the bytes. Not to be used by several threads, but the bytes may be.
class InternedBytes {
 public:
  // Returns cache-line aligned memory for new contents, all of it 0. Other owners keep the old
  // contents.
  uint8_t* renew(size_t bytes);
  // Shares the contents with equal ones that are there, and gives back its own memory. Nothing may
  // be written to them from now on.
  void intern();
  // Returns the contents, or nullptr if there are none.
  const uint8_t* data() const;
  // Returns the number of bytes that all interned contents of the process take.
  static size_t all_bytes();

 private:
  struct Block;
  struct Table;
  static Table& table();

  std::shared_ptr<Block> block_;
};

}  // namespace tputwin::fast
