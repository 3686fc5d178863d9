/*
 * Dump helpers and log macros of the vendor SDK. C99 and C++11.
 *
 * The vendor's header includes glog in C++ programs. This one does not; it defines the macro names
 * on stderr. A program that uses glog includes it first: names that exist already are kept.
 */
#ifndef LIBBMUTILS_BM_DEBUG_H
#define LIBBMUTILS_BM_DEBUG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints to stdout: the description, then the bytes, 16 a line. */
void dump_hex(const char* desc, void* addr, int len);
/* Prints to stdout: the description and shape, then one line of values per image row. */
void dump_data_float(const char* desc, void* addr, int n, int c, int h, int w);
/* Absolute values. */
void dump_data_float_abs(const char* desc, void* addr, int n, int c, int h, int w);
void dump_data_int(const char* desc, void* addr, int n, int c, int h, int w);
void dump_data_int16(const char* desc, void* addr, int n, int c, int h, int w);
void dump_data_int8(const char* desc, void* addr, int n, int c, int h, int w);
void dump_matrix_float(const char* desc, void* addr, int row, int col);
/* As dump_data_float, to a file of that name. */
void dump_data_float_to_file(const char* desc, const char* file_name, void* addr, int n, int c,
                             int h, int w);
/* Replace the file `file_name`. */
void write_binary_file(const void* buf, int len, const char* file_name);
void write_string_file(const char* str, const char* file_name);

#ifdef __cplusplus
}
#endif

/* Stops the program if `cond` is false. */
#define BM_ASSERT(cond)                                                                          \
  do {                                                                                           \
    if (!(cond)) {                                                                               \
      fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", __FILE__, __LINE__, __func__, #cond); \
      abort();                                                                                   \
    }                                                                                            \
  } while (0)

#define BM_DEBUG_LOG(tag, ...)     \
  do {                             \
    fprintf(stderr, "[" tag "] "); \
    fprintf(stderr, __VA_ARGS__);  \
  } while (0)
#define BM_DEBUG_NONE(...) \
  do {                     \
  } while (0)

/* printf-style, by module and level. TRACE and DBG print only if BM_DEBUG_VERBOSE is defined. */
#ifdef BM_DEBUG_VERBOSE
#define BM_DEBUG_FINE(tag, ...) BM_DEBUG_LOG(tag, __VA_ARGS__)
#else
#define BM_DEBUG_FINE(tag, ...) BM_DEBUG_NONE(__VA_ARGS__)
#endif
#define FW_ERR(...) BM_DEBUG_LOG("FW ERR", __VA_ARGS__)
#define FW_INFO(...) BM_DEBUG_LOG("FW INFO", __VA_ARGS__)
#define FW_TRACE(...) BM_DEBUG_FINE("FW TRACE", __VA_ARGS__)
#define FW_DBG(...) BM_DEBUG_FINE("FW DBG", __VA_ARGS__)
#define CMODEL_ERR(...) BM_DEBUG_LOG("CMODEL ERR", __VA_ARGS__)
#define CMODEL_INFO(...) BM_DEBUG_LOG("CMODEL INFO", __VA_ARGS__)
#define CMODEL_TRACE(...) BM_DEBUG_FINE("CMODEL TRACE", __VA_ARGS__)
#define CMODEL_DBG(...) BM_DEBUG_FINE("CMODEL DBG", __VA_ARGS__)
#define DRV_ERR(...) BM_DEBUG_LOG("DRV ERR", __VA_ARGS__)
#define DRV_INFO(...) BM_DEBUG_LOG("DRV INFO", __VA_ARGS__)
#define DRV_TRACE(...) BM_DEBUG_FINE("DRV TRACE", __VA_ARGS__)
#define DRV_DBG(...) BM_DEBUG_FINE("DRV DBG", __VA_ARGS__)
#define BMRT_ERR(...) BM_DEBUG_LOG("BMRT ERR", __VA_ARGS__)
#define BMRT_INFO(...) BM_DEBUG_LOG("BMRT INFO", __VA_ARGS__)
#define BMRT_TRACE(...) BM_DEBUG_FINE("BMRT TRACE", __VA_ARGS__)
#define BMRT_DBG(...) BM_DEBUG_FINE("BMRT DBG", __VA_ARGS__)
#define LINE_DBG() fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, __func__)

#ifdef __cplusplus
#include <iostream>

/* A streamed line on stderr: LOGI << "n = " << n; */
namespace bm_debug {
class Line {
 public:
  explicit Line(char level) { std::cerr << '[' << level << "] "; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { std::cerr << std::endl; }
  template <class T>
  Line& operator<<(const T& value) {
    std::cerr << value;
    return *this;
  }
};
class FatalLine : public Line {
 public:
  FatalLine() : Line('F') {}
  ~FatalLine() {
    std::cerr << std::endl;
    abort();
  }
};
}  // namespace bm_debug

#ifndef FATAL
#define FATAL bm_debug::FatalLine()
#endif
#ifndef LOGE
#define LOGE bm_debug::Line('E')
#endif
#ifndef LOGW
#define LOGW bm_debug::Line('W')
#endif
#ifndef LOGI
#define LOGI bm_debug::Line('I')
#endif
#ifndef BM_DEBUG_VERBOSE
#define BM_DEBUG_STREAM_OFF(level) \
  if (true) {                      \
  } else                           \
    bm_debug::Line(level)
#else
#define BM_DEBUG_STREAM_OFF(level) bm_debug::Line(level)
#endif
#ifndef LOGD
#define LOGD BM_DEBUG_STREAM_OFF('D')
#endif
#ifndef LOGV
#define LOGV BM_DEBUG_STREAM_OFF('V')
#endif
#endif

#endif
