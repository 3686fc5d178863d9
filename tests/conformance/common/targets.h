// The instruction sets that the SDK under test can select, by name. An SDK without such a choice
// has no names; it is tested as it is.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace targets {
std::vector<std::string> available(); // on this host
// Selects an instruction set for all later calls; "" is the host's best.
void select(const std::string &name);
} // namespace targets

namespace conf {

// Selects a target for the call under test, and then the best one again: the copies of a case's
// memory do not depend on the target. "" does not change the target.
class OnTarget {
public:
    explicit OnTarget(const std::string &name) : chosen(!name.empty()) { if (chosen) targets::select(name); }
    ~OnTarget() { if (chosen) targets::select(""); }
    OnTarget(const OnTarget &) = delete;
    OnTarget &operator=(const OnTarget &) = delete;
private:
    bool chosen;
};

// Returns the targets of "A,B,C" that are available, and prints the others. Exits if none is
// available.
inline std::vector<std::string> parse_targets(const std::string &list) {
    const std::vector<std::string> here = targets::available();
    std::vector<std::string> chosen;
    std::string lacking, known;
    for (const std::string &x : here) known += " " + x;
    for (size_t p = 0; p <= list.size();) {
        size_t e = std::min(list.find(',', p), list.size());
        const std::string name = list.substr(p, e - p);
        p = e + 1;
        if (std::find(here.begin(), here.end(), name) != here.end()) chosen.push_back(name);
        else lacking += " " + name;
    }
    if (!lacking.empty()) fprintf(chosen.empty() ? stderr : stdout, "not available:%s; available:%s\n", lacking.c_str(), known.c_str());
    if (chosen.empty()) exit(2);
    return chosen;
}

// Returns the command line that reruns a function's cases on one target.
inline std::string rerun_line(const std::vector<std::string> &words, const std::string &only, const std::string &target) {
    std::string line = "    rerun:";
    for (const char *name : {"TPUTWIN_QUIRKS", "CONF_Z", "TPUTWIN_ISA"})
        if (const char *value = getenv(name)) line += std::string(" ") + name + "=" + value;
    for (const std::string &w : words) line += " " + w;
    line += " --only " + only;
    if (!target.empty()) line += " --targets " + target;
    return line + "\n";
}

} // namespace conf
