// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "judgement.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

using figures::unit;
using figures::written;

/// Reads medians of one scenario by name.
class medians {
public:
    medians(const bench_result& result, const scenario_result& s) : result_{&result}, s_{&s} {}

    const row* find(std::string_view contender, std::string_view variant) const {
        return s_->find(result_->contenders, contender, variant);
    }
    static double ns(const row& r, std::size_t phase) {
        return r.in(phase) == nullptr ? 0 : r.in(phase)->ns.median.middle;
    }
    static double faults(const row& r, std::size_t phase) {
        return r.in(phase) == nullptr ? 0 : r.in(phase)->faults;
    }
    /// Phases are few; a name that is missing would be a mistake in this file.
    std::size_t phase(std::string_view name) const {
        const auto& phases = s_->what->phases;
        return static_cast<std::size_t>(
            std::find_if(phases.begin(), phases.end(), [&](const phase_info& p) { return p.name == name; }) -
            phases.begin());
    }
    const bench_result& result() const { return *result_; }
    const scenario_result& scenario() const { return *s_; }

private:
    const bench_result* result_;
    const scenario_result* s_;
};

std::string shared_ptr_finding(const medians& f) {
    std::string text;
    const row* plain = f.find(baseline_name, "make_shared");
    const row* kept = f.find(no_trim_name, "make_shared");
    const std::size_t burst = f.phase("single_burst");
    if (plain != nullptr && kept != nullptr) {
        const double faults = f.faults(*plain, burst);
        if (f.ns(*plain, burst) > 1.5 * f.ns(*kept, burst) && faults > 0.01) {
            text +=
                fmt::format(" In bursts glibc needs {} and {} page faults an operation, {} without trimming: "
                            "most of its price there is heap given back and fetched again.",
                            written(unit::nanoseconds, f.ns(*plain, burst)), written(unit::number, faults),
                            written(unit::nanoseconds, f.ns(*kept, burst)));
        }
    }
    const row* locked = f.find("locked-pool", "allocate_shared");
    const std::size_t one = f.phase("multi_hot");
    const std::size_t two = f.phase("two_hot");
    if (plain != nullptr && locked != nullptr && plain->in(two) != nullptr && locked->in(two) != nullptr) {
        text += fmt::format(
            " The published locked pool goes from {} to {} when two threads use it, std::make_shared on "
            "glibc "
            "from {} to {}: ",
            written(unit::nanoseconds, f.ns(*locked, one)), written(unit::nanoseconds, f.ns(*locked, two)),
            written(unit::nanoseconds, f.ns(*plain, one)), written(unit::nanoseconds, f.ns(*plain, two)));
        const outcome o = compare_rows(f.scenario(), *locked, *plain, two).says;
        text += o == outcome::loss  ? "contended, it is the slower of the two."
                : o == outcome::win ? "here it stays the faster of the two."
                                    : "contended, they are level.";
    }
    return text;
}

std::string filled_bytes(const medians& f) {
    const std::size_t line = f.phase("line");
    const row* linn = f.find(linn_name, "linn_make_shared_for_overwrite");
    const auto bytes = linn == nullptr ? std::nullopt : linn->metric(line, "fill_bytes");
    if (!bytes || *bytes <= 0) {
        return {};
    }
    return fmt::format(" make_shared<Line>() writes {} bytes for nothing; with an empty "
                       "constructor it writes {}.",
                       written(unit::count, *bytes, figures::lettering::prose),
                       written(unit::count, linn->metric(line, "fill_bytes_constructor").value_or(0),
                               figures::lettering::prose));
}

