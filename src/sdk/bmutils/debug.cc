// Dump helpers, which print.
#include <libbmutils/bm_debug.h>

#include <cmath>
#include <cstdint>
#include <memory>

namespace {

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

struct Extents {
  int n, c, h, w;
};

// Prints the description and shape, then a line of values per row of each image.
template <class T, class Print>
void dump_rows(FILE* to, const char* desc, const void* addr, Extents e, Print print) {
  if (to == nullptr || addr == nullptr) return;
  const T* value = static_cast<const T*>(addr);
  std::fprintf(to, "%s (%d,%d,%d,%d)\n", desc != nullptr ? desc : "", e.n, e.c, e.h, e.w);
  for (int n = 0; n < e.n; ++n)
    for (int c = 0; c < e.c; ++c) {
      std::fprintf(to, "n=%d c=%d\n", n, c);
      for (int h = 0; h < e.h; ++h) {
        for (int w = 0; w < e.w; ++w) print(*value++);
        std::fprintf(to, "\n");
      }
    }
}

void dump_floats(FILE* to, const char* desc, const void* addr, Extents e) {
  dump_rows<float>(to, desc, addr, e, [&](float v) { std::fprintf(to, "%g ", v); });
}

template <class T>
void dump_integers(const char* desc, const void* addr, Extents e) {
  dump_rows<T>(stdout, desc, addr, e, [](T v) { std::printf("%d ", static_cast<int>(v)); });
}

}  // namespace

void dump_hex(const char* desc, void* addr, int len) {
  if (addr == nullptr) return;
  const uint8_t* bytes = static_cast<const uint8_t*>(addr);
  std::printf("%s (%d bytes)\n", desc != nullptr ? desc : "", len);
  for (int i = 0; i < len; ++i) {
    if (i % 16 == 0) std::printf("%04x:", i);
    std::printf(" %02x", bytes[i]);
    if (i % 16 == 15 || i == len - 1) std::printf("\n");
  }
}

void dump_data_float(const char* desc, void* addr, int n, int c, int h, int w) {
  dump_floats(stdout, desc, addr, {n, c, h, w});
}

void dump_data_float_abs(const char* desc, void* addr, int n, int c, int h, int w) {
  dump_rows<float>(stdout, desc, addr, {n, c, h, w},
                   [](float v) { std::printf("%g ", std::fabs(v)); });
}

void dump_data_int(const char* desc, void* addr, int n, int c, int h, int w) {
  dump_integers<int32_t>(desc, addr, {n, c, h, w});
}

void dump_data_int16(const char* desc, void* addr, int n, int c, int h, int w) {
  dump_integers<int16_t>(desc, addr, {n, c, h, w});
}

void dump_data_int8(const char* desc, void* addr, int n, int c, int h, int w) {
  dump_integers<int8_t>(desc, addr, {n, c, h, w});
}

void dump_matrix_float(const char* desc, void* addr, int row, int col) {
  dump_floats(stdout, desc, addr, {1, 1, row, col});
}

void dump_data_float_to_file(const char* desc, const char* file_name, void* addr, int n, int c,
                             int h, int w) {
  File file(std::fopen(file_name, "w"));
  dump_floats(file.get(), desc, addr, {n, c, h, w});
}

void write_binary_file(const void* buf, int len, const char* file_name) {
  File file(std::fopen(file_name, "wb"));
  if (file != nullptr && buf != nullptr && len > 0)
    std::fwrite(buf, 1, static_cast<size_t>(len), file.get());
}

void write_string_file(const char* str, const char* file_name) {
  File file(std::fopen(file_name, "w"));
  if (file != nullptr && str != nullptr) std::fputs(str, file.get());
}
