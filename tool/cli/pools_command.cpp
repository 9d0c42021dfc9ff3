// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../pools/compiled_plan.hpp"
#include "../pools/plan.hpp"
#include "command.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* pools_footer =
    "Everything from PROG on belongs to the program. linn becomes the program, so its exit status, its\n"
    "signals and its process id are the program's own. Without PROG, prints the plan.\n"
    "\n"
    "The same without linn: LD_PRELOAD=.../liblinn-try.so LINN_PLAN=COMPILED PROG, with a plan that\n"
    "--compile wrote. LINN_POOLS=off in the environment switches the pools off.\n"
    "docs/reference/plan.md describes plans.\n"
    "\n"
    "Exit status: the program's; 1 if it cannot be served; 2 if there is no such program, plan or option.\n"
    "\n"
    "Examples:\n"
    "  linn pools --plan shop.toml -- ./shop --port 7777\n"
    "  linn pools --plan shop.toml                        which sites and pools the plan has\n"
    "  linn pools --plan shop.toml --compile shop.plan    for LINN_PLAN, where linn is not installed\n"
    "  linn pools --plan shop.toml --stats shop.json -- ./shop batch.txt\n"
    "  linn pools --plan shop.toml --stats 'shop.%p.json' --signal USR2 -- ./shop\n"
    "  linn pools --plan shop.toml --stats shop.prom --signal USR2 -- ./shop    for Prometheus\n"
    "  linn pools --plan shop.toml --checked -- ./shop    find double frees and overruns of pooled blocks\n";

} // namespace

class pools_command final : public command {
public:
    explicit pools_command(CLI::App& program)
        : command{program, "pools", "Run an unmodified program with pools that a plan describes",
                  pools_footer} {
        CLI::App& arguments = app();
        arguments.prefix_command();
        add_value(arguments, "--plan", plan_file_, "FILE", "the plan: a TOML file, as linn try writes it");
        add_value(arguments, "--compile", compiled_file_, "FILE",
                  "compile the plan for LINN_PLAN, and exit; --plan takes it too", writable_file());
        CLI::Option* const statistics = add_value(
            arguments, "--stats", statistics_, "FILE",
            "write statistics when the program ends: as JSON, or as OpenMetrics text where the name ends "
            "in .prom or .openmetrics; %p becomes the process id",
            writable_file());
        add_value(arguments, "--signal", settings_.signal, "NAME",
                  "with --stats: also write them when this signal arrives, such as USR2")
            ->needs(statistics);
        arguments
            .add_flag("--count", settings_.counts_hits,
                      "with --stats: count the hits of every site, which costs some nanoseconds a call")
            ->needs(statistics);
        arguments.add_flag("--checked", settings_.is_checked,
                           "guard every block of a pool: slow, and reports misuse with its callers");
        add_value(
            arguments, "--mode", settings_.mode, "WHICH",
            "on (default): as the plan says; to measure by: empty (nothing is looked up), sizes (a pool for "
            "each size, at any site)",
            one_of({"on", "empty", "sizes"}));
    }

    int run() override {
        check();
        if (!compiled_file_.empty()) {
            const std::string problem = write_atomically(compiled_file_, compiled_plan(plan_));
            return problem.empty() ? exit_success : refuse(problem);
        }
        if (words_.empty()) {
            fmt::print("{}", plan_text(plan_));
            return exit_success;
        }
        const served_program program = find_served_program(words_.front(), settings_.is_checked);
        if (!program.problem.empty()) {
            return refuse(program.problem, program.is_usage_error ? exit_usage : exit_failure);
        }
        return refuse(become_served(program, words_, settings_));
    }

private:
    void check() {
        if (plan_file_.empty()) {
            throw wrong_arguments{"missing plan: linn pools --plan FILE -- PROG ARGS..."};
        }
        if (!app().remaining().empty()) {
            words_ = program_words(app());
        }
        if (!compiled_file_.empty() && !words_.empty()) {
            throw wrong_arguments{"--compile writes the plan and runs nothing: leave out the program"};
        }
        if (!settings_.signal.empty() && number_of_signal(settings_.signal.c_str()) == 0) {
            throw wrong_arguments{"--signal must be a signal such as USR2, not " + settings_.signal};
        }
        if (const char* const inherited = std::getenv("LINN_POOLS"); // off is an emergency switch
            inherited != nullptr && (settings_.mode == "on" || std::string_view{inherited} == "off")) {
            settings_.mode = inherited;
        }
        std::error_code error;
        // The program may change its directory before it ends, and what it starts may have another.
        if (!words_.empty() && has_compiled_plan()) {
            settings_.plan = fs::absolute(plan_file_, error);
        } else {
            plan_ = read_plan_file(plan_file_);
            if (!words_.empty()) {
                settings_.plan = keep_compiled(plan_file_, plan_);
            }
        }
        if (!statistics_.empty()) {
            settings_.statistics = fs::absolute(statistics_, error);
        }
    }

    bool has_compiled_plan() const {
        const std::optional<std::string> content = read_file(plan_file_);
        plan_tables unused;
        return content && read_compiled_plan(*content, unused);
    }

    pool_settings settings_;
    std::string plan_file_;
    std::string compiled_file_;
    std::string statistics_;
    pool_plan plan_;
    std::vector<std::string> words_; // the program and what belongs to it
};

std::unique_ptr<command> make_pools(CLI::App& program) {
    return std::make_unique<pools_command>(program);
}

} // namespace linn::tool
