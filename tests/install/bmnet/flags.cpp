// BMNet's own LOG, CHECK and DEFINE_*, for systems without glog and gflags; links neither.
#define BMNET_OWN_LOGGING
#include <bmnet/utils/common.hpp>

DEFINE_int32(count, 3, "a number");
DEFINE_bool(quick, false, "a choice");
DEFINE_string(name, "nobody", "a text");
DEFINE_double(ratio, 0.5, "a fraction");

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  std::stringstream text;
  text << FLAGS_count << FLAGS_quick << FLAGS_name << FLAGS_ratio << argc;
  LOG(INFO) << "flags " << text.str();
  VLOG(1000000) << "not to be seen";
  CHECK_EQ(text.str(), "71twin0.252");
  CHECK_NOTNULL(argv[1]);
  DCHECK(argc == 2) << "one argument is left";
  if (argc > 2)
    CHECK_LT(argc, 2);
  else
    LOG(WARNING) << "done";
  return 0;
}
