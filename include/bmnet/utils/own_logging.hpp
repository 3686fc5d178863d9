// Replacement of glog for <bmnet/utils/logging.hpp>. C++11.
#ifndef BMNET_UTILS_OWN_LOGGING_HPP
#define BMNET_UTILS_OWN_LOGGING_HPP

#include <stdio.h>
#include <stdlib.h>

#include <sstream>

namespace google {

enum { GLOG_INFO, GLOG_WARNING, GLOG_ERROR, GLOG_FATAL };

// One line on standard error, written when the statement ends.
class LogMessage {
 public:
  LogMessage(const char* file, int line, char severity) : fatal_(severity == 'F') {
    text_ << severity << ' ' << file << ':' << line << "] ";
  }
  ~LogMessage() {
    fprintf(stderr, "%s\n", text_.str().c_str());
    if (fatal_) abort();
  }
  std::ostream& stream() { return text_; }

 private:
  bool fatal_;
  std::ostringstream text_;
};

// Converts a message to void, for ?:.
struct LogMessageVoidify {
  void operator&(std::ostream&) {}
};

inline bool VLogIsOn(int level) {
  const char* wanted = getenv("GLOG_v");
  return wanted != 0 && atoi(wanted) >= level;
}

template <class T>
T* CheckNotNull(const char* file, int line, const char* what, T* pointer) {
  if (pointer == 0)
    LogMessage(file, line, 'F').stream() << "Check failed: " << what << " must not be NULL";
  return pointer;
}

// All messages go to standard error, so there is nothing to prepare.
inline void InitGoogleLogging(const char*) {}
inline void ShutdownGoogleLogging() {}
inline void InstallFailureSignalHandler() {}
inline void SetStderrLogging(int) {}
inline void SetLogDestination(int, const char*) {}
inline void LogToStderr() {}
inline void FlushLogFiles(int) {}

}  // namespace google

#define BMNET_LOG_INFO 'I'
#define BMNET_LOG_WARNING 'W'
#define BMNET_LOG_ERROR 'E'
#define BMNET_LOG_FATAL 'F'

#define LOG(severity) ::google::LogMessage(__FILE__, __LINE__, BMNET_LOG_##severity).stream()
#define LOG_IF(severity, condition) \
  !(condition) ? (void)0 : ::google::LogMessageVoidify() & LOG(severity)
#define VLOG_IS_ON(level) ::google::VLogIsOn(level)
#define VLOG(level) LOG_IF(INFO, VLOG_IS_ON(level))
#define CHECK(condition) LOG_IF(FATAL, !(condition)) << "Check failed: " #condition " "
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define CHECK_NOTNULL(pointer) ::google::CheckNotNull(__FILE__, __LINE__, #pointer, pointer)

#ifdef NDEBUG
#define BMNET_DEBUG_ONLY true ||
#else
#define BMNET_DEBUG_ONLY
#endif
#define DLOG(severity) LOG_IF(severity, !(BMNET_DEBUG_ONLY false))
#define DVLOG(level) LOG_IF(INFO, !(BMNET_DEBUG_ONLY !VLOG_IS_ON(level)))
#define DCHECK(condition) CHECK(BMNET_DEBUG_ONLY(condition))
#define DCHECK_EQ(a, b) DCHECK((a) == (b))
#define DCHECK_NE(a, b) DCHECK((a) != (b))
#define DCHECK_LT(a, b) DCHECK((a) < (b))
#define DCHECK_LE(a, b) DCHECK((a) <= (b))
#define DCHECK_GT(a, b) DCHECK((a) > (b))
#define DCHECK_GE(a, b) DCHECK((a) >= (b))

#endif
