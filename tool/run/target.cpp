// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using kind = executable_info::kind;
using ending = observation::ending;

/// Whether a program is one that runs others: a shell, an interpreter, or such as env and nice.
bool starts_others(const fs::path& executable) {
    const std::string file = executable.filename().string();
    const std::string_view name = std::string_view{file}.substr(0, file.find_first_of("0123456789.-"));
    constexpr std::string_view names[] = {
        "ash",  "bash",   "busybox", "chrt",    "chroot", "dash",    "env",  "fish",   "ionice",  "ksh",
        "mksh", "nice",   "nohup",   "numactl", "perl",   "python",  "ruby", "runcon", "setarch", "setsid",
        "sh",   "stdbuf", "taskset", "tclsh",   "time",   "timeout", "yash", "zsh"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The file that the process would execute under that name; empty: none.
fs::path looked_up_by(const process_proof& p, const std::string& name) {
    constexpr std::string_view variable = "PATH=";
    const auto path =
        std::ranges::find_if(p.environment, [&](const auto& e) { return e.starts_with(variable); });
    return find_program(name, path == p.environment.end() ? "" : path->substr(variable.size()), p.directory);
}

/// A program that becomes a static one by exec, or another one with a cleared environment, says nothing more; but
/// the kernel's name of it changes. A program may also change it itself, which those that only start others do not.
std::string check_last_name(const target& t, const process_proof& last) {
    const std::string& name = t.first.last_name;
    if (name.empty() || name == last.name) {
        return {};
    }
    const auto matches = [&name](const fs::path& p) { return p.filename().string().substr(0, 15) == name; };
    std::vector<std::string> candidates = last.arguments;
    candidates.push_back(name);
    for (const std::string& candidate : candidates) {
        const fs::path file = looked_up_by(last, candidate).lexically_normal();
        if (!matches(candidate) || file.empty()) {
            continue;
        }
        const executable_info info = inspect_executable(file);
        const std::string problem =
            info.what == kind::program ? why_not_preloadable(file, info) : std::string{};
        if (!problem.empty()) {
            return fmt::format("{} becomes another program: {}", t.command.front(), problem);
        }
    }
    if (!starts_others(last.executable)) {
        return {};
    }
    return fmt::format("{} becomes another program, {}, that no preload reaches: it is static, or "
                       "its environment was cleared. Name that program itself",
                       t.command.front(), name);
}

/// Why the file that provides malloc cannot be replaced; empty when it can.
std::string check_provider(const target& t, const process_proof& last) {
    if (t.own_provider.empty()) {
        return fmt::format("{} does not use malloc", last.executable.string());
    }
    if (t.own_provider == last.executable.string()) {
        return fmt::format("{} has an allocator compiled in, which a preloaded one cannot replace: "
                           "link it as a shared library, or not at all, to compare",
                           last.executable.string());
    }
    return {};
}

/// The program as its wrapper started it.
void measure_directly(target& t, const process_proof& last) {
    t.spec.program = last.executable;
    t.spec.arguments = last.arguments;
    t.spec.directory = last.directory;
    t.spec.environment = last.environment;
    std::erase_if(t.spec.environment, [](const std::string& variable) {
        return variable.starts_with("LD_PRELOAD=") || variable.starts_with("LINN_PROBE=");
    });
    // By the name it was called if that is the same file: some programs look where they were called from.
    if (last.arguments.empty()) {
        return;
    }
    const fs::path called = looked_up_by(last, last.arguments.front());
    std::error_code error;
    if (!called.empty() && fs::equivalent(called, last.executable, error)) {
        t.spec.program = called;
    }
}

/// Learns from the first run what the program became. Returns why it cannot be measured; empty when it can.
std::string follow(target& t, bool keep_wrappers) {
    const process_proof* const last = main_proof(t.first);
    if (last == nullptr) {
        return fmt::format("{} did not load the probe that proves who provides its memory, so no allocator "
                           "would reach it either",
                           t.spec.program.string());
    }
    const executable_info info = inspect_executable(last->executable);
    t.own_provider = last->file_of("malloc");
    for (const std::string& problem :
         {why_not_preloadable(last->executable, info), check_last_name(t, *last), check_provider(t, *last)}) {
        if (!problem.empty()) {
            return problem;
        }
    }
    for (const process_proof& p : t.first.proofs) {
        const std::string file = p.executable.string();
        if (p.is_main && &p != last) {
            t.wrappers.push_back(file);
        } else if (!p.is_main && std::ranges::count(t.also_ran, file) == 0) {
            t.also_ran.push_back(file);
        }
    }
    t.remarks = remarks_on(*last, info);
    if (!t.wrappers.empty() && !keep_wrappers) {
        measure_directly(t, *last);
    }
    return {};
}

/// What a program may miss; empty where that was given.
std::string_view hint_for(const launch_spec& spec) {
    return spec.input.empty() && spec.client.empty()
               ? " Its standard input is /dev/null: if it needs one, give it with --input FILE."
               : "";
}

/// Why the first run shows that there is nothing to measure; empty when it went well.
std::string judge_first_run(const target& t, bool ignore_exit_status) {
    const observation& o = t.first;
    const std::string how = describe_ending(o, t.spec);
    const std::string words = last_words(o);
    const std::string said = words.empty() ? std::string{} : fmt::format(" Its last words:\n{}", words);
    switch (o.how) {
    case ending::exited:
        if (o.code == 0 || ignore_exit_status) {
            return {};
        }
        return fmt::format("{} fails ({}) even with the default allocator. If this is expected, pass "
                           "--ignore-exit-status.{}{}",
                           t.command.front(), how, hint_for(t.spec), said);
    case ending::not_started:
        return fmt::format("{} {}", t.command.front(), how);
    case ending::timed_out:
        return fmt::format("{} {}, even with the default allocator; --timeout gives it more.{}{}",
                           t.command.front(), how, hint_for(t.spec), said);
    case ending::too_much_output:
        return fmt::format("{} {}: let it write less, or into a file", t.command.front(), how);
    case ending::signalled:
    case ending::interrupted: // which the caller knows
    case ending::never_ready:
    case ending::client_failed:
        break;
    }
    // These sentences have a subject of their own, another than the program's name.
    const bool is_whole = o.how == ending::client_failed || (o.how == ending::never_ready && o.code != 0);
    return fmt::format("{}{}{}, even with the default allocator.{}", t.command.front(),
                       is_whole                     ? ": "
                       : o.how == ending::signalled ? " was "
                                                    : " ",
                       how, said);
}

} // namespace

target find_target(const std::vector<std::string>& command, const launch_spec& options, bool keep_wrappers,
                   bool ignore_exit_status, const interrupt_guard& guard, const std::function<void()>& tick) {
    target t;
    t.spec = options;
    t.command = command;
    if (command.empty() || command.front().empty()) {
        t.problem = "no program is named";
        t.is_usage_error = true;
        return t;
    }
    const reached_program found = reach_program(command.front(), false);
    t.problem = found.problem;
    t.is_usage_error = found.is_usage_error;
    if (!t.problem.empty()) {
        return t;
    }
    t.spec.program = found.file;
    t.spec.arguments = command;
    std::error_code error;
    t.spec.directory = fs::current_path(error);
    t.spec.environment = child_environment({});

    launch_spec first = t.spec;
    first.library.clear();
    t.first = launch(first, guard, tick);
    t.problem = judge_first_run(t, ignore_exit_status);
    t.is_usage_error = t.first.how == ending::not_started;
    if (t.problem.empty()) {
        t.problem = follow(t, keep_wrappers);
    }
    if (t.problem.empty() && std::getenv("LD_PRELOAD") != nullptr) {
        t.remarks.push_back("LD_PRELOAD of the environment is not given to the program");
    }
    return t;
}

namespace {

/// A program whose name begins so, and is then at an end or goes on with a version, has a heap of its own.
struct own_heap {
    std::string_view name;
    std::string_view what;
    std::string_view without = {}; ///< a setting in the environment that takes it out
};

constexpr own_heap own_heaps[] = {
    {"python", "it has an allocator of its own for small objects", "PYTHONMALLOC=malloc"},
    {"pypy", "the heap of PyPy is its own"},
    {"php", "it has an allocator of its own", "USE_ZEND_ALLOC=0"},
    {"node", "the JavaScript heap of V8 is its own"},
    {"deno", "the JavaScript heap of V8 is its own"},
    {"bun", "the JavaScript heap of JavaScriptCore is its own"},
    {"java", "the Java heap is its own"},
    {"dotnet", "the .NET heap is its own"},
    {"mono", "the .NET heap is its own"},
    {"chrome", "most of its memory comes from its own PartitionAlloc"},
    {"chromium", "most of its memory comes from its own PartitionAlloc"},
    {"firefox", "it has its own jemalloc"},
    {"ghc", "the Haskell heap is its own"},
    {"sbcl", "the Lisp heap is its own"},
    {"beam.smp", "Erlang has allocators of its own; +MIscs and +M options switch them"},
    {"ocaml", "the OCaml heap is its own"},
    {"cc1plus", "GCC collects most of its memory itself, in pages from mmap"},
    {"cc1", "GCC collects most of its memory itself, in pages from mmap"},
};

bool is_called(std::string_view file, std::string_view name) {
    return file.starts_with(name) &&
           file.find_first_not_of("0123456789.-", name.size()) == std::string_view::npos;
}

} // namespace

std::vector<std::string> remarks_on(const process_proof& last, const executable_info& info) {
    std::vector<std::string> list;
    const std::string name = last.executable.filename().string();
    for (const own_heap& known : own_heaps) {
        if (is_called(name, known.name) && std::ranges::count(last.environment, known.without) == 0) {
            list.push_back(fmt::format(
                "{}: {}; {}", name, known.what,
                known.without.empty() ? "an allocator changes the rest only"
                                      : fmt::format("{} in the environment takes it out", known.without)));
        }
    }
    if (info.is_go) {
        list.push_back(fmt::format("{} is written in Go: its heap is its own, and an allocator changes only "
                                   "what C libraries allocate",
                                   name));
    }
    if (!info.private_heap.empty()) {
        list.push_back(
            fmt::format("{} has {} compiled in: an allocator changes only what that takes from malloc", name,
                        info.private_heap));
    }
    return list;
}

bool run_contender::is_default() const noexcept {
    return name == default_name;
}

bool run_contender::is_control() const noexcept {
    return name == default_again_name;
}

namespace {

/// By its bare name, so that it is the one that the program has already, where it has one.
constexpr const char* cxx_runtime = "libstdc++.so.6";

std::string glibc_title() {
    return fmt::format("glibc {}", ::gnu_get_libc_version());
}

/// The C library of this process, which is the system's.
fs::path c_library() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &info) == 0) {
        return {};
    }
    std::error_code error;
    return fs::canonical(info.dli_fname, error);
}

