// An LMDB of given values.
#pragma once

#include <gtest/gtest.h>
#include <lmdb.h>

#include <string>
#include <vector>

namespace tputwin::net::testing {

inline void write_lmdb(const std::string& path, const std::vector<std::string>& values) {
  MDB_env* environment;
  MDB_txn* transaction;
  MDB_dbi database;
  ASSERT_EQ(mdb_env_create(&environment), 0);
  ASSERT_EQ(mdb_env_open(environment, path.c_str(), 0, 0644), 0);
  ASSERT_EQ(mdb_txn_begin(environment, nullptr, 0, &transaction), 0);
  ASSERT_EQ(mdb_dbi_open(transaction, nullptr, 0, &database), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    std::string name = std::to_string(10000 + i), text = values[i];
    MDB_val key{name.size(), name.data()}, value{text.size(), text.data()};
    ASSERT_EQ(mdb_put(transaction, database, &key, &value, 0), 0);
  }
  ASSERT_EQ(mdb_txn_commit(transaction), 0);
  mdb_env_close(environment);
}

}  // namespace tputwin::net::testing
