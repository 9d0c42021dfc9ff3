// SPDX-License-Identifier: Apache-2.0
// Promise: what docs/reference/misuse.md says of each misuse, part and tool: which report comes, of which kind, and
// whether at the wrong call or later; or that the program goes on.
//
// Breaks when a check goes or comes after a change, or a part of the library hides its objects from a tool. Each cell that promises
// something is a child that does it wrong, and one that does the same right, which must end well and say nothing. Where Linn reports,
// a third has a handler that returns: it is called once, and each part of the library serves on. This build has one column; a
// release build has that of Memcheck too, of which one process starts all children.
//
//     misuse_matrix                  the cells of this build
//     misuse_matrix --markdown       the table as the page shows it
//     misuse_matrix --compare PAGE   whether it does
#include "process.hpp"

#ifdef LINN_TEST_TSAN
int main() {
    return linn_test::skip("what a release build says is looked at there");
}
#else

#include "misuse_table.hpp"

// Nobody asks for the names of functions, and to look them up takes longer than all else.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "symbolize=0";
}

namespace {

using namespace linn_test;

std::FILE* memcheck_log = nullptr; ///< what Memcheck writes, while it runs this

std::string rest_of(std::FILE* file) {
    std::string text;
    char buffer[4096];
    std::clearerr(file);
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;) {
        text.append(buffer, n);
    }
    return text;
}

const cell& cell_here(const row& r) {
    if (memcheck_log != nullptr) {
        return r.memcheck;
    }
    return asan ? r.asan : linn::detail::checked_build ? r.checked : r.release;
}

struct outcome {
    child_result child;
    std::string log;

    [[nodiscard]] bool is(const cell& c) const {
        const std::size_t said = child.error.find(c.words);
        const std::size_t done = child.error.find(done_words);
        const bool here = said != std::string::npos;
        const bool in_log = c.whom == by::tool && log.find(c.words) != std::string::npos;
        switch (c.how) {
        case notice::not_promised:
            return true;
        case notice::goes_on:
            return child.exited_with(0) && child.error == done_words && log.empty();
        case notice::at_once:
            return !child.exited_with(0) && (in_log || (here && said < done));
        case notice::late:
            return !child.exited_with(0) && (in_log || (here && said > done));
        case notice::told:
            return here && said < done && done != std::string::npos;
        case notice::faults:
            return child.killed_by(SIGSEGV);
        }
        return false;
    }

    void print(const row& r, const char* what) const {
        std::fprintf(stderr, "--- %s, %s: %s: status %#x; it wrote:\n%s%s\n", r.part, r.misuse, what,
                     static_cast<unsigned>(child.status), child.error.c_str(), log.c_str());
    }
};

outcome run(const row& r, bool wrongly) {
    wrong = wrongly;
    outcome o{run_child(r.act), {}};
    if (memcheck_log != nullptr) {
        o.log = rest_of(memcheck_log);
    }
    return o;
}

template <class Part>
void serve() {
    std::set<typename Part::type*> all;
    for (int i = 0; i < 10; ++i) {
        auto* const p = Part::get();
        std::memset(static_cast<void*>(p), 1, sizeof *p);
        CHECK(all.insert(p).second);
    }
    for (auto* p : all) {
        Part::put(p);
    }
    Part::look();
}

/// Does it wrong with a handler that returns.
outcome run_ignored(const row& r) {
    wrong = true;
    return {run_child([&r] {
                linn::set_misuse_handler([](const linn::misuse& m) noexcept {
                    CHECK(!m.type.empty());
                    say(linn::to_string(m.kind));
                });
                r.act();
                wrong = false;
                serve<in_pool>();
                serve<in_local_pool>();
                serve<in_fixed_pool>();
                serve<in_pooled>();
                serve<in_resource>();
                serve<in_recycler>();
                std::_Exit(0); // objects that belong to another pool are alive there
            }),
            {}};
}

bool was_told_once(const child_result& child, const cell& c) {
    std::string rest = child.error;
    for (const std::string_view words : {std::string_view{c.words}, done_words}) {
        const std::size_t at = rest.find(words);
        if (at == std::string::npos) {
            return false;
        }
        rest.erase(at, words.size());
    }
    return child.exited_with(0) && rest.empty();
}

/// A pool that ends before its object ends the program where that is wished, also against a handler.
template <class Pool>
void check_strict_end() {
    const auto child = run_child([] {
        linn::set_misuse_handler([](const linn::misuse& m) noexcept { say(linn::to_string(m.kind)); });
        static_cast<void>(Pool{}.allocate());
    });
    const bool told = child.error == linn::to_string(linn::misuse_kind::objects_alive);
    child.expect(child.killed_by(SIGABRT) && told, "survivors");
}

