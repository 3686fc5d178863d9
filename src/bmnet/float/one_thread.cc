// Restricts oneDNN to the calling thread through the OpenMP runtime that it uses.
#include "bmnet/float/one_thread.h"

#include <dlfcn.h>

namespace tputwin::net {
namespace {

// Uses dlsym because oneDNN determines the OpenMP runtime.
const auto set_threads =
    reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));

}  // namespace

OneLibraryThread::OneLibraryThread() {
  if (set_threads == nullptr || threads == nullptr) return;
  before_ = threads();
  set_threads(1);
}

OneLibraryThread::~OneLibraryThread() {
  if (before_ != 0) set_threads(before_);
}

}  // namespace tputwin::net
