// SPDX-License-Identifier: Apache-2.0
// A program for `linn advise` that is told what to allocate, with names made up here.
#pragma once

#include "advise/advice.hpp"
#include "advise/type_groups.hpp"
#include "analysis/accumulator.hpp"
#include "made_events.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool::testing {

/// A program that is told what to allocate; each stack is one frame in module 0.
class program {
public:
    program() {
        info_.modules.push_back({"/home/me/app", "abcd"});
        info_.processes.resize(1);
        info_.threads.resize(2);
        info_.stacks.emplace_back();
        info_.command = {"./app"};
        info_.ending = "exited with 0";
        info_.event_cost_ns = 20;
    }

    /// `count` blocks, at most `live` of them at once, from a stack of its own. Returns the stack.
    std::uint32_t churn(std::uint64_t count, std::uint64_t bytes, std::uint64_t live,
                        std::uint32_t releasing = 0) {
        const auto stack = static_cast<std::uint32_t>(info_.stacks.size());
        info_.stacks.push_back({{0, 0x1000 + stack}});
        const std::uint64_t base = std::uint64_t{stack} << 32;
        for (std::uint64_t i = 0; i != count; ++i) {
            const std::uint64_t address = base + (i % live + 1) * 4096;
            if (i >= live) {
                push(release(address, 0, releasing));
            }
            push(allocation(address, bytes, 0, 0, stack));
        }
        for (std::uint64_t i = 0; releases_all_ && i != std::min(live, count); ++i) {
            push(release(base + (i + 1) * 4096, 0, releasing));
        }
        return stack;
    }

    void keep_the_rest() { releases_all_ = false; }

    trace_info& info() { return info_; }

    /// The program ran so long, recording apart.
    trace_analysis analyse(double cpu_ns) {
        info_.events = events_.size();
        info_.baseline.cpu_ns = cpu_ns;
        info_.duration_ns = time_;
        accumulator a;
        a.take(events_);
        return a.finish(info_);
    }

private:
    void push(event e) {
        e.time = time_ += 50;
        events_.push_back(e);
    }

    trace_info info_;
    std::vector<event> events_;
    std::uint64_t time_ = 0;
    bool releases_all_ = true;
};

/// The time in the allocator as if it was measured: the shares of the calls of the stacks, from the first on, 10 % of each wide to
/// both sides; and that of page faults, which belong to the first.
inline trace_analysis timed(trace_analysis run, const std::vector<double>& calls, double page_faults = 0) {
    allocation_time& time = run.time;
    site_time sum;
    for (analysed_site& site : run.sites) {
        site_time& t = site.statistics.time;
        t.calls = site.stack <= calls.size() && site.stack != 0 ? calls[site.stack - 1] : 0;
        t.page_faults = site.stack == 1 ? page_faults : 0;
        t.systematic = 0.1 * (t.calls + t.page_faults);
        sum.merge(t);
    }
    time.why_not = time_unknown::none;
    time.calls = sum.calls;
    time.page_faults = sum.page_faults;
    time.share = sum.share().value;
    time.low = sum.share().low;
    time.high = sum.share().high;
    time.samples = 1000 * run.sites.size();
    time.faults = page_faults > 0 ? 5000 : 0;
    time.cpu_ns = run.info.baseline.cpu_ns;
    return run;
}

/// Names by the address: `names[i]` for the stack i + 1, as "type|container".
inline advise_parts parts_for(std::vector<std::string> names) {
    advise_parts parts;
    parts.names.name = [names](const allocation_site& site) {
        named_type named;
        const std::size_t index = site.stack.empty() ? 0 : site.stack[0].address - 0x1000;
        const std::string& name = names[std::min(index, names.size() - 1)];
        named.type = name.substr(0, name.find('|'));
        named.container = name.find('|') == std::string::npos ? "" : name.substr(name.find('|') + 1);
        named.is_array = named.container.starts_with("std::vector") || named.container == "std::string";
        named.rule = type_rule::allocator;
        named.place = {"work()", "/home/me/app.cpp", static_cast<unsigned>(50 + index), 7, false};
        named.frames = {
            {"std::allocator::allocate", "/usr/include/c++/12/bits/new_allocator.h", 137, 1, true},
            named.place,
            {"main", "/home/me/app.cpp", 99, 3, false}};
        return named;
    };
    parts.names.about = [](const std::string&, const std::string&) { return module_symbols{}; };
    parts.sources = [](const std::string&) { return std::nullopt; };
    return parts;
}

} // namespace linn::tool::testing
