// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../measure/machine.hpp"
#include "../measure/plan.hpp"
#include "../measure/ticks.hpp"
#include "schedule.hpp"
#include "worker_client.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace linn::tool {
namespace {

/// A sample counts as disturbed when its canary ran this much slower than the fastest canary of the run, or when
/// the measured part did not have its CPU for itself.
constexpr double canary_tolerance = 1.10;
constexpr double least_cpu_share = 0.98;
/// How often a disturbed cell is repeated before its sample is kept and marked.
constexpr unsigned most_repetitions = 3;
/// And how many repetitions a run may spend, as a share of its cells so far and a round ahead: a machine that is
/// always busy must not make the run take several times as long; its samples are marked instead.
constexpr double most_repeated_share = 0.5;

class run {
public:
    run(const bench_options& options, const interrupt_guard& guard,
        const std::function<void(const work_progress&)>& report)
        : report_{report},
          guard_{guard},
          client_{result_.options, guard, [this] { report_(progress_); }} {
        result_.options = options;
    }

    bench_result perform() {
        result_.started = fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now()));
        progress_.doing = "looking at the machine";
        report_(progress_);
        result_.machine = inspect_machine();
        for (const scenario& s : scenarios())
            if (is_selected(s))
                result_.scenarios.push_back({&s, {}});
        choose_contenders();
        if (interrupt_guard::pending() == 0)
            measure();
        result_.interrupted_by = interrupt_guard::pending();
        drop_empty_rows();
        result_.seconds = elapsed();
        return std::move(result_);
    }

