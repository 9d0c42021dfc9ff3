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
        progress_.doing = "looking at the machine";
        report_(progress_);
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

    /// Keeps the contenders that prove to run on what they should.
    void choose_contenders() {
        std::vector<contender> candidates =
            collect_contenders(result_.options.allocators, result_.options.only, result_.missing, guard_,
                               [this](const std::string& title) {
                                   progress_.doing = fmt::format("trying {}", title);
                                   report_(progress_);
                               });
        for (contender& c : candidates) {
            if (std::none_of(result_.scenarios.begin(), result_.scenarios.end(),
                             [&](const scenario_result& s) { return takes_part(c, *s.what); })) {
                continue;
            }
            progress_.doing = fmt::format("proving {}", c.title);
            report_(progress_);
            const worker_reply reply = ask(c, result_.scenarios.front().what->worker, {}, {});
            if (reply.is_interrupted) {
                return;
            }
            if (!reply.problem.empty()) {
                result_.missing.push_back({c.name, {}, reply.problem});
                continue;
            }
            c.proof = reply.proof;
            result_.machine.compiler = reply.compiler;
            result_.machine.build = reply.build;
            result_.contenders.push_back(std::move(c));
        }
        work_.resize(result_.scenarios.size(), 0);
        peaks_.resize(result_.scenarios.size(), 0);
        for (scenario_result& s : result_.scenarios) {
            add_rows(s);
        }
    }

    /// Starts the companion program `worker` as a process of the contender, and waits for its answer. Without arguments it only
    /// proves who provides its memory; no worker is believed without that proof.
    worker_reply ask(const contender& c, std::string_view worker, std::vector<std::string> arguments,
                     std::span<const phase_info> phases) const {
        const std::chrono::seconds timeout = result_.options.timeout;
        arguments.insert(arguments.begin(), companion(worker).string());
        if (!c.library.empty()) {
            arguments.insert(arguments.end(), {"--preload", c.library.string()});
        }
        const child_result child = run_child(arguments, child_environment(c.library.string(), c.environment),
                                             timeout, guard_, [this] { report_(progress_); });
        if (child.how != child_result::ending::exited || child.code != 0) {
            worker_reply none;
            none.is_interrupted = child.how == child_result::ending::interrupted;
            none.problem = describe_ending(child, timeout);
            if (child.how == child_result::ending::not_started) {
                none.problem += ' ' + arguments.front();
            }
            return none;
        }
        worker_reply reply = read_reply(child.out, phases);
        if (const std::string doubt = reply.proof.files.empty() ? "" : refute(reply.proof, c.library);
            !doubt.empty()) {
            const std::string complaint = loader_complaint(child.err);
            reply.problem = complaint.empty() ? doubt : fmt::format("{} ({})", doubt, complaint);
        }
        return reply;
    }

    std::vector<std::string> arguments_for(const scenario& s, const variant_info& variant) const {
        const bench_options& o = result_.options;
        return {"--scenario",  std::string{s.name},
                "--variant",   std::string{variant.name},
                "--cpu",       o.cpu,
                "--work",      std::to_string(o.work),
                "--container", o.container};
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
        rounds.limits.least = o.budget_s <= 0           ? o.rounds
                              : rounds_for_claim() != 0 ? 1
                                                        : std::min(o.least_rounds, o.rounds);
        rounds.limits.most = o.rounds;
        rounds.limits.budget_seconds = o.budget_s;
        rounds.seed = o.seed;
        rounds.jobs.assign(tasks_.size(), 0.1); // what most take in quick mode; the first ones correct it
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

    /// What a round takes is a guess before the first, which has to fit itself. Where more rounds are run regardless of the budget
    /// says, nothing is left out.
    std::size_t rounds_for_claim() const override {
        const bench_options& o = result_.options;
        const bool is_fixed = o.least_rounds >= rounds_to_judge || o.rounds < rounds_to_judge;
        return o.budget_s <= 0 || is_fixed ? 0 : complete_ == 0 ? 1 : rounds_to_judge;
    }

    /// The last contender that is neither Linn nor the baseline nor its copy; then the last scenario.
    bool leave_out() override {
        const std::string reason =
            fmt::format("no time for it in the budget of {} s", result_.options.budget_s);
        // Whether any task that takes part went.
        const auto drop = [&](const auto& goes) {
            bool has_any = false;
            for (task& t : tasks_) {
                if (!t.failed && goes(t)) {
                    has_any = t.failed = true;
                    row_of(t).samples.clear();
                }
            }
            return has_any;
        };
        for (std::size_t c = result_.contenders.size(); c-- != 0;) {
            const std::string& name = result_.contenders[c].name;
            if (name != linn_name && name != baseline_name && name != control_name &&
                drop([&](const task& t) { return row_of(t).contender == c; })) {
                result_.missing.push_back({name, {}, reason});
                return true;
            }
        }
        const auto takes_part = [](const task& t) { return !t.failed; };
        const auto first = std::ranges::find_if(tasks_, takes_part);
        const auto last = std::ranges::find_if(tasks_.rbegin(), tasks_.rend(), takes_part);
        if (first == tasks_.end() || first->scenario == last->scenario) {
            return false;
        }
        const std::size_t least = last->scenario;
        drop([&](const task& t) { return t.scenario == least; });
        result_.missing.push_back(
            {"all contenders", std::string{result_.scenarios[least].what->name}, reason});
        return true;
    }

    std::size_t rounds_needed(std::size_t complete) override {
        complete_ = complete;
        return experiment::rounds_needed(complete);
    }

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
        worker_reply reply = ask(result_.contenders[r.contender], s.what->worker,
                                 arguments_for(*s.what, s.variant_of(r)), s.what->phases);
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
        result_.missing.push_back({result_.contenders[r.contender].name, std::string{s.what->name}, reason,
                                   std::string{s.variant_of(r).name}});
    }

    const std::function<void(const work_progress&)>& report_;
    const interrupt_guard& guard_;
    bench_result result_;
    work_progress progress_;
    const std::uint64_t start_ = now_ns();
    std::vector<task> tasks_;
    std::size_t complete_ = 0;      // rounds
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
        for (const nlohmann::json& canary : json.at("canary")) {
            s.canary = std::max(s.canary, canary.get<double>());
        }
        s.cpu_share = json.at("cpu_share").get<double>();
        s.peak_rss_bytes = json.at("peak_rss_bytes").get<std::uint64_t>();
        s.work_check = json.at("work_check").get<std::size_t>();
        s.cpu = json.at("cpu").get<int>();
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
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick) {
    const allocator_choice choice{only, extra};
    std::vector<contender> list{{baseline_name, "glibc"}, {control_name, "glibc again"}};
    if (choice.wants(no_trim_name)) {
        list.push_back(glibc_without_trim());
    }
    std::vector<left_out_contender> unusable;
    for (contender& c : choice.contenders(choice.look(guard, tick), unusable)) {
        list.push_back(std::move(c));
    }
    for (left_out_contender& l : unusable) {
        missing.push_back({std::move(l.name), {}, std::move(l.reason)});
    }
    for (const in_process_pool& p : pools) {
        if (choice.wants(p.name)) {
            contender& c = list.emplace_back();
            c.name = p.name;
            c.title = p.title;
            c.kind = contender_kind::in_process;
            c.notes = {p.note};
        }
    }
    return list;
}

} // namespace linn::tool
