// SPDX-License-Identifier: Apache-2.0
#include "../experiment/contenders.hpp"
#include "../experiment/rounds.hpp"
#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/statistics.hpp"
#include "../measure/ticks.hpp"
#include "bench.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace linn::tool {
namespace {

class run final : experiment {
public:
    run(const bench_options& options, const interrupt_guard& guard,
        const std::function<void(const work_progress&)>& report)
        : report_{report},
          guard_{guard} {
        result_.options = options;
    }

    bench_result perform() {
        result_.started = time_stamp();
        say("looking at the machine");
        result_.machine = inspect_machine();
        for (const scenario* s : selected_scenarios(result_.options)) {
            result_.scenarios.push_back({s});
        }
        choose_contenders();
        if (interrupt_guard::pending() == 0) {
            measure();
        }
        result_.interrupted_by = interrupt_guard::pending();
        for (scenario_result& s : result_.scenarios) {
            std::erase_if(s.rows, [](const row& r) { return r.samples.empty(); });
        }
        result_.seconds = seconds();
        return std::move(result_);
    }

private:
    /// One row to fill.
    struct task {
        std::size_t scenario;
        std::size_t row;
        bool failed;
    };

    void say(std::string doing) {
        progress_.doing = std::move(doing);
        report_(progress_);
    }

    void choose_contenders() {
        result_.contenders =
            collect_contenders(result_.options.allocators, result_.options.only, result_.missing, guard_,
                               [this](const std::string& title) { say("trying " + title); });
        std::erase_if(result_.contenders, [&](const contender& c) {
            return std::ranges::none_of(result_.scenarios,
                                        [&](const scenario_result& s) { return takes_part(c, *s.what); });
        });
        work_.resize(result_.scenarios.size(), 0);
        peaks_.resize(result_.scenarios.size(), 0);
        for (scenario_result& s : result_.scenarios) {
            add_rows(s);
        }
    }

    /// Starts the scenario's companion program as a process of the contender, and waits for its answer. It is not believed unless it
    /// proves who provides its memory.
    worker_reply ask(const contender& c, const scenario& s, const variant_info& variant) const {
        const bench_options& o = result_.options;
        const std::chrono::seconds timeout = o.timeout;
        const std::string library = c.library.string();
        const std::vector<std::string> arguments{
            companion(s.worker).string(), library,    std::string{s.name}, std::string{variant.name}, o.cpu,
            std::to_string(o.work),       o.container};
        const child_result child = run_child(arguments, child_environment(library, c.environment), timeout,
                                             guard_, [this] { report_(progress_); });
        if (child.how != child_result::ending::exited || child.code != 0) {
            worker_reply none;
            none.is_interrupted = child.how == child_result::ending::interrupted;
            none.problem = describe_ending(child, timeout);
            if (child.how == child_result::ending::not_started) {
                none.problem += ' ' + arguments.front();
            }
            return none;
        }
        worker_reply reply = read_reply(child.out, s.phases);
        if (const std::string doubt = reply.proof.files.empty() ? "" : refute(reply.proof, c.library);
            !doubt.empty()) {
            const std::string complaint = loader_complaint(child.err);
            reply.problem = complaint.empty() ? doubt : fmt::format("{} ({})", doubt, complaint);
        }
        return reply;
    }

    /// Whether the contender runs that variant.
    static bool runs(const contender& c, const scenario& s, const variant_info& v) {
        if (!v.contender.empty()) {
            return c.name == v.contender;
        }
        return c.kind != contender_kind::in_process && (c.name != control_name || v.name == s.baseline);
    }

    static bool takes_part(const contender& c, const scenario& s) {
        return std::any_of(s.variants.begin(), s.variants.end(),
                           [&](const variant_info& v) { return runs(c, s, v); });
    }

    void add_rows(scenario_result& s) {
        const std::size_t number = static_cast<std::size_t>(&s - result_.scenarios.data());
        for (std::size_t c = 0; c != result_.contenders.size(); ++c) {
            for (std::size_t v = 0; v != s.what->variants.size(); ++v) {
                if (runs(result_.contenders[c], *s.what, s.what->variants[v])) {
                    tasks_.push_back({number, s.rows.size(), false});
                    s.rows.push_back({.contender = c, .variant = v});
                }
            }
        }
    }

