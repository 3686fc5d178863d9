// Loads the library that uses MPI, if mpirun started this process.
#include "tools/campaign/crew.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/errors/tools.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "base/variables.h"

namespace tputwin::tools {
namespace {

int number(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

// Uses this process's share of the processors that the machine and its CPU quotas have for all
// processes, unless the user gives a number. A process may be bound to fewer.
void share_processors() {
  const int here = std::max({1, number("OMPI_COMM_WORLD_LOCAL_SIZE"), number("MPI_LOCALNRANKS")});
  if (!value_of(EnvVariable::threads).empty() || here == 1) return;
  const int processors = std::min(static_cast<int>(std::thread::hardware_concurrency()),
                                  processors_of_quotas(/*root=*/""));
  set_thread_count(std::clamp(processors / here, 1, usable_processors()));
}

}  // namespace

Result<std::unique_ptr<Crew>> find_crew(const char* library) {
  if (std::max(number("OMPI_COMM_WORLD_SIZE"), number("PMI_SIZE")) < 2)
    return std::unique_ptr<Crew>();
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_GLOBAL);  // until the process ends
  const char* reason = loaded == nullptr ? dlerror() : nullptr;
  const auto make =
      loaded != nullptr ? reinterpret_cast<MakeCrew*>(dlsym(loaded, kMakeCrew)) : nullptr;
  if (make == nullptr)
    return Error(errors::cli_campaign)
        .argument("mpirun", "started this process")
        .detail(reason != nullptr ? reason : "libtputwin_mpi.so is of another version");
  share_processors();
  return std::unique_ptr<Crew>(make());
}

}  // namespace tputwin::tools
