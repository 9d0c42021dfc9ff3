// SPDX-License-Identifier: Apache-2.0
#include "bench_headline.hpp"

#include "../../bench/judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {
namespace {

std::string ties_remark(const headline_result& h) {
    const std::size_t judged = h.wins + h.losses + h.ties;
    return judged == 0 ? std::string{} : fmt::format("ties: {} of {}; {}", h.ties, judged, tie_rule());
}

std::string ranking_remark(const headline_result& h) {
    constexpr std::size_t most = 3;
    std::vector<std::string> named;
    for (const ranked_allocator& a : h.ranking) {
        if (named.size() != most) {
            named.push_back(fmt::format("{} {}", figure_of(unit::times, a.speed).text(), a.title));
        }
    }
    if (h.ranking.size() < 2) {
        return {};
    }
    return fmt::format("x glibc (geometric mean): {}{}", fmt::join(named, ", "),
                       h.ranking.size() > most ? fmt::format("; {} more", h.ranking.size() - most)
                                               : std::string{});
}

std::string unmeasured_remark(const headline_result& h) {
    return h.unmeasured.empty()
               ? std::string{}
               : fmt::format("not measured: {} (linn allocators says why)", fmt::join(h.unmeasured, ", "));
}

emphasis style_of(outcome o) {
    return o == outcome::win ? emphasis::good : o == outcome::loss ? emphasis::bad : emphasis::none;
}

} // namespace

table headline_table(const headline_result& h) {
    table t{"Linn's pools and the best other allocator in each test",
            {{.heading = "test", .is_text = true},
             {.heading = "Linn"},
             {.heading = "best other", .is_text = true, .droppable = 1, .shorten = cut::end, .least = 15},
             {.heading = "its time", .droppable = 2},
             {.heading = "result", .is_text = true}}};
    for (const headline_test& test : h.tests) {
        t.add({test.what->title, figure_of(unit::nanoseconds, test.ours_ns), test.other,
               figure_of(unit::nanoseconds, test.other_ns), cell{test.result()}.styled(style_of(test.says))});
    }
    for (std::string remark : {ties_remark(h), ranking_remark(h), unmeasured_remark(h)}) {
        if (!remark.empty()) {
            t.remarks.push_back(std::move(remark));
        }
    }
    return t;
}

void begin_with_headline(document& d, const headline_result& h) {
    d.lead = fmt::format("{}", fmt::join(h.verdict, "\n"));
    d.add(paragraph{"Trust: " + h.trust});
    d.add(headline_table(h));
}

code next_commands() {
    return {"linn run -- ./prog                               would another allocator help your program?\n"
            "linn record -- ./prog && linn advise prog.linn   which of its types need a pool?\n"
            "linn bench --all                                 every scenario, in the time that it needs\n"};
}

} // namespace linn::tool::report
