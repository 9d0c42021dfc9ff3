// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/statistics.hpp"
#include "candidates.hpp"

namespace linn::tool {

/// A decision wants so many rounds at least. An interval takes `rounds_to_judge`; a claim by the test takes some more.
inline constexpr std::size_t rounds_to_decide = 12;
/// Allocators, the empty plan and pools that are clearly not the best take part in so many rounds at most: the rest of the budget goes to
/// what the answer depends on.
inline constexpr std::size_t rounds_to_compare = 15;
/// And all others in so many: a half-width of 1 % on a machine where two runs of one program differ by 10 %.
inline constexpr std::size_t most_deciding_rounds = 400;
/// When the answer is clear, explanations get what is left of the budget beyond this share of it.
inline constexpr double deciding_share = 0.75;
/// So many allocators take part in the decision, the best of a short screening.
inline constexpr std::size_t most_allocators = 4;

/// The arms that decide, and the time for them. The plain program, its copy and a pool for each type are always among them.
struct trial_plan {
    bool has_sizes = true;      ///< a pool for each size is another plan than one for each type
    bool has_every = true;      ///< every block may have a pool, not only types that were asked for
    std::size_t allocators = 0; ///< to compare with
    double seconds_a_run = 0;
    double seconds = 0;        ///< what is left of the budget; 0: no limit, the number of rounds is given
    double seconds_before = 0; ///< of the budget that are spent by then
    bool has_empty = true;
    double rounds = 0; ///< that there is time for; meaningless without a limit

    std::size_t arms() const noexcept;
    double seconds_of(double of_rounds) const noexcept;
    bool can_decide() const noexcept { return rounds >= rounds_to_decide; }
};

/// The plan with most of the arms of `wishes` for which there is time for `rounds_to_decide` rounds. What is left out first is what
/// decides least: allocators but one, the empty plan, every block by size, the last allocator. A pool for each size stays.
trial_plan plan_decision(trial_plan wishes);

/// How many rounds a screening of the allocators has: 3 at most, and none where one took more than a fifth of the time.
std::size_t screening_rounds(const trial_plan& wishes);

/// One of several arms, and what the choice of it saves.
struct best_arm {
    std::string name;
    interval saved; ///< a share of the CPU time of the arm that it is compared with; negative: it costs
    std::size_t rounds = 0;   ///< that the estimate rests on
    bool is_unanimous = true; ///< every part of the rounds chose this one
};

/// The rounds are split into so many parts.
inline constexpr std::size_t choice_parts = 4;

/// The sound arm of the list that saves most CPU time of `base`, and how much. The rounds are dealt into `choice_parts` parts. For each
/// part the other parts choose an arm, and the part estimates what that arm saves. No round takes part in the choice of the arm that
/// it estimates, so the interval is honest although the arm was selected. Where all parts choose the same arm, the estimate is that
/// of all its rounds. Where they do not, arms are nearly alike, and the interval holds also that of all rounds of the one named.
/// @param margin an arm is chosen over an earlier one of the list only if it saves so much more: arms that are alike are not
/// told apart by chance
/// @returns nothing if no arm of the list is sound and ran together with `base`
/// @complexity O(arms x rounds log rounds)
std::optional<best_arm> best_of(const run_result& run, const std::vector<std::string>& arms,
                                std::string_view base, double margin = least_program_claim);

/// Why the answer is not known.
enum class open_question {
    none,
    no_candidate,     ///< no type can be tried
    does_not_work,    ///< the program fails or writes something else with every form of the pools
    too_few_rounds,   ///< for an interval, or for the test that must agree with it
    too_wide,         ///< the interval, or what two copies of the plain program differ by
    incomplete_trace, ///< there may be types that it does not know
};

const char* to_string(open_question why) noexcept;

/// What was measured, judged once. Terminal, page, JSON and exit status say the same because they read it here.
struct try_judgement {
    pool_answer answer = pool_answer::not_known;
    open_question open = open_question::none;
    /// The best form of the pools, and what it saves of the plain program's CPU time.
    std::optional<best_arm> pools;
    std::size_t rounds_needed = 0; ///< before the test can claim anything
    bool saves = false;            ///< certain: the test and the interval say so
    bool costs = false;            ///< the same
    /// The best general allocator, among those that certainly save CPU time if any does, and what it saves of the plain program's.
    std::optional<best_arm> allocator;
    bool allocator_saves = false;           ///< certain, likewise
    std::optional<interval> over;           ///< the pools in front of it: of the plain program's
    std::optional<interval> over_allocator; ///< the same, relative to the allocator alone
    /// The form or the part of the pools that certainly saves more than they do, and its saving relative to them.
    std::optional<best_arm> better;
    bool is_of_better = false; ///< `answer` and `pools` are those of `better`
};

/// Judges the rows that decide: `arms` are the forms of all pools together, the plainest first.
try_judgement judge_decision(const run_result& deciding, const std::vector<std::string>& arms);

/// Adds what the explaining rows say: the pools over an allocator, and the best of `parts`, which are parts of the pools of
/// `chosen_arm`. If one of these is certainly better and the answer is not yes, the answer is its own.
void judge_explanation(try_judgement& judged, const run_result& explaining,
                       const std::vector<std::string>& parts);

/// Whether further rounds would not change the answer: the threshold lies far outside the interval.
bool is_clear(const try_judgement& judged) noexcept;

/// Whether further rounds would hardly change the figure: its interval is +- `within` at most.
bool is_precise(const try_judgement& judged, double within) noexcept;

/// The whole of `linn try`.
struct try_result {
    std::string trace; ///< file; empty: the program was recorded for this
    try_candidates candidates;
    /// One for each candidate: allocations that their pools served in a run that counted; empty: not known.
    std::vector<std::uint64_t> hits;
    /// What the program did with the pools that were left out; empty: it worked with all.
    std::string why_broken;
    trial_plan decision;  ///< what the budget had room for
    run_result screening; ///< plain and all allocators, a few rounds; may have no rows
    run_result deciding;  ///< plain, all pools in each form, an empty plan, the best allocators
    /// Plain, the best form, parts of it, and it over the best allocator; may have no rows.
    run_result explaining;
    double explaining_seconds = 0; ///< of a budget that has room for all of that; 0: this one had
    std::vector<try_arm> arms;     ///< the forms of all pools together, of `deciding`
    std::vector<try_arm> parts;    ///< those of `explaining`, without the form that they vary
    try_judgement judged;
    pool_plan plan; ///< of the best of them; empty unless it certainly saves CPU time
    std::string plan_arm;
    std::string problem;         ///< why nothing was measured; empty when something was
    bool is_usage_error = false; ///< of `problem`
    std::optional<int> status;   ///< of `problem`: the program failed, with this exit status
    int interrupted_by = 0;

