// SPDX-License-Identifier: Apache-2.0
#include "../../measure/words.hpp"
#include "sites.hpp"

#include <linn/detail/core/openmetrics.hpp>
#include <linn/version.hpp>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace linn::tool::pools {

constinit facts about{};

namespace {

constinit std::atomic<bool> statistics_wanted{false};
constinit const char* pattern = nullptr;

/// A text, a piece at a time: no memory of its own, no stream, nothing that a signal handler must not do.
class text_file {
public:
    explicit text_file(int descriptor) noexcept : descriptor_(descriptor) {}
    text_file(const text_file&) = delete;
    text_file& operator=(const text_file&) = delete;
    ~text_file() { flush(); }

    /// Texts and whole numbers.
    template <class... Pieces>
    void print(const Pieces&... pieces) noexcept {
        (put(pieces), ...);
    }

    void put(std::string_view text) noexcept {
        for (const char c : text) {
            if (used_ == sizeof buffer_) {
                flush();
            }
            buffer_[used_++] = c;
        }
    }
    void put(std::uint64_t number) noexcept {
        char digits[24];
        put(std::string_view{digits, std::to_chars(digits, std::end(digits), number).ptr});
    }

    /// Of JSON.
    void string(std::string_view text) noexcept {
        put("\"");
        for (const char& c : text) {
            if (c == '"' || c == '\\') {
                put("\\");
            }
            if (const auto code = static_cast<unsigned char>(c); code < 0x20) {
                print(code < 0x10 ? "\\u000" : "\\u001", std::string_view{"0123456789abcdef" + code % 16, 1});
            } else {
                put(std::string_view{&c, 1});
            }
        }
        put("\"");
    }
    void string_or_null(const char* text) noexcept {
        if (text != nullptr) {
            string(text);
        } else {
            put("null");
        }
    }
    void field(const char* name, std::uint64_t value) noexcept { print(", \"", name, "\": ", value); }

    /// Whether all went well. @pre nothing more is written
    bool end() noexcept {
        flush();
        return is_whole_;
    }

private:
    void flush() noexcept {
        for (std::size_t done = 0; done != used_ && is_whole_;) {
            const ssize_t n = ::write(descriptor_, buffer_ + done, used_ - done);
            if (n < 0 && errno == EINTR) {
                continue;
            }
            is_whole_ = n > 0;
            done += n > 0 ? static_cast<std::size_t>(n) : 0;
        }
        used_ = 0;
    }

    static char buffer_[4096];

    int descriptor_;
    bool is_whole_ = true;
    std::size_t used_ = 0;
};
constinit char text_file::buffer_[4096];

// Stacks of threads and of signal handlers may be small, so names do not lie there either: one writes at a time.
constinit std::atomic<bool> is_writing{false};
constinit char program_path[PATH_MAX];
constinit char file_path[PATH_MAX];
constinit char part_path[PATH_MAX + 16];

void write_sites(text_file& out, const plan_tables& plan) noexcept {
    for (std::uint32_t i = 0; i != plan.site_count; ++i) {
        const planned_site& s = plan.sites[i];
        const site_status status = status_of(i);
        out.print(i != 0 ? "," : "", "\n  {\"pool\": ");
        out.string(plan.text(plan.pools[s.pool].name));
        out.print(", \"module\": ");
        out.string(plan.text(plan.modules[s.call.module].name));
        out.field("offset", s.call.offset);
        out.field("size", s.size);
        out.print(", \"state\": \"", word_of(status.state, {"absent", "active", "left out", "left out"}),
                  "\", \"why\": ");
        out.string_or_null(word_of(status.state, {nullptr, nullptr, "the module is another build",
                                                  "the code is not what the plan says"}));
        if (are_hits_counted()) {
            out.field("hits", status.hits);
            out.print("}");
        } else {
            out.print(", \"hits\": null}");
        }
    }
}

void write_pool(text_file& out, pool_state& s, depot& d) noexcept {
    const pool_statistics n = d.statistics();
    out.string(d.name());
    for (const linn::detail::numeric_member& one : linn::detail::numeric_members) {
        out.field(one.key, n.*one.member);
    }
    out.field("live_bytes", n.live * n.slot_bytes);
    out.field("refused", s.refused.load(std::memory_order_relaxed));
}

void write_pools(text_file& out) noexcept {
    const char* separator = "";
    for (std::uint32_t i = 0; i != pool_count(); ++i) {
        depot* const d = pools[i].get();
        if (d == nullptr) {
            continue;
        }
        out.print(separator, "\n  {\"name\": ");
        write_pool(out, pools[i], *d);
        out.print("}");
        separator = ",";
    }
}

constinit pool_statistics measured_pools[pool_numbers]{};

/// For Prometheus and other monitoring; the file's name asks for it.
void write_openmetrics(text_file& out) noexcept {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i != pool_count(); ++i) {
        if (depot* const d = pools[i].get()) {
            measured_pools[count] = d->statistics();
            measured_pools[count].type = d->name();
            ++count;
        }
    }
    linn::detail::put_openmetrics(measured_pools, linn::detail::merge_by_labels(measured_pools, count),
                                  [&out](std::string_view piece) { out.put(piece); });
}