/// Whether `operator new` is that of the program's own allocator, or of a library that is neither this nor the C++
/// runtime; a preloaded C library would leave it there, where a runtime before it calls the C library's malloc.
bool has_foreign_new(const target& what) {
    const process_proof* const proof = main_proof(what.first);
    if (proof == nullptr) {
        return false;
    }
    const std::string file = proof->file_of("operator new");
    return !file.empty() && !is_cxx_runtime(file) && file != proof->executable.string();
}

run_contender default_contender(const target& what, const char* name) {
    run_contender c;
    c.name = name;
    const bool is_glibc = is_c_library(what.own_provider);
    const std::string own =
        is_glibc ? glibc_title() : fmt::format("{}, linked", fs::path{what.own_provider}.filename().string());
    c.version = is_glibc ? ::gnu_get_libc_version() : "";
    c.title = fmt::format("{} ({})", c.name == default_name ? "default" : "default again", own);
    return c;
}

/// The C library's allocator, where the program brings another one.
run_contender preloaded_glibc(const target& what) {
    run_contender c;
    c.name = baseline_name;
    c.title = glibc_title();
    c.version = ::gnu_get_libc_version();
    c.library = c_library();
    if (has_foreign_new(what)) {
        c.runtime = cxx_runtime;
        c.notes = {fmt::format("with {} before it, for its operator new", cxx_runtime)};
    }
    return c;
}

} // namespace

