// SPDX-License-Identifier: Apache-2.0
#include "../allocators/catalogue.hpp"
#include "../measure/machine.hpp"
#include "../measure/plan.hpp"
#include "../measure/statistics.hpp"
#include "../measure/ticks.hpp"
#include "build_program.hpp"
#include "estimates.hpp"
#include "replay_client.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace linn::tool {
namespace {

constexpr const char* no_trim_name = "glibc-no-trim";

/// As the rest of the tool: a virtual machine's idle pages are fetched before they are measured.
constexpr std::size_t most_touched_ahead = std::size_t{256} << 20;

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// Bytes that programs may take without swapping; 0: not known.
std::uint64_t available_memory() {
    std::ifstream file{"/proc/meminfo"};
    std::string name;
    std::uint64_t kib = 0;
    std::string rest;
    while (file >> name >> kib && std::getline(file, rest))
        if (name == "MemAvailable:")
            return kib * 1024;
    return 0;
}

class replayer {
public:
    replayer(const replay_options& options, const interrupt_guard& guard,
             const std::function<void(const work_progress&)>& tick)
        : tick_{tick},
          guard_{guard} {
        result_.options = options;
    }

    replay_result perform() {
        result_.started = fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now()));
        trace_reader trace{result_.options.trace};
        if (trace.info().contents == "fills")
            throw unusable_trace{fmt::format("{} holds only blocks that zeros were written into (linn record "
                                             "--fills); for a replay, record without --fills",
                                             result_.options.trace.string())};
        try {
            prepare(trace);
        } catch (const unusable_trace&) {
            throw;
        } catch (const std::runtime_error& error) {
            result_.problem = error.what();
        }
        if (is_stopped() || !result_.problem.empty())
            return finish(trace.info());
        if (program_->program.summary.events == 0) {
            const std::vector<std::string>& damage = trace.info().damage;
            result_.problem = fmt::format("{} has no allocations to replay{}", result_.options.trace.string(),
                                          damage.empty() ? "" : fmt::format(": {}", fmt::join(damage, "; ")));
            return finish(trace.info());
        }
        say("looking at the machine");
        result_.machine = inspect_machine();
        spare_memory();
        choose_sources();
        if (!is_stopped())
            measure();
        estimate(trace.info());
        return finish(trace.info());
    }

