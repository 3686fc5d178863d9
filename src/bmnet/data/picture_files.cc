// Loads the picture codecs with the first picture. They need 120 libraries, which take longer to
// load than most commands run.
#include "bmnet/data/picture_files.h"

#include <dlfcn.h>

#include <filesystem>

#include "bmnet/data/codec/picture_codec.h"

namespace tputwin::net {
namespace {

constexpr const char* kLibrary = "libtputwin_pictures.so";

void* open_library() {
  // Looks in the directory of this library first, wherever it is installed.
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&open_library), &here) != 0 &&
      here.dli_fname != nullptr) {
    const auto neighbour = std::filesystem::path(here.dli_fname).parent_path() / kLibrary;
    if (void* library = dlopen(neighbour.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
}

struct Loaded {
  const PictureCodec* codec = nullptr;
  std::string reason;
};

Loaded load() {
  void* const library = open_library();
  void* const get = library != nullptr ? dlsym(library, kGetPictureCodec) : nullptr;
  if (get != nullptr) return {reinterpret_cast<GetPictureCodec*>(get)(), ""};
  const char* reason = dlerror();
  return {nullptr, std::string("no codecs of pictures: ") + (reason ? reason : kLibrary)};
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

std::string decode_picture_file(std::span<const uint8_t> file, bool grey, cv::Mat& picture) {
  const auto& [codec, reason] = loaded();
  return codec != nullptr ? codec->decode(file, grey, picture) : reason;
}

std::string encode_picture_file(const std::string& kind, const cv::Mat& picture,
                                std::vector<uint8_t>& file) {
  const auto& [codec, reason] = loaded();
  return codec != nullptr ? codec->encode(kind, picture, file) : reason;
}

}  // namespace tputwin::net
