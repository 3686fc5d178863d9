// Runs cases in child processes: a case that crashes, asserts or hangs fails alone.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace conf {

inline bool write_all(int fd, const void *p, size_t n) {
    const char *c = (const char *)p;
    while (n) { ssize_t k = write(fd, c, n); if (k <= 0) return false; c += k; n -= (size_t)k; }
    return true;
}
inline void send_msg(int fd, uint32_t tag, const std::string &s) {
    uint32_t hd[2] = {tag, (uint32_t)s.size()};
    write_all(fd, hd, sizeof hd); write_all(fd, s.data(), s.size());
}
struct MsgReader { // splits a byte stream into messages
    std::string buf;
    template <typename F> void feed(const char *p, size_t n, F f) {
        buf.append(p, n);
        while (buf.size() >= 8) {
            uint32_t hd[2]; memcpy(hd, buf.data(), 8);
            if (buf.size() < 8 + (size_t)hd[1]) break;
            f(hd[0], buf.substr(8, hd[1]));
            buf.erase(0, 8 + (size_t)hd[1]);
        }
    }
};

// The reason for a child's end before its last case, and its last output.
struct ChildExit { std::string why, log; };

// Returns the last lines of a file without those of a backtrace.
inline std::string last_output(int fd) {
    std::string log;
    off_t sz = lseek(fd, 0, SEEK_END), start = sz > 6000 ? sz - 6000 : 0;
    lseek(fd, start, SEEK_SET);
    static char t[6001];
    ssize_t n = read(fd, t, 6000);
    t[n > 0 ? n : 0] = 0;
    for (char *l = strtok(t, "\n"); l; l = strtok(nullptr, "\n"))
        if (!strstr(l, "[0x") && log.size() < 400) { log += l; log += " | "; }
    return log;
}

// Runs as the child of run_child.
template <class Device, typename Work>
[[noreturn]] void be_child(size_t from, size_t count, const Work &work, int out, int log) {
    if (log >= 0) { dup2(log, 1); dup2(log, 2); setvbuf(stdout, nullptr, _IOLBF, 0); }
    // keeps the images of all cases in the same pages: new pages took half of the time
    mallopt(M_MMAP_THRESHOLD, 1 << 30); mallopt(M_TRIM_THRESHOLD, 1 << 30);
    Device d;
    if (!d.open()) { fprintf(stderr, "cannot open the device\n"); fflush(nullptr); _exit(3); }
    for (size_t i = from; i < count; ++i) send_msg(out, (uint32_t)i, work(d, i));
    send_msg(out, 0xffffffffu, "");
    _exit(0);
}

// Runs the cases [from, count) in a child: work(device, i) returns case i's message, which
// on_case(i, message) gets here. Returns the position reached; if not the end, `child_exit` has the
// reason.
template <class Device, typename Work, typename OnCase>
size_t run_child(size_t from, size_t count, int timeout_seconds, const Work &work, const OnCase &on_case, ChildExit &child_exit) {
    int pfd[2];
    if (pipe(pfd)) return from;
    char logname[] = "/tmp/conformance_logXXXXXX";
    int lfd = mkstemp(logname);
    pid_t pid = fork();
    if (pid == 0) { close(pfd[0]); be_child<Device>(from, count, work, pfd[1], lfd); }
    close(pfd[1]);
    size_t done = from;
    bool fin = false, timed_out = false;
    MsgReader mr;
    static char b[1 << 16];
    while (!fin) {
        struct pollfd pf{pfd[0], POLLIN, 0};
        int k = poll(&pf, 1, timeout_seconds * 1000);
        if (k == 0) { timed_out = true; break; }
        if (k < 0) continue;
        ssize_t n = read(pfd[0], b, sizeof b);
        if (n <= 0) break;
        mr.feed(b, (size_t)n, [&](uint32_t tag, std::string s) {
            if (tag == 0xffffffffu) { fin = true; return; }
            on_case(tag, s); done = tag + 1;
        });
    }
    if (!fin) kill(pid, SIGKILL);
    close(pfd[0]);
    int st = 0; waitpid(pid, &st, 0);
    if (!fin) {
        if (timed_out) child_exit.why = "timeout after " + std::to_string(timeout_seconds) + " s";
        else if (WIFSIGNALED(st)) child_exit.why = std::string("signal ") + std::to_string(WTERMSIG(st)) + " (" + strsignal(WTERMSIG(st)) + ")";
        else child_exit.why = "exit " + std::to_string(WEXITSTATUS(st));
        if (lfd >= 0) child_exit.log = last_output(lfd);
    }
    if (lfd >= 0) { close(lfd); unlink(logname); }
    return done;
}