private:
    bool is_selected(const scenario& s) const {
        const auto& wanted = result_.options.scenarios;
        const auto is_named = [&](std::string_view name) {
            return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
        };
        return s.group.empty() ? wanted.empty() || is_named(s.name) : is_named(s.name) || is_named(s.group);
    }

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
                             [&](const scenario_result& s) { return takes_part(c, *s.what); }))
                continue;
            progress_.doing = fmt::format("proving {}", c.title);
            report_(progress_);
            const worker_reply reply = client_.prove(c);
            if (reply.interrupted)
                return;
            if (!reply.problem.empty()) {
                result_.missing.push_back({c.name, {}, reply.problem});
                continue;
            }
            c.proof = reply.proof;
            if (!reply.broken_alignment.empty())
                c.notes.push_back(reply.broken_alignment);
            result_.machine.compiler = reply.compiler;
            result_.machine.build = reply.build;
            result_.contenders.push_back(std::move(c));
        }
        for (scenario_result& s : result_.scenarios)
            add_rows(s);
    }

    /// Whether the contender runs that variant.
    static bool runs(const contender& c, const scenario& s, const variant_info& v) {
        if (!v.contender.empty())
            return c.name == v.contender;
        return c.kind != contender_kind::in_process && (c.name != control_name || v.name == s.baseline);
    }

    static bool takes_part(const contender& c, const scenario& s) {
        if (!s.has_variants())
            return !c.only_variants;
        return std::any_of(s.variants.begin(), s.variants.end(),
                           [&](const variant_info& v) { return runs(c, s, v); });
    }

    void add_rows(scenario_result& s) {
        const std::size_t number = static_cast<std::size_t>(&s - result_.scenarios.data());
        const auto add = [&](std::size_t c, std::size_t v) {
            jobs_.push_back({number, s.rows.size(), false});
            s.rows.push_back({c, {}, 0, 0, v});
        };
        for (std::size_t c = 0; c != result_.contenders.size(); ++c) {
            if (!s.what->has_variants() && takes_part(result_.contenders[c], *s.what))
                add(c, 0);
            for (std::size_t v = 0; v != s.what->variants.size(); ++v)
                if (runs(result_.contenders[c], *s.what, s.what->variants[v]))
                    add(c, v);
        }
    }

    void measure() {
        const bench_options& o = result_.options;
        const std::size_t rounds = o.warm_up_rounds + o.rounds;
        const std::vector<cell> plan = make_plan(jobs_.size(), rounds, o.seed);
        schedule times{limits(), guesses()};
        progress_.total = plan.size();
        for (std::size_t round = 0; times.starts_another(round, elapsed()) && !jobs_.empty(); ++round) {
            const std::span cells = std::span{plan}.subspan(round * jobs_.size(), jobs_.size());
            for (std::size_t i = 0; i != cells.size(); ++i) {
                progress_.done = round * jobs_.size() + i;
                progress_.seconds_left = times.seconds_left(cells.subspan(i), round, elapsed());
                const job& now = jobs_[cells[i].job];
                const scenario_result& s = result_.scenarios[now.scenario];
                progress_.doing = fmt::format("{}, {}, {}",
                                              round < o.warm_up_rounds
                                                  ? "warm-up"
                                                  : fmt::format("round {}", round + 1 - o.warm_up_rounds),
                                              s.what->name, result_.title_of(s, s.rows[now.row]));
                report_(progress_);
                const double begin = elapsed();
                const auto has_time = [&] { return times.may_repeat(cells.subspan(i), round, elapsed()); };
                if (!now.failed && !run_cell(cells[i], has_time))
                    return;
                times.took(cells[i].job, elapsed() - begin);
            }
            if (round >= o.warm_up_rounds)
                ++result_.complete_rounds;
        }
        progress_.done = plan.size();
    }

    round_limits limits() const {
        const bench_options& o = result_.options;
        const std::size_t least = o.budget_s > 0 ? std::min(o.least_rounds, o.rounds) : o.rounds;
        return {o.warm_up_rounds + least, o.warm_up_rounds + o.rounds, o.budget_s};
    }

    std::vector<schedule::guess> guesses() const {
        std::vector<schedule::guess> list;
        for (const job& j : jobs_)
            list.push_back({j.scenario, result_.scenarios[j.scenario].what->usual_seconds});
        return list;
    }

    double elapsed() const { return static_cast<double>(now_ns() - start_) * 1e-9; }

    /// Runs one cell until it is undisturbed or there is no time for that; false when interrupted.
    bool run_cell(const cell& now, const std::function<bool()>& has_time) {
        scenario_result& s = result_.scenarios[jobs_[now.job].scenario];
        row& r = s.rows[jobs_[now.job].row];
        const bool is_warm_up = now.round < result_.options.warm_up_rounds;
        for (unsigned attempt = 0;; ++attempt) {
            touch_memory(pages_to_touch(*s.what));
            worker_reply reply = client_.measure(result_.contenders[r.contender], *s.what, s.variant_of(r));
            if (reply.interrupted || interrupt_guard::pending() != 0)
                return false;
            if (reply.problem.empty())
                reply.problem = check_work(jobs_[now.job].scenario, reply.measured);
            if (!reply.problem.empty()) {
                fail(jobs_[now.job], reply.problem);
                return true;
            }
            best_canary_ =
                best_canary_ == 0 ? reply.measured.canary : std::min(best_canary_, reply.measured.canary);
            if (is_warm_up)
                return true;
            const bool disturbed = reply.measured.canary > best_canary_ * canary_tolerance ||
                                   reply.measured.cpu_share < least_cpu_share;
            const bool may_repeat =
                attempt < most_repetitions && has_time() &&
                progress_.repeated < most_repeated_share * static_cast<double>(progress_.done + jobs_.size());
            if (disturbed && may_repeat) {
                ++r.repeated;
                ++progress_.repeated;
                continue;
            }
            r.disturbed += disturbed ? 1 : 0;
            r.samples.push_back(std::move(reply.measured));
            return true;
        }
    }

    std::size_t pages_to_touch(const scenario& s) const {
        const bench_options& o = result_.options;
        if (s.has_variants())
            return s.touched_mib << 20;
        // A node and its share of the bucket array, generously; the cap keeps a huge --n from filling the machine.
        const std::size_t wanted = s.name == "object" ? o.objects * (o.object_bytes + 32) : o.n * 64;
        return std::clamp<std::size_t>(wanted, 1 << 20, std::size_t{1} << 30);
    }

    /// Every contender must have done the same work.
    std::string check_work(std::size_t scenario, const sample& s) {
        work_.resize(result_.scenarios.size(), 0);
        std::size_t& expected = work_[scenario];
        if (expected == 0)
            expected = s.work_check;
        if (expected != s.work_check)
            return fmt::format("it did other work than the rest: {} instead of {}", s.work_check, expected);
        return {};
    }

    /// One row to fill.
    struct job {
        std::size_t scenario;
        std::size_t row;
        bool failed;
    };

    void fail(job& j, const std::string& reason) {
        j.failed = true;
        scenario_result& s = result_.scenarios[j.scenario];
        row& r = s.rows[j.row];
        r.samples.clear();
        result_.missing.push_back({result_.contenders[r.contender].name, std::string{s.what->name}, reason,
                                   std::string{s.variant_of(r)}});
    }

    void drop_empty_rows() {
        for (scenario_result& s : result_.scenarios)
            std::erase_if(s.rows, [](const row& r) { return r.samples.empty(); });
    }

    const std::function<void(const work_progress&)>& report_;
    const interrupt_guard& guard_;
    bench_result result_;
    work_progress progress_;
    worker_client client_;
    const std::uint64_t start_ = now_ns();
    std::vector<job> jobs_;
    std::vector<std::size_t> work_;
    double best_canary_ = 0;
};

} // namespace

bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const work_progress&)>& report) {
    return run{options, guard, report}.perform();
}

} // namespace linn::tool
