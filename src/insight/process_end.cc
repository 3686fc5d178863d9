// Signals, and calls of _exit(): exit() does not see them. The calls are noticed in the tables that
// the dynamic linker fills, because _exit() of the C library cannot be replaced for programs that
// are linked already.
#include "insight/process_end.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace tputwin::insight {
namespace {

// Signals that end a process by default, in the order of their names.
struct NamedSignal {
  int number;
  const char* name;
};
constexpr std::array kSignals{NamedSignal{SIGABRT, "SIGABRT"}, NamedSignal{SIGALRM, "SIGALRM"},
                              NamedSignal{SIGBUS, "SIGBUS"},   NamedSignal{SIGFPE, "SIGFPE"},
                              NamedSignal{SIGHUP, "SIGHUP"},   NamedSignal{SIGILL, "SIGILL"},
                              NamedSignal{SIGINT, "SIGINT"},   NamedSignal{SIGPIPE, "SIGPIPE"},
                              NamedSignal{SIGQUIT, "SIGQUIT"}, NamedSignal{SIGSEGV, "SIGSEGV"},
                              NamedSignal{SIGSYS, "SIGSYS"},   NamedSignal{SIGTERM, "SIGTERM"},
                              NamedSignal{SIGTRAP, "SIGTRAP"}, NamedSignal{SIGUSR1, "SIGUSR1"},
                              NamedSignal{SIGUSR2, "SIGUSR2"}, NamedSignal{SIGXCPU, "SIGXCPU"}};

struct EndOfProcess {
  pid_t id = getpid();
  std::mutex mutex;
  std::vector<void (*)(std::string_view)> finishes;
  std::atomic_flag has_ended;
  bool waits_for_user = false;
};

EndOfProcess& end_of_process() {
  static EndOfProcess& all = *new EndOfProcess;  // lives until the process ends
  return all;
}

void finish_all_for(std::string_view why) {
  EndOfProcess& all = end_of_process();
  if (all.id != getpid() || all.has_ended.test_and_set()) return;
  for (const auto finish : all.finishes) finish(why);
}

void end_by_exit() { finish_all_for("ends"); }

[[noreturn]] void end_at_once(int code) {
  finish_all_for("ends by _exit");
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

// Makes a signal end the process, also inside its handler.
void restore(int number) {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(number, &by_default, nullptr);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, number);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
}

void* finish_in_thread(void* why) {
  finish_all_for(*static_cast<const std::string*>(why));
  return nullptr;
}

// Handlers of faults may have a stack that is too small for reports, so these have a thread of
// their own. A second signal, or a fault while reports are made, ends the process.
void end_by_signal(int number) {
  constexpr unsigned kMostSeconds = 60;
  restore(number);
  if (!end_of_process().waits_for_user) {
    restore(SIGALRM);
    alarm(kMostSeconds);
  }
  const auto named = std::ranges::find(kSignals, number, &NamedSignal::number);
  std::string why =
      std::string("is killed by ") + (named != kSignals.end() ? named->name : "a signal");
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, finish_in_thread, &why) == 0) pthread_join(thread, nullptr);
  raise(number);
}

// Handlers of the program stay.
void handle_signals() {
  for (const NamedSignal& signal : kSignals) {
    struct sigaction now {};
    if (sigaction(signal.number, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    now = {};
    now.sa_handler = end_by_signal;
    now.sa_flags = SA_NODEFER;
    sigaction(signal.number, &now, nullptr);
  }
}

// The tables of one loaded object by which the dynamic linker resolves its calls.
class LinkTables {
 public:
  explicit LinkTables(const dl_phdr_info& object) : base_(object.dlpi_addr) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object.dlpi_phdr[i];
      if (part.p_type != PT_DYNAMIC) continue;
      for (auto* row = reinterpret_cast<const ElfW(Dyn)*>(base_ + part.p_vaddr);
           row->d_tag != DT_NULL; ++row)
        take(*row);
    }
  }

  void replace(const char* name, void (*function)(int)) const {
    if (symbols_ == nullptr || names_ == nullptr) return;
    for (const Relocations& all : {calls_, others_})
      for (size_t i = 0; i < all.bytes / sizeof(ElfW(Rela)); ++i) {
        const ElfW(Rela)& one = all.first[i];
        const auto symbol = ELF64_R_SYM(one.r_info);
        if (!is_slot(ELF64_R_TYPE(one.r_info)) || symbol == 0) continue;
        if (std::strcmp(names_ + symbols_[symbol].st_name, name) == 0)
          put(base_ + one.r_offset, function);
      }
  }

 private:
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    size_t bytes = 0;
  };

  static bool is_slot(uint64_t type) {
#if defined(__x86_64__)
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
    return false;
#endif
  }

  // The dynamic linker has made addresses of most numbers.
  template <class T>
  const T* at(ElfW(Addr) address) const {
    return reinterpret_cast<const T*>(address < base_ ? base_ + address : address);
  }

  void take(const ElfW(Dyn) & row) {
    switch (row.d_tag) {
      case DT_STRTAB:
        names_ = at<char>(row.d_un.d_ptr);
        return;
      case DT_SYMTAB:
        symbols_ = at<ElfW(Sym)>(row.d_un.d_ptr);
        return;
      case DT_JMPREL:
        calls_.first = at<ElfW(Rela)>(row.d_un.d_ptr);
        return;
      case DT_PLTRELSZ:
        calls_.bytes = row.d_un.d_val;
        return;
      case DT_RELA:
        others_.first = at<ElfW(Rela)>(row.d_un.d_ptr);
        return;
      case DT_RELASZ:
        others_.bytes = row.d_un.d_val;
        return;
      default:
        return;
    }
  }

  // Tables are read-only in programs that are linked so.
  static void put(uintptr_t slot, void (*function)(int)) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void* const begin = reinterpret_cast<void*>(slot & ~(page - 1));
    if (*reinterpret_cast<void (**)(int)>(slot) == function) return;
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
    *reinterpret_cast<void (**)(int)>(slot) = function;
  }

  uintptr_t base_;
  const char* names_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  Relocations calls_, others_;
};

int notice_calls_of(dl_phdr_info* object, size_t, void*) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  if (path.find("/libc.so") != path.npos || path.find("/ld-linux") != path.npos ||
      path.find("vdso") != path.npos)
    return 0;
  const LinkTables tables(*object);
  for (const char* name : {"_exit", "_Exit"}) tables.replace(name, end_at_once);
  return 0;
}

}  // namespace

void at_process_end(void (*finish)(std::string_view why), bool waits_for_user) {
  EndOfProcess& all = end_of_process();
  const std::lock_guard lock(all.mutex);
  all.finishes.push_back(finish);
  all.waits_for_user |= waits_for_user;
  if (all.finishes.size() > 1) return;
  std::atexit(end_by_exit);
  std::at_quick_exit(end_by_exit);
  handle_signals();
  notice_exit_calls();
}

void notice_exit_calls() { dl_iterate_phdr(notice_calls_of, nullptr); }

}  // namespace tputwin::insight
