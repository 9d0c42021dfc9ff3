// SPDX-License-Identifier: Apache-2.0
#include "../experiment/rounds.hpp"
#include "../measure/canary.hpp"
#include "../measure/machine.hpp"
#include "../measure/quantity.hpp"
#include "../measure/statistics.hpp"
#include "../measure/ticks.hpp"
#include "build_program.hpp"
#include "estimates.hpp"
#include "replay_client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace linn::tool {
namespace {

/// Bytes that programs may take without swapping; 0: not known.
std::uint64_t available_memory() {
    std::ifstream file{"/proc/meminfo"};
    std::string name;
    std::uint64_t kib = 0;
    std::string rest;
    while (file >> name >> kib && std::getline(file, rest)) {
        if (name == "MemAvailable:") {
            return kib * 1024;
        }
    }
    return 0;
}

class replayer final : experiment {
public:
    replayer(const replay_options& options, const interrupt_guard& guard,
             const std::function<void(const work_progress&)>& tick)
        : tick_{tick},
          guard_{guard} {
        result_.options = options;
    }

    replay_result perform() {
        result_.started = time_stamp();
        trace_reader trace{result_.options.trace};
        if (trace.info().contents == "fills") {
            throw unusable_trace{fmt::format("{} holds only blocks that zeros were written into (linn record "
                                             "--fills); for a replay, record without --fills",
                                             result_.options.trace.string())};
        }
        try {
            prepare(trace);
        } catch (const unusable_trace&) {
            throw;
        } catch (const std::runtime_error& error) {
            result_.problem = error.what();
        }
        if (is_stopped() || !result_.problem.empty()) {
            return finish(trace.info());
        }
        if (program_->program.summary.events == 0) {
            const std::vector<std::string>& damage = trace.info().missing;
            result_.problem = fmt::format("{} has no allocations to replay{}", result_.options.trace.string(),
                                          damage.empty() ? "" : fmt::format(": {}", fmt::join(damage, "; ")));
            return finish(trace.info());
        }
        say("looking at the machine");
        result_.machine = inspect_machine();
        spare_memory();
        choose_sources();
        if (!is_stopped()) {
            measure();
        }
        estimate(trace.info());
        return finish(trace.info());
    }

private:
    /// One thing to execute each round, for one row.
    struct task {
        contender source;
        bool is_group = false;
        std::size_t row = 0;           ///< in rows or in groups
        bool is_control = false;       ///< of the groups: asks each block for its group, and none is of it
        bool is_together = false;      ///< all groups
        std::vector<double> seconds{}; ///< one a round
        std::vector<double> waits{};
        std::vector<double> peaks{};
    };

    bool is_stopped() const { return interrupt_guard::pending() != 0; }

    void say(std::string what) {
        progress_.doing = std::move(what);
        tick_(progress_);
    }

    double elapsed() const { return static_cast<double>(now_ns() - start_) * 1e-9; }
    double seconds() const override { return elapsed() - before_rounds_; }

    replay_result finish(const trace_info& info) {
        result_.interrupted_by = interrupt_guard::pending();
        result_.command = info.command;
        result_.recorded_events = info.events;
        result_.seconds = elapsed();
        if (result_.verdict.empty()) {
            result_.verdict = verdict_of(result_);
        }
        return std::move(result_);
    }

    void prepare(trace_reader& trace) {
        say("reading the trace");
        program_ = build_program(trace, result_.options, [&](double share) {
            say(fmt::format("reading the trace, {:.0f} %", share * 100));
            return !is_stopped();
        });
        const program_summary& s = program_->program.summary;
        result_.preparation_seconds = elapsed();
        result_.events = s.events;
        result_.threads = s.threads;
        result_.hand_overs = s.hand_overs;
        result_.allocations = s.allocations;
        result_.by_operator_new = s.by_operator_new;
        result_.peak_live_blocks = s.peak_live_blocks;
        result_.peak_live_bytes = s.peak_live_bytes;
        result_.skipped = s.unknown_releases;
        if (program_->process < trace.info().processes.size()) {
            result_.process = trace.info().processes[program_->process].executable;
        }
    }

    void add(contender source) {
        if (source.worker_id.empty()) {
            source.worker_id = "system";
        }
        replay_row& row = result_.rows.emplace_back();
        static_cast<contender&>(row) = source;
        jobs_.push_back({std::move(source), false, result_.rows.size() - 1});
    }

