// SPDX-License-Identifier: Apache-2.0
#include "../allocators/allocators.hpp"
#include "../experiment/contenders.hpp"
#include "../measure/process.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../run/run.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace linn::tool {
namespace {

constexpr const char* run_footer =
    "Everything from PROG on belongs to the program.\n"
    "\n"
    "Examples:\n"
    "  linn run -- sqlite3 :memory: \".read insert.sql\"\n"
    "  linn run --input big.json -- jq '.[].name'\n"
    "  linn run -- env PYTHONMALLOC=malloc python3 script.py\n"
    "  linn run --only jemalloc,mimalloc --budget 300 --html report.html -- ./simulate 1000\n"
    "  linn run --allocator mine=/opt/lib/libmine.so --rounds 20 -- ./simulate 1000\n"
    "  linn run --prepare 'rm -rf out' -- ./build-index out\n"
    "  linn run --ready 'redis-cli -p 7777 ping' --client 'redis-benchmark -p 7777 -q -t set,lpush' \\\n"
    "           -- redis-server --port 7777 --save ''\n";

} // namespace

class run_command final : public command {
public:
    explicit run_command(CLI::App& program)
        : command{program, "run", "Measure your own program under every allocator", run_footer},
          files_{app(), [this] { return report::run_document(result_); }} {
        CLI::App& arguments = app();
        arguments.prefix_command();
        add_names(arguments, "--only,--allocators", options_.only,
                  "compare these allocators (comma-separated) with the default");
        add_words(arguments, "--allocator", allocators_, "NAME=PATH",
                  "compare the library PATH too, under this name");
        measuring_.add();
    }

    int run() override {
        const interrupt_guard guard;
        if (refuses_libraries("run", options_.allocators, guard)) {
            return exit_usage;
        }
        progress_line line;
        result_ = measure(guard, line);
        line.clear();
        return deliver();
    }

private:
    std::string check() override {
        if (std::string problem = take_program_words(app(), words_); !problem.empty()) {
            return problem;
        }
        if (std::string problem = check_allocators(); !problem.empty()) {
            return problem;
        }
        return measuring_.check();
    }

    std::string check_allocators() {
        const std::vector<std::string> own{default_name, default_again_name, baseline_name, no_trim_name,
                                           huge_name};
        const std::string problem = take_libraries(allocators_, own, options_.allocators);
        return problem.empty() ? unknown_among("allocator", options_.only,
                                               contender_names(options_.allocators, {huge_name}))
                               : problem;
    }

    run_result measure(const interrupt_guard& guard, progress_line& line) const {
        return run_program(
            options_, words_, guard, [&](const work_progress& p) { line.show(p); },
            [&](const std::string& text) { line.tell(text); });
    }

    int deliver() const {
        const bool has_samples =
            std::ranges::any_of(result_.rows, [](const run_row& r) { return !r.samples.empty(); });
        if (!result_.problem.empty()) {
            refuse(result_.problem);
        }
        if (has_samples) {
            if (const std::string unwritten = files_.deliver(); !unwritten.empty()) {
                return refuse(unwritten);
            }
        }
        if (result_.interrupted_by != 0) {
            if (!has_samples) {
                refuse("stopped before anything was measured");
            }
            return 128 + result_.interrupted_by;
        }
        if (!result_.problem.empty()) {
            return result_.is_usage_error ? exit_usage : exit_failure;
        }
        return has_samples ? exit_success : exit_failure;
    }

    report_files files_;
    run_options options_;
    run_arguments measuring_{app(), options_};
    run_result result_;
    std::vector<std::string> words_;      // the program and what belongs to it
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
};

std::unique_ptr<command> make_run(CLI::App& program) {
    return std::make_unique<run_command>(program);
}

} // namespace linn::tool