int check_all() {
    int failed = 0;
    int tried = 0;
    for (const row& r : misuses) {
        const cell& expected = cell_here(r);
        if (expected.how == notice::not_promised) {
            continue;
        }
        ++tried;
        if (const outcome right = run(r, false); !right.is(fine)) {
            right.print(r, "done right");
            ++failed;
        }
        if (const outcome bad = run(r, true); !bad.is(expected)) {
            bad.print(r, expected.how == notice::goes_on ? "goes on" : expected.words);
            ++failed;
        }
        const bool reports =
            expected.how == notice::at_once || expected.how == notice::late || expected.how == notice::told;
        if (reports && expected.whom == by::linn && !asan && memcheck_log == nullptr) {
            if (const outcome ignored = run_ignored(r); !was_told_once(ignored.child, expected)) {
                ignored.print(r, "with a handler that returns");
                ++failed;
            }
        }
    }
    std::printf("%d cells, %d failures\n", tried, failed);
    return failed == 0 ? 0 : 1;
}

/// Runs this program under Memcheck. @returns its exit status
int under_memcheck(const char* self) {
#if !defined(__x86_64__) || !defined(__GLIBC__)
    static_cast<void>(self);
    return 0; // not recognised, not what an emulator would start, or linked statically
#else
    if (std::system("valgrind --version >/dev/null 2>&1") != 0) {
        std::printf("valgrind is not installed: its column is not looked at\n");
        return 0;
    }
    char path[] = "/tmp/linn-misuse-XXXXXX";
    const int file = ::mkstemp(path);
    CHECK(file >= 0);
    ::close(file);
    const std::string option = std::string{"--log-file="} + path;
    const auto child = run_child(
        [&] {
            ::execlp("valgrind", "valgrind", "-q", "--error-exitcode=99", "--leak-check=full", option.c_str(),
                     self, "--check", path, static_cast<char*>(nullptr));
            ::_exit(1);
        },
        10 * child_seconds);
    std::FILE* log = std::fopen(path, "r");
    const std::string text = rest_of(log);
    std::fclose(log);
    ::unlink(path);
    if (text.find("debuginfo reader") != std::string::npos ||
        text.find("reading debug info") != std::string::npos) {
        std::printf(
            "this valgrind cannot read this compiler's debug information: its column is not looked at\n");
        return 0;
    }
    child.expect(child.exited_with(0), "under Memcheck");
    return 0;
#endif
}

// --- the page --------------------------------------------------------------------------------------

std::string shown(const cell& c) {
    const std::string report =
        c.whom == by::linn ? "`" + std::string{c.shown} + "`" : "*" + std::string{c.shown} + "*";
    switch (c.how) {
    case notice::not_promised:
        return "–";
    case notice::goes_on:
        return "no error";
    case notice::at_once:
        return report;
    case notice::late:
        return report + (c.whom == by::linn ? ", late" : ", at exit");
    case notice::told:
        return report + ", goes on";
    case notice::faults:
        return "`SIGSEGV`";
    }
    return {};
}

/// A table a part. Rows whose cells are equal are one.
std::string markdown() {
    std::string text;
    std::string_view part;
    std::vector<std::pair<std::string, std::string>> rows; // cells, and the misuses that have them
    const auto end_part = [&] {
        for (const auto& [cells, misuses] : rows) {
            text += "| " + misuses + cells + " |\n";
        }
        rows.clear();
    };
    for (const row& r : misuses) {
        if (part != r.part) {
            end_part();
            text += part.empty() ? "" : "\n";
            part = r.part;
            text += "### `" + std::string{part} + "`\n\n";
            text += "| misuse | release | `LINN_CHECKED` | AddressSanitizer | Memcheck "
                    "|\n|---|---|---|---|---|\n";
        }
        std::string cells;
        for (const cell* c : {&r.release, &r.checked, &r.asan, &r.memcheck}) {
            cells += " | " + shown(*c);
        }
        const auto same =
            std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first == cells; });
        if (same == rows.end()) {
            rows.emplace_back(cells, r.misuse);
        } else {
            same->second += "; " + std::string{r.misuse};
        }
    }
    end_part();
    return text;
}

int compare(const char* page) {
    std::FILE* file = std::fopen(page, "r");
    CHECK(file != nullptr);
    const std::string there = rest_of(file);
    std::fclose(file);
    if (there.find(markdown()) == std::string::npos) {
        std::fprintf(stderr,
                     "%s does not show the table of tests/support/misuse_table.hpp; it should read:\n\n%s",
                     page, markdown().c_str());
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == "--markdown") {
        std::fputs(markdown().c_str(), stdout);
        return 0;
    }
    if (mode == "--compare" && argc == 3) {
        return compare(argv[2]);
    }
    if (argc == 3) { // by under_memcheck()
        CHECK(on_memcheck());
        memcheck_log = std::fopen(argv[2], "r");
        CHECK(memcheck_log != nullptr);
        return check_all();
    }
    constexpr linn::pool_options strict{.on_survivors = linn::survivors::abort};
    check_strict_end<linn::local_pool<item, strict>>();
    check_strict_end<linn::fixed_pool<item, 4, strict>>();
    const int status = check_all();
    const bool plain = !asan && !linn::detail::checked_build;
    return status == 0 && plain ? under_memcheck(argv[0]) : status;
}
#endif