    void add(const char* name, std::string title, const char* worker_id, const char* version = "") {
        contender c;
        c.name = name;
        c.title = std::move(title);
        c.worker_id = worker_id;
        c.version = version;
        add(std::move(c));
    }

    void add_priced(std::string worker_id, std::size_t row, bool is_control, bool is_together) {
        contender source;
        source.worker_id = std::move(worker_id);
        jobs_.push_back({std::move(source), true, row, is_control, is_together});
    }

    /// Programs reserve memory that they never write; a replay that wrote it might bring the machine down.
    void spare_memory() {
        const std::uint64_t available = available_memory();
        replay_touch& touch = result_.options.touch;
        if (available == 0 || result_.peak_live_bytes < available ||
            (touch != replay_touch::lines && touch != replay_touch::all)) {
            return;
        }
        touch = replay_touch::byte;
        result_.warnings.push_back(fmt::format(
            "the program had blocks of {} at once, and {} of memory are free: only the first byte of each "
            "block is written",
            figures::bytes_text(result_.peak_live_bytes), figures::bytes_text(available)));
    }

    void choose_sources() {
        const replay_options& o = result_.options;
        const allocator_choice choice{o.only, o.allocators};
        const char* const version = ::gnu_get_libc_version();
        const std::string glibc = fmt::format("glibc {}", version);
        add(default_name, fmt::format("default ({})", glibc), "system", version);
        if (!o.ceiling_only) {
            add(default_again_name, fmt::format("default again ({})", glibc), "system", version);
            if (choice.wants(no_trim_name)) {
                add(glibc_without_trim());
            }
            add_allocators(choice);
        }
        if (o.ceiling_only || choice.wants(linn_name)) {
            add(linn_name, "Linn", "linn");
        }
        add(null_name, "costs nothing", "null");
        choose_groups();
    }

    void choose_groups() {
        const replay_options& o = result_.options;
        if (!o.groups.empty()) {
            control_.title = "types, control";
            add_priced(fmt::format("group={}", most_replay_groups + 1), 0, true, false);
        }
        if (o.price_together && o.groups.size() > 1) {
            replay_row& row = result_.together.emplace();
            row.name = row.title = "all types";
            add_priced(fmt::format("group=1-{}", most_replay_groups), 0, false, true);
        }
        for (std::size_t g = 0; g != o.groups.size(); ++g) {
            replay_row& row = result_.groups.emplace_back();
            row.name = row.title = o.groups[g].name;
            if (g < most_replay_groups) {
                add_priced(fmt::format("group={}", g + 1), g, false, false);
            } else {
                row.failure = fmt::format("a replay has {} groups at most", most_replay_groups);
            }
        }
    }

    void add_allocators(const allocator_choice& choice) {
        std::vector<left_out_contender> left_out;
        const auto tick = [&](const std::string& name) { say(fmt::format("trying {}", name)); };
        for (contender& c : choice.contenders(choice.look(guard_, tick), left_out)) {
            c.title = title_with_version(c);
            add(std::move(c));
        }
        for (const left_out_contender& l : left_out) {
            result_.left_out.push_back(fmt::format("{}: {}", l.name, l.reason));
        }
    }

    /// The row that a job fills.
    static auto& row_of(auto& self, const task& j) {
        if (j.is_control) {
            return self.control_;
        }
        if (j.is_together) {
            return *self.result_.together;
        }
        return (j.is_group ? self.result_.groups : self.result_.rows)[j.row];
    }

    bool takes_part(std::size_t job) const override { return row_of(*this, jobs_[job]).failure.empty(); }

    std::string title_of(std::size_t job) const override { return row_of(*this, jobs_[job]).title; }

    void report(const work_progress& now) override {
        progress_ = now;
        tick_(progress_);
    }

    attempt run_once(const cell& now) override {
        const task& j = jobs_[now.job];
        touch_memory(result_.peak_live_bytes);
        const double before = canary();
        last_ = execute_program(program_->program.file.path(), j.source, to_string(result_.options.touch),
                                timeout_, guard_, [this] { tick_(progress_); });
        const double after = canary();
        if (last_.is_interrupted || is_stopped()) {
            return {attempt::ending::interrupted};
        }
        if (last_.problem.empty() && last_.checksum != program_->program.summary.checksum) {
            last_.problem = "it did other work than the trace says";
        }
        if (last_.problem.empty()) {
            return {attempt::ending::measured, std::max(before, after)};
        }
        row_of(*this, j).failure = last_.problem;
        if (now.job != 0) {
            return {attempt::ending::failed};
        }
        result_.problem = fmt::format("the trace cannot be replayed: {}", last_.problem);
        return {attempt::ending::impossible};
    }

