// Quantized files of the vendor: the calibration table is text in the model's properties.
#include <fstream>

#include "base/errors/bmnet.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet_onnx/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

constexpr const char* kTable =
    "layer { name: 'x' blob_param { name: 'x' threshold_y: 2 } }\n"
    "layer { name: 'n_y' blob_param { name: 'y' threshold_y: 4 } }\n";

class VendorTable : public ::testing::Test {
 protected:
  VendorTable() {
    builder_.input("x", {1, 1, 1, 2});
    builder_.weights("w", {1, 1, 1, 1}, {0.5f});
    builder_.node("Conv", {"x", "w"}, {"y"}).set_name("n_y");
    builder_.output("y");
  }

  void add_property(const std::string& key, const std::string& value) {
    auto& property = *builder_.model.add_metadata_props();
    property.set_key(key);
    property.set_value(value);
  }

  void write() {
    std::ofstream file(path_, std::ios::binary);
    builder_.model.SerializeToOstream(&file);
  }
  Result<net::Prepared> prepare(const std::string& table = "") {
    write();
    net::Source source{.prototxt = "", .caffemodel = path_, .table = {}, .import = {}};
    if (!table.empty()) {
      std::ofstream(folder_ / "table.prototxt") << table;
      source.table = folder_ / "table.prototxt";
    }
    return net::prepare(source);
  }

  ModelBuilder builder_;
  tputwin::testing::TemporaryDirectory folder_;
  const std::string path_ = folder_ / "model.onnx";
};

TEST_F(VendorTable, CountsLikeTheTableOfAFile) {
  auto by_file = prepare(kTable);
  ASSERT_TRUE(by_file.ok()) << by_file.error().message();
  add_property("data_scale", "0.5");
  add_property("bm1880_ctable", kTable);
  auto own = prepare();
  ASSERT_TRUE(own.ok()) << own.error().message();
  EXPECT_EQ(net::table_text(own->table), net::table_text(by_file->table));
  EXPECT_EQ(own->network.blobs.at("n_y")[0].data, by_file->network.blobs.at("n_y")[0].data);
  EXPECT_TRUE(net::resolve(own->network, own->table).ok());
}

TEST_F(VendorTable, IsForTheBm1880) {
  add_property("bm1880_ctable", std::string("chip: 'bm1684x' ") + kTable);
  auto prepared = prepare();
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().id(), errors::net_table_chip);
  // Nets for other chips do not read it.
  for (const ChipFamily chip : {ChipFamily::bm1684, ChipFamily::bm1684x}) {
    auto other = net::prepare_float(
        {.prototxt = "", .caffemodel = path_, .table = {}, .import = {}, .chip = chip});
    ASSERT_TRUE(other.ok()) << other.error().message();
    EXPECT_EQ(other->table.layer_size(), 0);
  }
}

TEST_F(VendorTable, GivesWayToTheTableOfAFile) {
  add_property("bm1880_ctable", "no table");
  auto prepared = prepare(kTable);
  EXPECT_TRUE(prepared.ok()) << prepared.error().message();
}

TEST_F(VendorTable, IsNamedWhereItIsBroken) {
  add_property("bm1880_ctable", "no table");
  auto prepared = prepare();
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().id(), errors::net_table);
  EXPECT_NE(prepared.error().message().find("bm1880_ctable"), std::string::npos)
      << prepared.error().message();
}

}  // namespace
}  // namespace tputwin::test