std::string recycled_line(const medians& f) {
    const std::size_t line = f.phase("line");
    const std::size_t filled = f.phase("line_memset");
    const row* zeros = f.find(no_trim_name, "make_shared");
    const row* recycler = f.find(linn_name, "linn_recycler");
    if (zeros == nullptr || recycler == nullptr) {
        return {};
    }
    return fmt::format(" A recycled Line costs {} instead of {} (glibc that keeps its heap), and {} instead "
                       "of {} when it is "
                       "then filled for good.",
                       written(unit::nanoseconds, f.ns(*recycler, line)),
                       written(unit::nanoseconds, f.ns(*zeros, line)),
                       written(unit::nanoseconds, f.ns(*recycler, filled)),
                       written(unit::nanoseconds, f.ns(*zeros, filled)));
}

std::string pipeline_finding(const medians& f) {
    std::string text;
    const std::size_t flat = f.phase("flat_out");
    const std::size_t line = f.phase("line_rate");
    const auto rate = [&](const row& r, std::size_t phase) { return 1e3 / f.ns(r, phase); };
    const row* fastest_general = nullptr;
    for (const row& r : f.scenario().rows) {
        if (f.scenario().variant_of(r).name == "make_shared" &&
            (fastest_general == nullptr || rate(r, flat) > rate(*fastest_general, flat))) {
            fastest_general = &r;
        }
    }
    const auto sentence = [&](const row& r) {
        const double reached = rate(r, line);
        // The last burst of a paced run may end a little late.
        const bool keeps_up = reached > 14.88 * 0.99;
        return fmt::format(
            " {} moves {} M packets/s and {}", f.result().title_of(f.scenario(), r),
            written(unit::number, rate(r, flat)),
            keeps_up
                ? fmt::format("keeps up with 10 Gbit/s (14.88 M), where the receiving core is {} and the "
                              "working core {} idle",
                              figures::percent(r.metric(line, "receiver_idle").value_or(0)),
                              figures::percent(r.metric(line, "worker_idle").value_or(0)))
                : fmt::format("does not keep up with 10 Gbit/s (14.88 M): it reaches {} M",
                              written(unit::number, reached)));
    };
    if (const row* linn = f.find(linn_name, "linn_make_shared")) {
        text += sentence(*linn);
        text += rate(*linn, flat) >= 37.2 ? "; it would carry 25 Gbit/s (37.2 M) too."
                                          : "; 25 Gbit/s (37.2 M) is beyond it here.";
    }
    if (fastest_general != nullptr) {
        text += sentence(*fastest_general) + '.';
    }
    return text;
}

std::string buffers_finding(const medians& f) {
    const std::size_t filled = f.phase("8m_filled");
    const std::size_t unused = f.phase("8m");
    const row* linn = f.find(linn_name, "linn_buffer_pool");
    const row* zeros = f.find(baseline_name, "make_shared");
    if (linn == nullptr || zeros == nullptr) {
        return {};
    }
    return fmt::format(
        " Reusing 8 MiB costs linn::buffer_pool {} and {} page faults, make_shared<line>() on glibc {} and "
        "{}; "
        "when the buffer is then filled, it is {} faster.",
        written(unit::nanoseconds, f.ns(*linn, unused)), written(unit::number, f.faults(*linn, filled)),
        written(unit::nanoseconds, f.ns(*zeros, unused)), written(unit::number, f.faults(*zeros, filled)),
        times_text(f.ns(*zeros, filled) / f.ns(*linn, filled), 2));
}

} // namespace

std::string scenario_finding(const bench_result& result, const scenario_result& s) {
    const medians f{result, s};
    if (!why_not_judged(result).empty()) {
        return s.what->name == "zero-fill" ? filled_bytes(f)
                                           : std::string{}; // bytes do not vary from round to round
    }
    if (s.what->name == "shared-ptr") {
        return shared_ptr_finding(f);
    }
    if (s.what->name == "zero-fill") {
        return filled_bytes(f) + recycled_line(f);
    }
    if (s.what->name == "pipeline") {
        return pipeline_finding(f);
    }
    if (s.what->name == "buffers") {
        return buffers_finding(f);
    }
    return {};
}

} // namespace linn::tool