// Runs the cases of all these functions, each on every target, in one child, and in another child
// after a case that ended it. A Check has list (case numbers), run(device, case, target),
// account(case, target, message) and args(case).
template <class Device, class Check>
void run_checks(std::deque<Check> &checks, const std::vector<std::string> &targets, int timeout_seconds) {
    struct Item { Check *check; int index; const std::string *target; };
    std::vector<Item> items;
    for (Check &c : checks) for (int index : c.list) for (const std::string &t : targets) items.push_back({&c, index, &t});
    size_t pos = 0;
    while (pos < items.size()) {
        ChildExit child_exit;
        pos = run_child<Device>(pos, items.size(), timeout_seconds,
            [&](Device &d, size_t i) { return items[i].check->run(d, items[i].index, *items[i].target); },
            [&](uint32_t i, const std::string &s) { items[i].check->account(items[i].index, *items[i].target, s); }, child_exit);
        if (pos == items.size()) break;
        const Item &it = items[pos++];
        it.check->account(it.index, *it.target, "F0\n    " + child_exit.why + ": " + it.check->args(it.index) + "\n    " + child_exit.log + "\n");
    }
}

struct Totals { int pass = 0, fail = 0, skip = 0; };
// Returns the message about a function: its counts, and the text to print.
inline std::string function_message(const Totals &t, const std::string &report) {
    return std::to_string(t.pass) + " " + std::to_string(t.fail) + " " + std::to_string(t.skip) + "\n" + report;
}

// Checks the functions number w, w + jobs, ... of ids, each in a child of its own or all in one. A
// Check also has id, prepare(), t and report().
template <class Device, class Check>
void check_functions(const std::vector<int> &ids, int w, int jobs, bool together, const std::vector<std::string> &targets, int timeout_seconds, int fd) {
    std::vector<uint32_t> mine;
    for (size_t k = (size_t)w; k < ids.size(); k += (size_t)jobs) mine.push_back((uint32_t)k);
    const size_t group = together ? mine.size() : 1;
    for (size_t first = 0; first < mine.size(); first += group) {
        std::deque<Check> checks(std::min(group, mine.size() - first));
        for (size_t i = 0; i < checks.size(); ++i) { checks[i].id = ids[mine[first + i]]; checks[i].prepare(); }
        run_checks<Device>(checks, targets, timeout_seconds);
        for (size_t i = 0; i < checks.size(); ++i) send_msg(fd, mine[first + i], function_message(checks[i].t, checks[i].report()));
    }
}

// Runs the jobs, work(w, fd) in one process each. Prints the texts of their messages in the order
// of the functions' numbers and returns the totals.
template <typename Work>
Totals run_jobs(int jobs, const Work &work) {
    std::vector<pid_t> pids; std::vector<int> fds;
    for (int w = 0; w < jobs; ++w) {
        int pfd[2]; if (pipe(pfd)) exit(3);
        pid_t pid = fork();
        if (pid == 0) { close(pfd[0]); work(w, pfd[1]); _exit(0); }
        close(pfd[1]); pids.push_back(pid); fds.push_back(pfd[0]);
    }
    std::map<uint32_t, std::string> out;
    Totals tot;
    uint32_t next = 0;
    std::vector<MsgReader> readers(fds.size());
    size_t open_fds = fds.size();
    while (open_fds) {
        std::vector<struct pollfd> pf;
        for (int fd : fds) pf.push_back({fd, POLLIN, 0});
        if (poll(pf.data(), pf.size(), -1) < 0) continue;
        for (size_t i = 0; i < pf.size(); ++i) if (fds[i] >= 0 && pf[i].revents) {
            static char b[1 << 16];
            ssize_t n = read(fds[i], b, sizeof b);
            if (n <= 0) { close(fds[i]); fds[i] = -1; --open_fds; continue; }
            readers[i].feed(b, (size_t)n, [&](uint32_t k, std::string s) { out[k] = s; });
        }
        while (out.count(next)) {
            std::string &s = out[next]; size_t nl = s.find('\n');
            int p = 0, f = 0, sk = 0; sscanf(s.c_str(), "%d %d %d", &p, &f, &sk);
            tot.pass += p; tot.fail += f; tot.skip += sk;
            fputs(s.c_str() + nl + 1, stdout); fflush(stdout);
            out.erase(next++);
        }
    }
    for (pid_t p : pids) waitpid(p, nullptr, 0);
    return tot;
}

} // namespace conf