    void measure() {
        const bench_options& o = result_.options;
        round_options rounds;
        rounds.warm_up_rounds = o.warm_up_rounds;
        rounds.limits.least = o.budget_s <= 0 ? o.rounds : std::min(o.least_rounds, o.rounds);
        rounds.limits.most = o.rounds;
        rounds.limits.budget_seconds = o.budget_s;
        rounds.seed = o.seed;
        rounds.jobs = tasks_.size();
        rounds.guess = 0.1; // what most take in quick mode; the first ones correct it
        result_.complete_rounds = run_rounds(*this, rounds).complete;
    }

    const scenario_result& scenario_of(const task& t) const { return result_.scenarios[t.scenario]; }
    row& row_of(const task& t) { return result_.scenarios[t.scenario].rows[t.row]; }

    bool takes_part(std::size_t job) const override { return !tasks_[job].failed; }

    std::string title_of(std::size_t job) const override {
        const scenario_result& s = scenario_of(tasks_[job]);
        return fmt::format("{}, {}", s.what->name, result_.title_of(s, s.rows[tasks_[job].row]));
    }

    double seconds() const override { return static_cast<double>(now_ns() - start_) * 1e-9; }

    void report(const work_progress& now) override {
        progress_ = now;
        report_(progress_);
    }

    attempt run_once(const cell& now) override {
        task& t = tasks_[now.job];
        const scenario_result& s = scenario_of(t);
        const row& r = s.rows[t.row];
        std::uint64_t& peak = peaks_[t.scenario];
        touch_memory(std::min<std::uint64_t>(peak, 384 << 20));
        contender& c = result_.contenders[r.contender];
        worker_reply reply = ask(c, *s.what, s.variant_of(r));
        if (reply.is_interrupted || interrupt_guard::pending() != 0) {
            return {attempt::ending::interrupted};
        }
        if (reply.problem.empty()) {
            reply.problem = check_work(t.scenario, reply.measured);
        }
        if (!reply.problem.empty()) {
            fail(t, reply.problem);
            return {attempt::ending::failed};
        }
        c.proof = reply.proof;
        result_.machine.compiler = reply.compiler;
        result_.machine.build = reply.build;
        last_ = std::move(reply.measured);
        peak = std::max(peak, last_.peak_rss_bytes);
        return {attempt::ending::measured, last_.canary, last_.cpu_share};
    }

    void keep(const cell& now, const kept_attempt& how) override {
        row& r = row_of(tasks_[now.job]);
        r.repeated += how.repeated;
        r.disturbed += how.is_disturbed ? 1 : 0;
        r.samples.push_back(std::move(last_));
    }

    /// Every contender must have done the same work.
    std::string check_work(std::size_t scenario, const sample& s) {
        std::size_t& expected = work_[scenario];
        if (expected == 0) {
            expected = s.work_check;
        }
        if (expected != s.work_check) {
            return fmt::format("it did other work than the rest: {} instead of {}", s.work_check, expected);
        }
        return {};
    }

    void fail(task& t, const std::string& reason) {
        t.failed = true;
        const scenario_result& s = scenario_of(t);
        row& r = row_of(t);
        r.samples.clear();
        result_.missing.push_back({result_.contenders[r.contender].name, reason, false,
                                   std::string{s.what->name}, std::string{s.variant_of(r).name}});
    }

    const std::function<void(const work_progress&)>& report_;
    const interrupt_guard& guard_;
    bench_result result_;
    work_progress progress_;
    const std::uint64_t start_ = now_ns();
    std::vector<task> tasks_;
    sample last_;                   // which is kept, or repeated
    std::vector<std::size_t> work_; // of each scenario
    std::vector<std::uint64_t>
        peaks_; // resident bytes of its processes so far: that much is touched before the next
};

} // namespace

