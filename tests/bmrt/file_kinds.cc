// Files that are no bmodel or kernel module: calls of bmrt and bmlib report the kind and the path.
#include "common/file_kinds.h"

#include <filesystem>
#include <fstream>

#include "bmrt/support.h"
#include "common/temporary_directory.h"

namespace tputwin::testing {
namespace {

class FileKindsOfCalls : public Bmrt {
 protected:
  std::string make(const FileOfKind& kind) const {
    const std::string path = (directory_ / kind.name).string();
    if (kind.content == kDirectory)
      std::filesystem::create_directory(path);
    else
      std::ofstream(path, std::ios::binary) << kind.content;
    return path;
  }
  static void expect_said(const FileOfKind& kind, const std::string& path) {
    const std::string message = tputwin_last_error();
    EXPECT_NE(message.find(kind.reason), std::string::npos) << kind.name << ": " << message;
    EXPECT_NE(message.find(path), std::string::npos) << kind.name << ": " << message;
  }
  const TemporaryDirectory directory_;
};

TEST_F(FileKindsOfCalls, OfBmodels) {
  for (const FileOfKind& kind : kinds()) {
    const std::string path = make(kind);
    EXPECT_FALSE(bmrt_load_bmodel(runtime, path.c_str()));
    expect_said(kind, path);
    if (kind.content == kDirectory) continue;
    EXPECT_FALSE(bmrt_load_bmodel_data(runtime, kind.content.data(), kind.content.size()));
    expect_said(kind, "bmrt_load_bmodel_data");
  }
}

TEST_F(FileKindsOfCalls, OfKernelModules) {
  for (const FileOfKind& kind : kinds()) {
    if (kind.content == kDirectory) continue;
    const std::string path = make(kind);
    EXPECT_EQ(tpu_kernel_load_module_file(device, path.c_str()), nullptr);
    expect_said(kind, path);
    EXPECT_EQ(tpu_kernel_load_module(device, kind.content.data(), kind.content.size()), nullptr);
    expect_said(kind, "tpu_kernel_load_module");
  }
}

// Errors about unreadable and missing files also name the path.
TEST_F(FileKindsOfCalls, OtherErrorsNameThePath) {
  const std::string path = (directory_ / "none.bmodel").string();
  EXPECT_FALSE(bmrt_load_bmodel(runtime, path.c_str()));
  EXPECT_EQ(code(), "TW-SYS-0001");
  EXPECT_NE(std::string(tputwin_last_error()).find(path), std::string::npos);
  const Bytes whole = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  ASSERT_TRUE(write_bytes(path, std::span(whole).first(100)).ok());
  EXPECT_FALSE(bmrt_load_bmodel(runtime, path.c_str()));
  EXPECT_EQ(code(), "TW-MOD-0401");
  EXPECT_NE(std::string(tputwin_last_error()).find(path), std::string::npos);
}

}  // namespace
}  // namespace tputwin::testing
