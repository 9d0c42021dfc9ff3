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
        words_ = program_words(app());
        options_.allocators = libraries_of(
            allocators_, {default_name, default_again_name, baseline_name, no_trim_name, huge_name});
        refuse_unknown("allocator", options_.only, contender_names(options_.allocators, {huge_name}));
        measuring_.check();
        const interrupt_guard guard;
        try_libraries(options_.allocators, options_.only, guard);
        progress_line line;
        work_progress now;
        const std::function<void()> tick = [&] { line.show(now); };
        result_ = run_program(
            options_, world_of(options_, words_, guard, tick),
            [&](const work_progress& p) { line.show(now = p); },
            [&](const std::string& text) { line.tell(text); });
        line.clear();
        return deliver();
    }

private:
    int deliver() const {
        const bool has_samples =
            std::ranges::any_of(result_.rows, [](const run_row& r) { return !r.samples.empty(); });
        if (!result_.problem.empty()) {
            refuse(result_.problem);
        }
        if (has_samples) {
            files_.deliver();
        }
        if (result_.interrupted_by != 0) {
            if (!has_samples) {
                refuse("stopped before anything was measured");
            }
            return 128 + result_.interrupted_by;
        }
        const bool is_compared = std::ranges::any_of(result_.rows, [&](const run_row& r) {
            return !r.contender.is_own() && r.find_estimate(result_.judged_by) != nullptr;
        });
        return result_.is_usage_error                   ? exit_usage
               : is_compared && result_.problem.empty() ? exit_success
                                                        : exit_failure;
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
