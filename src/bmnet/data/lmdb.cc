// Databases of LMDB whose values are Caffe's Datum.
#include <bmnet/tputwin_caffe.pb.h>
#include <fcntl.h>
#include <lmdb.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

struct CloseEnvironment {
  void operator()(MDB_env* environment) const { mdb_env_close(environment); }
};
struct AbortTransaction {
  void operator()(MDB_txn* transaction) const { mdb_txn_abort(transaction); }
};
struct CloseCursor {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};

Result<Picture> picture_of(const caffe::Datum& datum, const DataOptions& options,
                           const std::string& name) {
  const std::string& data = datum.data();
  if (datum.encoded())
    return decode_picture({reinterpret_cast<const uint8_t*>(data.data()), data.size()},
                          options.shape.c, options.rgb, name);
  Picture picture;
  picture.extents = {1, datum.channels(), datum.height(), datum.width()};
  const Extents& e = picture.extents;
  if (e.c < 1 || e.h < 1 || e.w < 1) return data_error(name, "a Datum without extents");
  for (const char byte : data) picture.values.push_back(static_cast<uint8_t>(byte));
  if (data.empty()) picture.values.assign(datum.float_data().begin(), datum.float_data().end());
  const auto values = static_cast<int64_t>(picture.values.size());
  if (values % e.c != 0 || values / e.c % e.h != 0 || values / e.c / e.h != e.w)
    return data_error(name, "a Datum with too many or too few values");
  return picture;
}

// A database that is read from the first value to the last.
struct Opened {
  std::unique_ptr<MDB_env, CloseEnvironment> environment;
  std::unique_ptr<MDB_txn, AbortTransaction> transaction;
  std::unique_ptr<MDB_cursor, CloseCursor> cursor;
  size_t most = 0;  // upper bound of values in the file

  // Returns the error code of LMDB; 0 on success.
  int open(const std::string& path) {
    MDB_env* made = nullptr;
    int code = mdb_env_create(&made);
    environment.reset(made);
    if (code == 0) code = mdb_env_open(made, path.c_str(), MDB_RDONLY | MDB_NOLOCK, 0);
    MDB_txn* begun = nullptr;
    if (code == 0) code = mdb_txn_begin(made, nullptr, MDB_RDONLY, &begun);
    transaction.reset(begun);
    MDB_dbi database = 0;
    if (code == 0) code = mdb_dbi_open(begun, nullptr, 0, &database);
    MDB_cursor* opened = nullptr;
    if (code == 0) code = mdb_cursor_open(begun, database, &opened);
    cursor.reset(opened);
    constexpr size_t kLeastNode = 8;
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path + "/data.mdb", ignored);
    if (!ignored) most = bytes / kLeastNode;
    return code;
  }
  bool next(MDB_val& value) const {
    MDB_val key;
    return mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT) == 0;
  }
};

// Reads everything that is read later, then ends the process. A damaged file ends it with a signal.
[[noreturn]] void read_to_the_end(const std::string& path) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, SIG_DFL);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  if (const int quiet = open("/dev/null", O_WRONLY); quiet >= 0) dup2(quiet, STDERR_FILENO);
  Opened opened;
  if (opened.open(path) != 0) _exit(0);
  constexpr size_t kPage = 4096;
  MDB_val value;
  for (size_t count = 0; count <= opened.most && opened.next(value); ++count) {
    const auto* bytes = static_cast<const volatile uint8_t*>(value.mv_data);
    for (size_t at = 0; at < value.mv_size; at += kPage) static_cast<void>(bytes[at]);
    if (value.mv_size > 0) static_cast<void>(bytes[value.mv_size - 1]);
  }
  _exit(0);
}

// LMDB trusts its files and may crash on a damaged one, so a child process reads the file first.
Status check_whole(const std::string& path) {
  const pid_t reader = fork();
  if (reader == 0) read_to_the_end(path);
  int status = 0;
  if (reader < 0 || TEMP_FAILURE_RETRY(waitpid(reader, &status, 0)) != reader)
    return data_error(path, std::strerror(errno));
  if (WIFSIGNALED(status)) return data_error(path, "its pages are damaged");
  return {};
}

class Lmdb final : public DataSet {
 public:
  Lmdb(DataOptions options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}

  // Values stay at their addresses while the transaction exists.
  Status open() {
    TW_RETURN_IF_ERROR(check_whole(path_));
    if (const int code = opened_.open(path_); code != 0)
      return data_error(path_, mdb_strerror(code));
    for (MDB_val value; opened_.next(value);) {
      if (values_.size() == opened_.most) return data_error(path_, "its pages lead in a circle");
      values_.push_back(value);
      TW_ASSIGN_OR_RETURN(datum, parse(values_.size() - 1));
      labels_.push_back(datum.has_label() ? datum.label() : -1);
    }
    opened_.cursor.reset();
    return {};
  }

  Status sample(size_t index, std::span<float> values) const override {
    TW_ASSIGN_OR_RETURN(datum, parse(index));
    TW_ASSIGN_OR_RETURN(picture, picture_of(datum, options_, path_));
    return prepare(picture, options_, path_, values);
  }
  Result<Extents> natural_shape() const override {
    TW_ASSIGN_OR_RETURN(datum, parse(0));
    DataOptions color = options_;
    color.shape.c = 3;
    TW_ASSIGN_OR_RETURN(picture, picture_of(datum, color, path_));
    return picture.extents;
  }

 private:
  Result<caffe::Datum> parse(size_t index) const {
    const MDB_val& value = values_[index];
    caffe::Datum datum;
    if (value.mv_size > INT32_MAX ||
        !datum.ParsePartialFromArray(value.mv_data, static_cast<int>(value.mv_size)))
      return data_error(path_, "value " + std::to_string(index) + " is not a Datum");
    return datum;
  }

  DataOptions options_;
  std::string path_;
  Opened opened_;
  std::vector<MDB_val> values_;
};

}  // namespace

Result<std::unique_ptr<DataSet>> open_lmdb(const std::string& path, const DataOptions& options) {
  auto data = std::make_unique<Lmdb>(options, path);
  TW_RETURN_IF_ERROR(data->open());
  return std::unique_ptr<DataSet>(std::move(data));
}

}  // namespace tputwin::net
