// Golden records. The harness must first define the parts of a memory image: REGIONS,
// region_base(region) and region_size(region).
#pragma once
#include "json.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace conf {

struct Run { int npu; uint32_t off; std::vector<uint8_t> bytes; };
struct Record {
    int index = 0;
    std::string args, kind, status; // status: "" or why no result could be recorded
    uint64_t hash = 0, hash_nan = 0; // hash_nan: same, with every NaN replaced by one value
    bool has_bytes = false;
    std::vector<Run> runs;
};

inline std::vector<Run> diff_runs(const uint8_t *a, const uint8_t *b) {
    std::vector<Run> r;
    for (int q = 0; q < REGIONS; ++q) {
        const uint8_t *x = a + region_base(q), *y = b + region_base(q);
        size_t n = region_size(q), i = 0;
        while (i < n) {
            if (x[i] == y[i]) {
                if (n - i >= 64 && !memcmp(x + i, y + i, 64)) i += 64; else ++i;
                continue;
            }
            size_t last = i, j = i + 1;
            for (; j < n && j - last < 9; ++j) if (x[j] != y[j]) last = j;
            r.push_back({q, (uint32_t)i, std::vector<uint8_t>(y + i, y + last + 1)});
            i = last + 1;
        }
    }
    return r;
}

inline bool is_nan_bits(uint32_t u) { return (u & 0x7fffffffu) > 0x7f800000u; }

inline std::string record_json(const Record &r) {
    char b[96];
    std::string o = "{\"case\":" + std::to_string(r.index) + ",\"args\":\"" + json_escape(r.args) + "\",\"data_kind\":\"" + r.kind + "\"";
    if (!r.status.empty()) return o + ",\"status\":\"" + json_escape(r.status) + "\"}";
    snprintf(b, sizeof b, ",\"output_hash\":\"%016llx\",\"output_hash_nan\":\"%016llx\"", (unsigned long long)r.hash, (unsigned long long)r.hash_nan);
    o += b;
    if (r.has_bytes) {
        static const char *hx = "0123456789abcdef";
        o += ",\"changed\":[";
        for (size_t i = 0; i < r.runs.size(); ++i) {
            if (i) o += ',';
            o += "[" + std::to_string(r.runs[i].npu) + "," + std::to_string(r.runs[i].off) + ",\"";
            for (uint8_t x : r.runs[i].bytes) { o += hx[x >> 4]; o += hx[x & 15]; }
            o += "\"]";
        }
        o += "]";
    }
    return o + "}";
}

inline bool load_records(const std::string &path, std::vector<Record> &out, std::string &salt) {
    std::ifstream f(path, std::ios::binary);
    if (!f) return false;
    std::stringstream ss; ss << f.rdbuf();
    std::string s = ss.str();
    JsonParser jp(s);
    Json j = jp.value();
    if (!jp.ok || j.type != Json::OBJ || !j.get("cases")) return false;
    if (j.get("salt")) salt = j.get("salt")->str;
    for (const Json &k : j.get("cases")->arr) {
        Record r;
        r.index = (int)k.get("case")->num;
        r.args = k.get("args")->str;
        if (k.get("data_kind")) r.kind = k.get("data_kind")->str;
        if (k.get("status")) r.status = k.get("status")->str;
        if (k.get("output_hash")) r.hash = strtoull(k.get("output_hash")->str.c_str(), nullptr, 16);
        if (k.get("output_hash_nan")) r.hash_nan = strtoull(k.get("output_hash_nan")->str.c_str(), nullptr, 16);
        if (const Json *c = k.get("changed")) {
            r.has_bytes = true;
            for (const Json &q : c->arr) {
                Run run; run.npu = (int)q.arr[0].num; run.off = (uint32_t)q.arr[1].num;
                const std::string &h = q.arr[2].str;
                auto nib = [](char ch) { return ch <= '9' ? ch - '0' : (ch | 32) - 'a' + 10; };
                for (size_t i = 0; i + 1 < h.size(); i += 2) run.bytes.push_back((uint8_t)(nib(h[i]) * 16 + nib(h[i + 1])));
                r.runs.push_back(std::move(run));
            }
        }
        out.push_back(std::move(r));
    }
    return true;
}

} // namespace conf
