// LMDBs whose values are Caffe's Datum.
#include <bmnet/tputwin_caffe.pb.h>
#include <lmdb.h>

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

class Lmdb final : public DataSet {
 public:
  Lmdb(DataOptions options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}

  // Values stay where they are as long as the transaction lives.
  Status open() {
    MDB_env* environment = nullptr;
    int code = mdb_env_create(&environment);
    environment_.reset(environment);
    if (code == 0) code = mdb_env_open(environment, path_.c_str(), MDB_RDONLY | MDB_NOLOCK, 0);
    MDB_txn* transaction = nullptr;
    if (code == 0) code = mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction);
    transaction_.reset(transaction);
    MDB_dbi database = 0;
    if (code == 0) code = mdb_dbi_open(transaction, nullptr, 0, &database);
    MDB_cursor* opened = nullptr;
    if (code == 0) code = mdb_cursor_open(transaction, database, &opened);
    if (code != 0) return data_error(path_, mdb_strerror(code));
    const std::unique_ptr<MDB_cursor, CloseCursor> cursor(opened);
    MDB_val key, value;
    while (mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT) == 0) {
      values_.push_back(value);
      TW_ASSIGN_OR_RETURN(datum, parse(values_.size() - 1));
      labels_.push_back(datum.has_label() ? datum.label() : -1);
    }
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
  std::unique_ptr<MDB_env, CloseEnvironment> environment_;
  std::unique_ptr<MDB_txn, AbortTransaction> transaction_;
  std::vector<MDB_val> values_;
};

}  // namespace

Result<std::unique_ptr<DataSet>> open_lmdb(const std::string& path, const DataOptions& options) {
  auto data = std::make_unique<Lmdb>(options, path);
  TW_RETURN_IF_ERROR(data->open());
  return std::unique_ptr<DataSet>(std::move(data));
}

}  // namespace tputwin::net