std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<left_out_contender>& left_out) {
    std::vector<run_contender> list{default_contender(what, default_name),
                                    default_contender(what, default_again_name)};
    const allocator_choice choice{options.only, options.allocators};
    const bool is_glibc = is_c_library(what.own_provider);
    if (is_glibc && choice.wants(no_trim_name)) {
        list.push_back({glibc_without_trim()});
    }
    if (is_glibc && choice.wants(huge_name) && glibc_has_huge_pages()) {
        list.push_back({glibc_on_huge_pages()});
    }
    if (!is_glibc && choice.wants(baseline_name)) {
        list.push_back(preloaded_glibc(what));
    }
    if (is_glibc && choice.names(baseline_name)) {
        left_out.push_back({baseline_name, "the program runs on it anyway, and 'default' measures that"});
    }
    for (const char* const setting : {no_trim_name, huge_name}) {
        if (!is_glibc && choice.names(setting)) {
            left_out.push_back({setting, "these are settings of glibc, and the program brings " +
                                             fs::path{what.own_provider}.filename().string()});
        }
    }
    if (is_glibc && choice.names(huge_name) && !glibc_has_huge_pages()) {
        left_out.push_back({huge_name, "needs glibc 2.35 or later"});
    }
    for (contender& c : choice.contenders(inventory, left_out)) {
        c.title = title_with_version(c);
        list.push_back({std::move(c)});
    }
    return list;
}

std::size_t rank_of(const run_contender& c, const run_options& options) {
    if (!options.only.empty()) {
        const std::vector<std::string> names = resolve_names(options.only, options.allocators);
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), c.name) - names.begin());
    }
    return c.name.starts_with("mimalloc") ? 0 : c.library.empty() ? 1 : 2;
}

} // namespace linn::tool
