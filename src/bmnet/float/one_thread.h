// Restricts oneDNN to the calling thread. Its OpenMP workers would spin while the simulator's tasks
// run.
#pragma once

namespace tputwin::net {

// While an object of this class exists, oneDNN calls of this thread use this thread only.
class OneLibraryThread {
 public:
  OneLibraryThread();
  ~OneLibraryThread();
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace tputwin::net
