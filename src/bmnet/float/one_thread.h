// oneDNN as one thread of ours: its OpenMP workers would spin beside our tasks.
#pragma once

namespace tputwin::net {

// While one lives, calls of the library in this thread use this thread only.
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
