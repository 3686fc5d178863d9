// Counts of the simulated chip's instructions, by operation.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <tputwin/device.h>

#include <map>
#include <string>

class Tally : public tputwin::api::Observer {
 public:
  struct Row {
    uint64_t instructions = 0, bytes = 0, operations = 0, cycles = 0;
    void add(const tputwin::api::Event& e) {
      instructions++;
      bytes += e.bytes_read + e.bytes_written;
      operations += e.operations;
      cycles += e.cycles;
    }
  };
  void on_instruction(const tputwin::api::Event& e) override {
    rows_[e.name].add(e);
    total_.add(e);
  }
  const Row& total() const { return total_; }
  void print() const {
    printf("  %-18s %12s %12s %14s %14s\n", "operation", "instructions", "MB moved", "Mops",
           "cycles");
    for (const auto& row : rows_) print(row.first.c_str(), row.second);
    print("total", total_);
  }

 private:
  static void print(const char* name, const Row& r) {
    printf("  %-18s %12llu %12.1f %14.1f %14llu\n", name, (unsigned long long)r.instructions,
           (double)r.bytes / 1e6, (double)r.operations / 1e6, (unsigned long long)r.cycles);
  }
  std::map<std::string, Row> rows_;
  Row total_;
};
