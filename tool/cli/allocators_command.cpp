// SPDX-License-Identifier: Apache-2.0
#include "../allocators/allocators.hpp"
#include "../experiment/contenders.hpp"
#include "../measure/files.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace linn::tool {
namespace {

std::string allocators_footer() {
    const std::string names = fmt::format("{}", fmt::join(allocator_names({}), ", "));
    return fmt::format("Allocators:\n  {}", wrap(names, 98, 2)) +
           "\n\nExamples:\n"
           "  linn allocators                              what is here, and how to get the rest\n"
           "  linn allocators --install all                build what Debian does not package; a few "
           "minutes\n"
           "  linn allocators --install mimalloc snmalloc  these\n"
           "  linn allocators jemalloc hoard               only these; exit status 1 if one cannot be used\n"
           "  linn allocators --allocator mine=/opt/lib/libmine.so\n"
           "  linn allocators --json allocators.json\n";
}

} // namespace

class allocators_command final : public command {
public:
    explicit allocators_command(CLI::App& program)
        : command{program, "allocators", "Find, test and install allocators on this machine",
                  allocators_footer()},
          files_{app(), [this] { return report::allocators_document(entries_); }, false} {
        CLI::App& arguments = app();
        add_value(arguments, "NAME", names_, "NAME", "the allocators to examine (default: all)")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        add_words(arguments, "--allocator", given_, "NAME=PATH",
                  "also examine the library PATH, under this name");
        add_value(arguments, "--install", to_install_, "NAME", "build these, or all, into ~/.cache/linn")
            ->delimiter(',')
            ->expected(1, 100)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        add_value(arguments, "--timeout", timeout_, "SECONDS",
                  "seconds for the test of one library (default 10)", whole_number(1, 3600));
    }

    int run() override {
        check();
        const interrupt_guard guard;
        bool installed_all = true;
        if (!to_install_.empty()) {
            refuse_impossible_installation(to_install_, guard);
            installed_all = install(guard);
            if (interrupt_guard::pending() != 0) {
                return 128 + interrupt_guard::pending();
            }
        }
        std::vector<std::string> named = names_;
        named.insert(named.end(), to_install_.begin(), to_install_.end());
        const bool wants_all = named.empty();
        for (const auto& [name, path] : extra_) {
            named.push_back(name);
        }
        progress_line line;
        entries_ = take_inventory(
            extra_, wants_all ? std::vector<std::string>{} : named, guard,
            [&](const std::string& title) { line.show({.doing = "trying " + title}); },
            std::chrono::seconds{timeout_});
        line.clear();
        files_.deliver();
        if (interrupt_guard::pending() != 0) {
            return 128 + interrupt_guard::pending();
        }
        // An allocator that the user did not name may be missing; one that the user named has to work.
        named = resolve_names(named, extra_);
        const bool all_work = std::ranges::all_of(entries_, [&](const allocator_entry& e) {
            return !contains(named, e.name) || e.state == library_state::usable ||
                   e.state == library_state::known_bad;
        });
        return installed_all && all_work ? exit_success : exit_failure;
    }

private:
    void check() {
        extra_ = libraries_of(given_, {baseline_name});
        refuse_wrong_libraries(extra_);
        refuse_unknown("allocator", names_, allocator_names(extra_));
        const std::vector<std::string> buildable = installable_names();
        if (contains(to_install_, "all")) {
            to_install_ = buildable;
        }
        refuse_unknown("allocator", to_install_, allocator_names({}));
        to_install_ = resolve_names(to_install_, {});
        for (const std::string& name : to_install_) {
            if (!contains(buildable, name)) {
                throw wrong_arguments{
                    fmt::format("'{}' cannot be built by --install; 'linn allocators {}' says how to get it",
                                name, name)};
            }
        }
    }

    /// Whether all that was asked for is installed.
    bool install(const interrupt_guard& guard) {
        progress_line line;
        work_progress progress;
        progress.total = to_install_.size();
        bool all = true;
        for (const std::string& name : to_install_) {
            if (interrupt_guard::pending() != 0) {
                break;
            }
            progress.doing = "installing " + name;
            const install_outcome outcome = install_allocator(name, guard, [&] { line.show(progress); });
            ++progress.done;
            line.clear();
            if (outcome.is_interrupted) {
                break;
            }
            if (outcome.problem.empty()) {
                write_to_stderr(fmt::format("{} {} is installed\n", name, outcome.version));
            } else {
                refuse(fmt::format("{}: {}", name, outcome.problem));
                all = false;
            }
        }
        if (interrupt_guard::pending() != 0) {
            say("stopped; no allocator is partly installed");
        }
        return all;
    }

    report_files files_;
    std::vector<std::string> names_;
    std::vector<std::string> given_; // NAME=PATH, unparsed
    std::vector<std::string> to_install_;
    user_allocators extra_;
    std::vector<allocator_entry> entries_;
    unsigned timeout_ = 10;
};

std::unique_ptr<command> make_allocators(CLI::App& program) {
    return std::make_unique<allocators_command>(program);
}

} // namespace linn::tool
