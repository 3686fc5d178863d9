// A small JSON reader and writer, good enough for records.
#pragma once
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace conf {

inline std::string json_escape(const std::string &s) {
    std::string o;
    for (char ch : s) {
        if (ch == '"' || ch == '\\') { o += '\\'; o += ch; }
        else if (ch == '\n') o += "\\n";
        else if ((unsigned char)ch < 32) o += ' ';
        else o += ch;
    }
    return o;
}

struct Json {
    enum Type { NUL, NUM, STR, ARR, OBJ } type = NUL;
    double num = 0;
    std::string str;
    std::vector<Json> arr;
    std::map<std::string, Json> obj;
    const Json *get(const char *k) const { auto it = obj.find(k); return it == obj.end() ? nullptr : &it->second; }
};

struct JsonParser {
    const char *p, *e;
    bool ok = true;
    explicit JsonParser(const std::string &s) : p(s.data()), e(s.data() + s.size()) {}
    void ws() { while (p < e && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) ++p; }
    Json value() {
        Json j; ws();
        if (p >= e) { ok = false; return j; }
        if (*p == '{') {
            j.type = Json::OBJ; ++p; ws();
            if (p < e && *p == '}') { ++p; return j; }
            while (ok) {
                ws(); Json k = value(); ws();
                if (k.type != Json::STR || p >= e || *p != ':') { ok = false; break; }
                ++p; j.obj[k.str] = value(); ws();
                if (p < e && *p == ',') { ++p; continue; }
                if (p < e && *p == '}') { ++p; break; }
                ok = false;
            }
        } else if (*p == '[') {
            j.type = Json::ARR; ++p; ws();
            if (p < e && *p == ']') { ++p; return j; }
            while (ok) {
                j.arr.push_back(value()); ws();
                if (p < e && *p == ',') { ++p; continue; }
                if (p < e && *p == ']') { ++p; break; }
                ok = false;
            }
        } else if (*p == '"') {
            j.type = Json::STR; ++p;
            while (p < e && *p != '"') {
                if (*p == '\\' && p + 1 < e) { ++p; j.str += *p == 'n' ? '\n' : *p; ++p; }
                else j.str += *p++;
            }
            if (p < e) ++p; else ok = false;
        } else {
            char *end; j.type = Json::NUM; j.num = strtod(p, &end);
            if (end == p) ok = false;
            p = end;
        }
        return j;
    }
};

} // namespace conf
