// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <algorithm>
#include <vector>

namespace linn::tool::worker {
namespace {

/// What the threads of one team share.
struct team {
    explicit team(const team_plan& p) : plan{p}, barrier{p.threads} {}

    const team_plan& plan;
    spin_barrier barrier;
    std::uint64_t faults = 0;
};

class member final : public team_member {
public:
    member(team& all, unsigned index) : all_{all}, index_{index}, passes_(all.plan.passes) {}

    bool prepare() override {
        all_.barrier.wait();
        return all_.plan.warm_up;
    }

    pass_time* next_pass() override {
        if (done_ == 0) {
            begin();
        }
        if (done_ == passes_.size()) {
            end();
            return nullptr;
        }
        pass_time* const pass = &passes_[done_++];
        all_.barrier.wait();
        return pass;
    }

    const pass_time& pass(std::size_t which) const { return passes_[which]; }
    double share() const noexcept { return share_; }

private:
    void begin() {
        all_.barrier.wait();
        if (index_ == 0) {
            all_.faults = page_faults();
        }
        wall_ = now_ns();
        busy_ = cpu_ns();
    }

    void end() {
        share_ = static_cast<double>(cpu_ns() - busy_) / static_cast<double>(now_ns() - wall_);
        all_.barrier.wait();
        if (index_ == 0) {
            all_.faults = page_faults() - all_.faults;
        }
        all_.barrier.wait(); // no thread returns memory while faults are counted
    }

    team& all_;
    unsigned index_;
    std::size_t done_ = 0;
    std::uint64_t wall_ = 0;
    std::uint64_t busy_ = 0;
    double share_ = 1;
    std::vector<pass_time> passes_;
};

} // namespace

phase measure_team(team_plan plan, double& least_share, const std::function<void(team_member&)>& work) {
    team all{plan};
    std::vector<member> members;
    for (unsigned index = 0; index != plan.threads; ++index) {
        members.emplace_back(all, index);
    }
    {
        std::vector<std::thread> helpers;
        for (unsigned index = 1; index < plan.threads; ++index) {
            helpers.emplace_back([&, index] {
                pin_thread(index);
                work(members[index]);
            });
        }
        work(members.front());
        for (std::thread& t : helpers) {
            t.join();
        }
    }
    std::vector<double> durations;
    for (std::size_t p = 0; p != plan.passes; ++p) {
        pass_time whole = members.front().pass(p);
        for (const member& m : members) {
            whole.start = std::min(whole.start, m.pass(p).start);
            whole.end = std::max(whole.end, m.pass(p).end);
        }
        durations.push_back(static_cast<double>(whole.end - whole.start) /
                            static_cast<double>(plan.operations));
    }
    std::sort(durations.begin(), durations.end());
    for (unsigned index = 1; index < plan.threads; ++index) {
        least_share = std::min(least_share, members[index].share());
    }
    const double operations = static_cast<double>(plan.operations * plan.passes * plan.threads);
    return {
        std::move(plan.name), durations[plan.passes / 2], static_cast<double>(all.faults) / operations, {}};
}

} // namespace linn::tool::worker