    void keep(const cell& now, const kept_attempt&) override {
        task& j = jobs_[now.job];
        j.seconds.push_back(last_.cpu_seconds);
        j.waits.push_back(last_.wait_seconds);
        j.peaks.push_back(last_.peak_rss_bytes);
    }

    void measure() {
        const replay_options& o = result_.options;
        say("warm-up");
        if (run_once({0, 0}).how != attempt::ending::measured) {
            return;
        }
        timeout_ = std::chrono::seconds{std::llround(std::max(60.0, last_.wall_seconds * 30))};
        round_options rounds;
        rounds.warm_up_rounds = 0;
        rounds.limits = {1, o.rounds, static_cast<double>(o.budget.count()),
                         std::min(o.rounds, rounds_to_judge)};
        rounds.seed = o.seed;
        rounds.jobs.assign(jobs_.size(), {0, last_.wall_seconds});
        before_rounds_ = elapsed();
        result_.complete_rounds = run_rounds(*this, rounds).complete;
        result_.measured_seconds = seconds();
        drop_incomplete_round();
    }

    /// Rows are compared round by round.
    void drop_incomplete_round() {
        for (task& j : jobs_) {
            for (std::vector<double>* list : {&j.seconds, &j.waits, &j.peaks}) {
                list->resize(std::min(list->size(), result_.complete_rounds));
            }
        }
    }

    /// What the jobs measured as the rows' seconds. To ask each block for its group is no cost of a pool, so a group is
    /// compared with the control, and scaled to the default.
    void fill_rows() {
        const std::vector<double>& base = jobs_.front().seconds;
        const auto control =
            std::find_if(jobs_.begin(), jobs_.end(), [](const task& j) { return j.is_control; });
        for (const task& j : jobs_) {
            replay_row& row = row_of(*this, j);
            if (j.is_group && row.failure.empty()) {
                row.failure = control_.failure;
            }
            if (j.is_control || !row.failure.empty()) {
                continue;
            }
            row.seconds = j.seconds;
            row.wait_seconds = median(j.waits);
            row.peak_rss_bytes = median(j.peaks);
            if (j.is_group) {
                for (std::size_t round = 0; round != row.seconds.size(); ++round) {
                    row.seconds[round] *= base[round] / std::max(control->seconds[round], 1e-9);
                }
            }
        }
    }

    void estimate(const trace_info& info) {
        result_.interrupted_by = interrupt_guard::pending(); // the verdict says so
        fill_rows();
        const auto share = [](std::uint64_t part, std::uint64_t whole) {
            return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
        };
        replay_circumstances c;
        c.info = &info;
        c.is_cut = program_->is_cut;
        // What of the image was never read is known where the trace says how many events it has.
        const std::uint64_t of_process =
            program_->process < info.processes.size()
                ? std::max(info.processes[program_->process].events, program_->process_events)
                : program_->process_events;
        c.replayed_share = c.is_cut ? std::min(1.0, share(result_.events + result_.skipped, of_process)) : 1;
        c.process_share = share(program_->process_events, program_->all_events);
        c.reused_addresses = program_->program.summary.reused_addresses;
        result_.program_cpu_seconds = program_cpu_seconds(info, c.replayed_share);
        estimate_replay(result_);
        remark_on_replay(result_, c);
    }

    const std::function<void(const work_progress&)>& tick_;
    const interrupt_guard& guard_;
    replay_result result_;
    work_progress progress_;
    const std::uint64_t start_ = now_ns();
    double before_rounds_ = 0;
    std::optional<built_program> program_;
    std::vector<task> jobs_;
    replay_sample last_; // which is kept, or repeated
    replay_row control_; // of the groups
    std::chrono::seconds timeout_{600};
};

} // namespace

replay_result replay_trace(const replay_options& options, const interrupt_guard& guard,
                           const std::function<void(const work_progress&)>& tick) {
    return replayer{options, guard, tick}.perform();
}

} // namespace linn::tool