private:
    /// One thing to execute each round, for one row.
    struct job {
        replay_source source;
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

    replay_result finish(const trace_info& info) {
        result_.interrupted_by = interrupt_guard::pending();
        result_.command = info.command;
        result_.recorded_events = info.events;
        result_.seconds = elapsed();
        if (result_.verdict.empty())
            result_.verdict = verdict_of(result_);
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
        if (program_->process < trace.info().processes.size())
            result_.process = trace.info().processes[program_->process].executable;
    }

    void add(replay_source source, std::string name, std::string title, std::string version = {}) {
        replay_row& row = result_.rows.emplace_back();
        row.name = std::move(name);
        row.title = std::move(title);
        row.version = std::move(version);
        row.library = source.library;
        jobs_.push_back({std::move(source), false, result_.rows.size() - 1});
    }

    /// Programs reserve memory that they never write; a replay that wrote it might bring the machine down.
    void spare_memory() {
        const std::uint64_t available = available_memory();
        replay_touch& touch = result_.options.touch;
        if (available == 0 || result_.peak_live_bytes < available ||
            (touch != replay_touch::lines && touch != replay_touch::all))
            return;
        touch = replay_touch::byte;
        result_.warnings.push_back(fmt::format(
            "the program had blocks of {:.1f} GiB at once, and {:.1f} GiB of memory are free: only the "
            "first byte of each block is written",
            static_cast<double>(result_.peak_live_bytes) / 0x1p30, static_cast<double>(available) / 0x1p30));
    }

    bool is_wanted(const std::string& name) const { return only_.empty() || contains(only_, name); }

    void choose_sources() {
        const replay_options& o = result_.options;
        only_ = resolve_names(o.only, o.allocators);
        const std::string glibc = fmt::format("glibc {}", ::gnu_get_libc_version());
        add({}, replay_default_name, fmt::format("default ({})", glibc), ::gnu_get_libc_version());
        if (!o.ceiling_only) {
            add({}, replay_control_name, fmt::format("default again ({})", glibc), ::gnu_get_libc_version());
            if (is_wanted(no_trim_name))
                add({"system", {}, glibc_keeps_heap()}, no_trim_name, "glibc, no trim",
                    ::gnu_get_libc_version());
            add_allocators();
        }
        if (o.ceiling_only || is_wanted(replay_linn_name)) {
            add({"linn", {}, {}}, replay_linn_name, "Linn");
        }
        add({"null", {}, {}}, replay_null_name, "costs nothing");
        if (!o.groups.empty()) {
            control_.title = "types, control";
            jobs_.push_back({{fmt::format("group={}", most_replay_groups + 1), {}, {}}, true, 0, true});
        }
        if (o.price_together && o.groups.size() > 1) {
            replay_row& row = result_.together.emplace();
            row.name = row.title = "all types";
            jobs_.push_back({{fmt::format("group=1-{}", most_replay_groups), {}, {}}, true, 0, false, true});
        }
        for (std::size_t g = 0; g != o.groups.size(); ++g) {
            replay_row& row = result_.groups.emplace_back();
            row.name = row.title = o.groups[g].name;
            if (g < most_replay_groups) {
                jobs_.push_back({{fmt::format("group={}", g + 1), {}, {}}, true, g});
            } else {
                row.failure = fmt::format("a replay has {} groups at most", most_replay_groups);
            }
        }
    }

    void add_allocators() {
        const replay_options& o = result_.options;
        std::vector<std::string> looked_for;
        for (const std::string& name : only_)
            if (name != replay_linn_name && name != replay_null_name && name != no_trim_name)
                looked_for.push_back(name);
        if (!only_.empty() && looked_for.empty())
            return;
        for (const allocator_entry& e :
             take_inventory(o.allocators, looked_for, guard_,
                            [&](const std::string& name) { say(fmt::format("trying {}", name)); })) {
            if (e.library.empty() && e.state == library_state::usable)
                continue; // the C library itself
            const bool is_named = contains(only_, e.name) ||
                                  std::any_of(o.allocators.begin(), o.allocators.end(),
                                              [&](const auto& given) { return given.first == e.name; });
            if (e.state != library_state::usable && !(e.state == library_state::known_bad && is_named)) {
                result_.left_out.push_back(fmt::format("{}: {}{}", e.name, to_string(e.state),
                                                       e.remark.empty() ? "" : ": " + e.remark));
                continue;
            }
            add({"system", e.library, e.environment}, e.name,
                e.version.empty() ? e.title : fmt::format("{} {}", e.title, e.version), e.version);
        }
    }

    replay_row& row_of(const job& j) {
        if (j.is_control || j.is_together)
            return j.is_control ? control_ : *result_.together;
        return (j.is_group ? result_.groups : result_.rows)[j.row];
    }

    replay_sample execute(const job& j) {
        touch_memory(std::clamp<std::size_t>(result_.peak_live_bytes, 1 << 20, most_touched_ahead));
        return execute_program(program_->program.file.path(), j.source, to_string(result_.options.touch),
                               timeout_, guard_, [this] { tick_(progress_); });
    }

    /// Executes the job once and keeps the figures unless it is for warming up; false when interrupted.
    bool run_job(job& j, bool is_warm_up) {
        replay_row& row = row_of(j);
        replay_sample sample = execute(j);
        if (sample.is_interrupted || is_stopped())
            return false;
        if (sample.problem.empty() && sample.checksum != program_->program.summary.checksum)
            sample.problem = "it did other work than the trace says";
        if (!sample.problem.empty()) {
            row.failure = sample.problem;
            return true;
        }
        if (is_warm_up) {
            const double generous = std::max(60.0, sample.wall_seconds * 30);
            timeout_ = std::chrono::seconds{static_cast<std::chrono::seconds::rep>(generous)};
            return true;
        }
        j.seconds.push_back(sample.cpu_seconds);
        j.waits.push_back(sample.wait_seconds);
        j.peaks.push_back(sample.peak_rss_bytes);
        return true;
    }

    void measure() {
        const replay_options& o = result_.options;
        const std::vector<cell> plan = make_plan(jobs_.size(), o.rounds, o.seed);
        progress_.total = plan.size();
        say("warm-up");
        if (!run_job(jobs_.front(), true))
            return;
        if (!result_.rows.front().failure.empty()) {
            result_.problem = fmt::format("the trace cannot be replayed: {}", result_.rows.front().failure);
            return;
        }
        const double begin = elapsed();
        for (std::size_t round = 0; round != o.rounds; ++round) {
            const double spent = elapsed() - begin;
            const double next = round == 0 ? 0 : spent / static_cast<double>(round);
            if (round != 0 && spent + next > static_cast<double>(o.budget.count()))
                break;
            if (!run_round(std::span{plan}.subspan(round * jobs_.size(), jobs_.size())))
                return drop_incomplete_round();
            if (!result_.rows.front().failure.empty()) {
                result_.problem =
                    fmt::format("the trace cannot be replayed: {}", result_.rows.front().failure);
                return;
            }
            ++result_.complete_rounds;
            result_.measured_seconds = elapsed() - begin;
        }
        progress_.done = plan.size();
    }

    bool run_round(std::span<const cell> cells) {
        for (const cell& now : cells) {
            job& j = jobs_[now.job];
            say(fmt::format("round {}, {}", now.round + 1, row_of(j).title));
            if (row_of(j).failure.empty() && !run_job(j, false))
                return false;
            ++progress_.done;
        }
        return true;
    }

    /// Rows are compared round by round.
    void drop_incomplete_round() {
        for (job& j : jobs_)
            for (std::vector<double>* list : {&j.seconds, &j.waits, &j.peaks})
                list->resize(std::min(list->size(), result_.complete_rounds));
    }

    /// What the jobs measured as the rows' seconds. To ask each block for its group is no cost of a pool, so a group is
    /// compared with the control, and scaled to the default.
    void fill_rows() {
        const std::vector<double>& base = jobs_.front().seconds;
        const auto control =
            std::find_if(jobs_.begin(), jobs_.end(), [](const job& j) { return j.is_control; });
        for (const job& j : jobs_) {
            replay_row& row = row_of(j);
            if (j.is_group && row.failure.empty())
                row.failure = control_.failure;
            if (j.is_control || !row.failure.empty())
                continue;
            row.seconds = j.seconds;
            row.wait_seconds = median(j.waits);
            row.peak_rss_bytes = median(j.peaks);
            if (j.is_group)
                for (std::size_t round = 0; round != row.seconds.size(); ++round)
                    row.seconds[round] *= base[round] / std::max(control->seconds[round], 1e-9);
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
    std::optional<built_program> program_;
    std::vector<std::string> only_;
    std::vector<job> jobs_;
    replay_row control_; // of the groups
    std::chrono::seconds timeout_{600};
};

} // namespace

replay_result replay_trace(const replay_options& options, const interrupt_guard& guard,
                           const std::function<void(const work_progress&)>& tick) {
    return replayer{options, guard, tick}.perform();
}

} // namespace linn::tool