bool asks_for_openmetrics(std::string_view file) noexcept {
    return file.ends_with(".prom") || file.ends_with(".openmetrics");
}

void write_json(text_file& out) noexcept {
    const ssize_t n = ::readlink("/proc/self/exe", program_path, sizeof program_path);
    out.print("{\n\"schema\": \"linn.pools/2\",\n\"version\": \"", std::uint64_t{LINN_VERSION_MAJOR}, ".",
              std::uint64_t{LINN_VERSION_MINOR}, ".", std::uint64_t{LINN_VERSION_PATCH},
              "\",\n\"process\": ", static_cast<std::uint64_t>(::getpid()), ",\n\"program\": ");
    out.string({program_path, n > 0 ? static_cast<std::size_t>(n) : 0});
    out.print(",\n\"plan\": ");
    out.string_or_null(about.plan);
    out.print(",\n\"mode\": \"", about.mode, "\",\n\"checked\": ", detail::checked_build ? "true" : "false",
              ",\n\"problem\": ");
    out.string_or_null(about.problem);
    out.print(",\n\"range_bytes\": ", range.bytes.load(std::memory_order_relaxed),
              ",\n\"pool_bytes\": ", slab_bytes(), ",\n\"counted\": ", are_hits_counted() ? "true" : "false",
              ",\n\"sites\": [");
    if (const plan_tables* const plan = applied_plan()) {
        write_sites(out, *plan);
    }
    out.print("],\n\"pools\": [");
    write_pools(out);
    out.print("]\n}\n");
}

/// The pattern with the process id in it. False when it is too long.
bool make_name() noexcept {
    std::size_t n = 0;
    for (const char* p = pattern; *p != '\0' && n < sizeof file_path; ++p) {
        if (p[0] == '%' && p[1] == 'p') {
            n += static_cast<std::size_t>(
                std::snprintf(file_path + n, sizeof file_path - n, "%ld", static_cast<long>(::getpid())));
            ++p;
        } else {
            file_path[n++] = *p;
        }
    }
    if (n >= sizeof file_path) {
        return false;
    }
    file_path[n] = '\0';
    return std::snprintf(part_path, sizeof part_path, "%s.part", file_path) > 0;
}

void write_file() noexcept {
    if (!make_name()) {
        return;
    }
    const slow_path here;
    struct stat old{};
    // A device, a pipe and what a link points to are written to as they are; a file appears whole.
    const bool is_file = ::lstat(file_path, &old) != 0 || S_ISREG(old.st_mode);
    const int file = ::open(is_file ? part_path : file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_whole = false;
    if (file >= 0) {
        text_file out{file};
        asks_for_openmetrics(file_path) ? write_openmetrics(out) : write_json(out);
        is_whole = out.end();
        ::close(file);
    }
    if (!is_whole || (is_file && ::rename(part_path, file_path) != 0)) {
        say("cannot write %s: %s", file_path, ::strerrordesc_np(errno));
        if (is_file) {
            ::unlink(part_path);
        }
    }
}

void on_signal(int) {
    const int before = errno;
    if (me.is_inside) {
        // The thread may hold a lock, so it writes them when it has left.
        statistics_wanted.store(true, std::memory_order_relaxed);
    } else {
        write_statistics();
    }
    errno = before;
}

} // namespace

void keep_statistics_in(const char* file_pattern) noexcept {
    pattern = file_pattern;
}

bool write_statistics_at(const char* signal_name) noexcept {
    const int number = number_of_signal(signal_name);
    struct sigaction now{};
    if (number == 0 || ::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
        return false;
    }
    now = {};
    now.sa_handler = &on_signal;
    now.sa_flags = SA_RESTART;
    return ::sigaction(number, &now, nullptr) == 0;
}

void write_statistics() noexcept {
    if (pattern == nullptr ||
        is_writing.exchange(true, std::memory_order_acquire)) { // pairs with the release below
        return;
    }
    write_file();
    is_writing.store(false, std::memory_order_release); // pairs with the acquire above
}

void forget_writing_of_parent() noexcept {
    is_writing.store(false, std::memory_order_relaxed);
}

void write_wanted_statistics() noexcept {
    if (statistics_wanted.load(std::memory_order_relaxed) &&
        statistics_wanted.exchange(false, std::memory_order_relaxed)) {
        write_statistics();
    }
}

void say(const char* format, ...) noexcept {
    const int before = errno;
    char text[512];
    int n = std::snprintf(text, sizeof text, "linn-try: ");
    std::va_list arguments;
    va_start(arguments, format);
    const int more = std::vsnprintf(text + n, sizeof text - static_cast<unsigned>(n) - 1, format, arguments);
    va_end(arguments);
    const int room = static_cast<int>(sizeof text) - n - 2;
    n += more < 0 ? 0 : more < room ? more : room;
    text[n++] = '\n';
    const ssize_t written = ::write(STDERR_FILENO, text, static_cast<unsigned>(n));
    static_cast<void>(written); // a closed error stream is not reported
    errno = before;
}

} // namespace linn::tool::pools