worker_reply read_reply(const std::string& text, std::span<const phase_info> phases) {
    worker_reply reply;
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        for (const auto& [function, file] : json.at("proof").items()) {
            reply.proof.files[function] = file.get<std::string>();
        }
        reply.proof.preload_mapped = json.at("preload_mapped").get<bool>();
        reply.problem = json.at("error").get<std::string>();
        reply.compiler = json.at("compiler").get<std::string>();
        reply.build = json.at("build").get<std::string>();
        sample& s = reply.measured;
        s.canary = json.at("canary").get<double>();
        s.cpu_share = json.at("cpu_share").get<double>();
        s.peak_rss_bytes = json.at("peak_rss_bytes").get<std::uint64_t>();
        s.work_check = json.at("work_check").get<std::size_t>();
        std::vector<std::string> names;
        for (const nlohmann::json& phase : json.at("phases")) {
            names.push_back(phase.at("name").get<std::string>());
            s.cycles.push_back(phase.at("cycles").get<double>());
            s.faults.push_back(phase.at("faults").get<double>());
            s.metrics.push_back(phase.value("metrics", std::map<std::string, double>{}));
        }
        if (reply.problem.empty() && !std::ranges::equal(names, phases, {}, {}, &phase_info::name)) {
            reply.problem = "the worker measured other phases than asked";
        }
    } catch (const nlohmann::json::exception& e) {
        reply.problem = fmt::format("the worker's reply cannot be read: {}", e.what());
    }
    return reply;
}

std::vector<const scenario*> selected_scenarios(const bench_options& options) {
    const auto& wanted = options.scenarios;
    const auto is_named = [&](std::string_view name) {
        return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    };
    std::vector<const scenario*> list;
    for (const scenario& s : scenarios()) {
        const bool is_usual = options.all ? s.group.empty() : s.name == headline_name;
        if (wanted.empty() ? is_usual : is_named(s.name) || (!s.group.empty() && is_named(s.group))) {
            list.push_back(&s);
        }
    }
    return list;
}

bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const work_progress&)>& report) {
    return run{options, guard, report}.perform();
}

namespace {

struct in_process_pool {
    const char* name;
    const char* title;
    const char* note;
};

constexpr in_process_pool pools[] = {
    {"pmr-unsynchronized", "pmr unsynchronized", "std::pmr::unsynchronized_pool_resource"},
    {"pmr-synchronized", "pmr synchronized", "std::pmr::synchronized_pool_resource"},
    {"pmr-monotonic", "pmr monotonic", "std::pmr::monotonic_buffer_resource: frees nothing"},
    {"boost-singleton-pool", "boost singleton_pool",
     "boost::singleton_pool without a mutex; arrays from std::allocator"},
    {"lecture-pool", "lecture pool",
     "the textbook pool: free list, chunks of 64, thread_local; unsafe when threads share or end"},
    {"locked-pool", "locked pool", "the published packet pool: blocks made in advance behind a std::mutex"},
    {"spin-pool", "spinning pool", "the same behind a spin lock"},
    {"free-list", "free list",
     "objects linked through their own memory, one thread's, never given back: no lock, no check"},
    {"floor", "floor", "no pool: the least that such code can cost"},
    {"mmap", "mmap", "a mapping of its own for every buffer"},
    {"linn", "linn", "linn's pools, allocators, recycler and buffers"},
};

} // namespace

std::vector<std::string> bench_names(const user_allocators& extra) {
    std::vector<std::string> names = contender_names(extra);
    for (const in_process_pool& p : pools) {
        names.emplace_back(p.name);
    }
    return names;
}

std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out_contender>& missing,
                                          const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick) {
    const allocator_choice choice{only, extra};
    std::vector<contender> list{{baseline_name, "glibc"}, {control_name, "glibc again"}};
    if (choice.wants(no_trim_name)) {
        list.push_back(glibc_without_trim());
    }
    for (contender& c : choice.contenders(choice.look(guard, tick), missing)) {
        list.push_back(std::move(c));
    }
    for (const in_process_pool& p : pools) {
        if (choice.wants(p.name)) {
            list.push_back(
                {.name = p.name, .title = p.title, .kind = contender_kind::in_process, .notes = {p.note}});
        }
    }
    return list;
}

} // namespace linn::tool
