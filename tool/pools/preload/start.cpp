// SPDX-License-Identifier: Apache-2.0
// Where the library begins and ends: the environment, the plan, the range; the statistics. And what it notices of files
// that come and go.
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "sites.hpp"

#include <linn/detail/sanitizer/valgrind.hpp>

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

namespace linn::tool::pools {
namespace {

using preload::find_real_functions;
using preload::next_operators;
using preload::real;

const char* variable(const char* name) noexcept {
    const char* const value = preload::variable(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// A copy: programs that rename themselves write over their environment.
template <std::size_t room>
const char* kept(const char* value, char (&into)[room]) noexcept {
    if (value == nullptr || ::strnlen(value, room) == room) {
        return nullptr;
    }
    return std::strcpy(into, value);
}
constinit char plan_file[PATH_MAX];
constinit char statistics_file[PATH_MAX];

pool_mode mode_from(const char* text) noexcept {
    for (std::size_t i = 0; i != std::size(mode_names); ++i) {
        if (text == nullptr || std::strcmp(text, mode_names[i]) == 0) {
            return static_cast<pool_mode>(i); // the first is the usual one
        }
    }
    say("LINN_POOLS must be on, off, empty or sizes, not '%s'; nothing is pooled", text);
    return pool_mode::off;
}

/// A copy of a file in memory, which the file's writers cannot change; empty when it cannot be read, and errno says why.
std::string_view content_of(const char* file) noexcept {
    const int descriptor = ::open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about_file{};
    std::string_view content;
    if (descriptor >= 0 && ::fstat(descriptor, &about_file) == 0) {
        constexpr off_t most_bytes = 16 << 20; // of a plan: what is longer is none
        const auto bytes = static_cast<std::size_t>(std::min(about_file.st_size, most_bytes));
        const bool is_file = S_ISREG(about_file.st_mode);
        errno = is_file ? ENOMEM : EINVAL;
        void* const memory = is_file ? detail::system_pages::map(bytes + 1, 4096) : nullptr;
        if (memory != nullptr && ::read(descriptor, memory, bytes) == static_cast<ssize_t>(bytes)) {
            content = {static_cast<const char*>(memory), bytes};
        }
    }
    const int before = errno;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    errno = before;
    return content;
}

constinit plan_tables tables{};

/// Null when there is no plan to be had, which then has been said.
const plan_tables* plan_from(const char* file) noexcept {
    const std::string_view content = content_of(file);
    if (content.data() == nullptr) {
        about.problem = "the plan cannot be read";
        say("%s: %s; nothing is pooled", file, ::strerrordesc_np(errno));
        return nullptr;
    }
    if (!read_compiled_plan(content, tables)) {
        const bool is_text = !is_compiled_plan(content);
        about.problem = is_text ? "the plan is not compiled" : "the plan is damaged, or of another version";
        say("%s: %s: linn pools --plan PLAN.toml --compile FILE writes one; nothing is pooled", file,
            is_text ? "not a compiled plan" : "damaged, or of another version");
        return nullptr;
    }
    return &tables;
}

/// Whether calls must be looked up, now or when a library appears.
bool apply(const plan_tables& plan, pool_mode mode) noexcept {
    const bool is_on_memcheck = detail::running_on_memcheck();
    if (is_on_memcheck || next_operators.is_malloc_taken) {
        about.problem = is_on_memcheck ? "Valgrind's Memcheck has to see each block"
                                       : "the program, or a library before this one, brings its own malloc";
        return false;
    }
    const bool looks_up = mode != pool_mode::empty && plan.site_count != 0;
    limit_slabs(plan.max_bytes);
    if (looks_up && !reserve_range()) {
        about.problem = "no address space";
        say("no address space for pools: nothing is pooled");
        return false;
    }
    const char* const counts = variable("LINN_POOLS_COUNT");
    const bool counts_hits = counts != nullptr && std::strcmp(counts, "1") == 0;
    // The program's own new belongs with its own delete. An allocator behind us may lack some of the operators: the standard
    // library's, which take their place, come to ours.
    if (!apply_plan(plan, {mode, counts_hits, !next_operators.is_any_taken})) {
        about.problem = "no memory";
        say("no memory for pools: nothing is pooled");
        return false;
    }
    return looks_up;
}

/// Reads the environment and the plan. False when nothing will ever be looked up.
bool set_up() noexcept {
    keep_statistics_in(kept(variable("LINN_POOLS_STATS"), statistics_file));
    const char* const signal = variable("LINN_POOLS_SIGNAL");
    if (signal != nullptr && !write_statistics_at(signal)) {
        say("LINN_POOLS_SIGNAL: %s is not a signal that is free here", signal);
    }
    pool_mode mode = mode_from(variable("LINN_POOLS"));
    about.mode = mode_names[static_cast<std::size_t>(mode)];
    about.plan = kept(variable("LINN_PLAN"), plan_file);
    if (about.plan == nullptr || mode == pool_mode::off) {
        return false;
    }
    const plan_tables* const plan = plan_from(about.plan);
    if (plan == nullptr) {
        ::unsetenv("LINN_PLAN"); // once is enough for all that the program starts
        return false;
    }
    if (mode == pool_mode::on && plan->serves_every_call != 0) {
        mode = pool_mode::sizes;
        about.mode = mode_names[static_cast<std::size_t>(mode)];
    }
    const bool looks_up = apply(*plan, mode);
    const bool is_at_work = is_any_site_active();
    if (plan->has_children == 0 && is_at_work) {
        ::unsetenv("LINN_PLAN");
    }
    if (looks_up && mode != pool_mode::sizes && !is_at_work) {
        pass_allocations_on();
    }
    return looks_up;
}

__attribute__((constructor)) void start() noexcept {
    find_real_functions();
    if (!set_up()) {
        pass_all_on();
    }
}

__attribute__((destructor)) void end() noexcept {
    if constexpr (detail::checked_build) {
        check_pools();
    }
    write_statistics();
}

} // namespace
} // namespace linn::tool::pools

using namespace linn::tool::pools;

// A jump at the end: the C library takes the caller of dlopen for the file whose RUNPATH counts. Files come later, so the
// mark is set before.
extern "C" __attribute__((visibility("default"), noinline)) void* dlopen(const char* file,
                                                                         int mode) noexcept {
    linn::tool::preload::find_real_functions();
    request_scan();
    return linn::tool::preload::real.dlopen(file, mode);
}

extern "C" __attribute__((visibility("default"), noinline)) int dlclose(void* handle) noexcept {
    linn::tool::preload::find_real_functions();
    const int result =
        linn::tool::preload::real.dlclose != nullptr ? linn::tool::preload::real.dlclose(handle) : -1;
    request_scan();
    return result;
}

extern "C" __attribute__((visibility("default"), noinline)) int mlockall(int flags) noexcept {
    linn::tool::preload::find_real_functions();
    give_up_rest_of_range();
    return linn::tool::preload::real.mlockall != nullptr ? linn::tool::preload::real.mlockall(flags) : -1;
}