    /// The share of a candidate's recorded allocations that its pools served, at most 1; empty where it is not known.
    std::optional<double> routed(std::size_t candidate) const;
    /// Null: there is no such arm.
    const try_arm* find_arm(std::string_view name) const;
    /// The estimate of CPU time of an arm that decides or explains, where there is one.
    const estimate* cpu_of(std::string_view arm) const;
    /// The row that the verdict speaks of, and the run that it stands in. Null: it was not measured.
    const run_row* decisive() const;
    const run_result& decisive_run() const { return judged.is_of_better ? explaining : deciding; }
    /// The plain program, where its runs began on a littered heap; else null.
    const run_row* littered() const;
};

/// What a smaller budget than a decision needs will be able to say, as a sentence; empty: it is large enough.
std::string forecast_of(const trial_plan& plan);

/// Measures the candidates on the program: `options` are those of a run, whose budget is for everything together. Finds out with which
/// candidates the program works, and counts what each serves. Then all of these together decide: a pool for each type, a pool for each
/// size, and every block by size, next to the best allocators of a short screening. Rounds go on until the answer is clear or
/// the budget is spent. What is left of it explains: without each leading type, each alone, and all in front of the best
/// allocator. `warn` is given the forecast before anything is timed, if there is one.
try_result try_pools(const run_options& options, try_candidates candidates, const run_world& world,
                     const std::filesystem::path& library, const run_progress& report,
                     const run_notice& notice, const run_notice& warn);

/// Judges what was measured, and writes judgement and plan into the result. @pre the runs are judged
void judge_trial(try_result& result);

} // namespace linn::tool
