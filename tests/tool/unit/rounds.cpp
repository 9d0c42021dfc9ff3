// SPDX-License-Identifier: Apache-2.0
// Every experiment's rounds: each job once a round in a random order that repeats with the seed, warm-ups kept by nobody,
// disturbed processes repeated within bounds, whole rounds only, and an end by precision, rounds, budget, failure or signal.
#include "experiment/rounds.hpp"

#include "unit.hpp"

namespace linn::tool::rounds_tests {

/// Jobs that take as long as a test says, by a clock that only they move.
struct fake_experiment final : experiment {
    struct kept {
        std::size_t job = 0;
        kept_attempt how;
    };

    std::vector<double> takes{1, 2, 3};
    double guessed = 1; ///< of that, before the first round
    double canary = 1;
    double cpu_share = 1;
    std::function<void(const cell&)> before = [](const cell&) {}; ///< each process
    std::function<attempt::ending(const cell&)> ending = [](const cell&) {
        return attempt::ending::measured;
    };
    std::size_t claim = 0;                          ///< rounds that a judgement needs
    std::function<std::size_t(std::size_t)> needed; ///< none: only the limits end it

    double clock = 0;
    std::vector<cell> started;
    std::vector<kept> list;
    std::vector<bool> failed;
    std::vector<work_progress> reports;

    bool takes_part(std::size_t job) const override { return !failed[job]; }
    std::size_t rounds_for_claim() const override { return claim; }
    bool leave_out() override {
        for (std::size_t job = failed.size(); job-- > 1;) {
            if (!failed[job]) {
                failed[job] = true;
                return true;
            }
        }
        return false;
    }
    std::string title_of(std::size_t job) const override { return "job " + std::to_string(job); }
    double seconds() const override { return clock; }
    void report(const work_progress& progress) override { reports.push_back(progress); }

    attempt run_once(const cell& now) override {
        started.push_back(now);
        before(now);
        clock += takes[now.job];
        const attempt::ending how = ending(now);
        failed[now.job] = how == attempt::ending::failed;
        return {how, canary, cpu_share};
    }

    void keep(const cell& now, const kept_attempt& how) override { list.push_back({now.job, how}); }

    std::size_t rounds_needed(std::size_t complete) override {
        return needed ? needed(complete) : experiment::rounds_needed(complete);
    }

    rounds_done run(round_limits limits, std::size_t warm_up_rounds = 0) {
        failed.assign(takes.size(), false);
        round_options options;
        options.limits = limits;
        options.warm_up_rounds = warm_up_rounds;
        options.seed = 5;
        options.jobs = takes.size();
        options.guess =
            guessed * std::accumulate(takes.begin(), takes.end(), 0.0) / static_cast<double>(takes.size());
        return run_rounds(*this, options);
    }

    std::size_t count(std::size_t job) const {
        return static_cast<std::size_t>(
            std::count_if(list.begin(), list.end(), [&](const kept& k) { return k.job == job; }));
    }
};

TEST_CASE("every job runs once a round") {
    const auto plan = make_plan(10, 7, 42);
    REQUIRE(plan.size() == 10u * 7u);
    std::map<std::size_t, std::size_t> runs;
    for (std::size_t i = 0; i != plan.size(); ++i) {
        CHECK(plan[i].round == i / 10); // a round is complete before the next begins
        ++runs[plan[i].job];
    }
    CHECK(runs.size() == 10);
    for (const auto& [job, count] : runs) {
        CHECK(count == 7);
    }
}

TEST_CASE("the order is random, differs by round, and repeats with the seed") {
    const auto plan = make_plan(16, 4, 1);
    CHECK(plan == make_plan(16, 4, 1));
    CHECK(plan != make_plan(16, 4, 2));

    const auto same = [&](std::size_t a, std::size_t b) {
        for (std::size_t i = 0; i != 16; ++i) {
            if (plan[a * 16 + i].job != plan[b * 16 + i].job) {
                return false;
            }
        }
        return true;
    };
    CHECK_FALSE(same(0, 1));
    CHECK_FALSE(same(1, 2));
    CHECK_FALSE(same(2, 3));
}

TEST_CASE("no job has a favourite place in the order") {
    const std::size_t rounds = 600;
    const auto plan = make_plan(6, rounds, 3);
    std::map<std::size_t, std::size_t> first;
    for (std::size_t r = 0; r != rounds; ++r) {
        ++first[plan[r * 6].job];
    }
    REQUIRE(first.size() == 6);
    for (const auto& [job, count] : first) { // expected 100, five standard deviations are 46
        CHECK(count > 54);
        CHECK(count < 146);
    }
}

TEST_CASE("each job runs once a round in the order of the plan, and warm-ups are kept by nobody") {
    fake_experiment e;
    const rounds_done done = e.run({4, 4}, 2);
    CHECK(done.complete == 4);
    CHECK(done.stopped == stop_reason::rounds);
    CHECK(e.started == make_plan(3, 6, 5));
    REQUIRE(e.list.size() == 12);
    for (std::size_t i = 0; i != e.list.size(); ++i) {
        CHECK(e.list[i].how.round == i / 3);
    }
}

TEST_CASE("a budget ends it after a whole round, never before the least") {
    fake_experiment e; // a round takes 6
    SUBCASE("no round is started that would end later") {
        const rounds_done done = e.run({1, 100, 29});
        CHECK(done.complete == 4);
        CHECK(done.stopped == stop_reason::budget);
    }
    SUBCASE("the least are run") {
        CHECK(e.run({3, 100, 1}).complete == 3);
    }
    SUBCASE("warm-ups take of it") {
        CHECK(e.run({1, 100, 29}, 1).complete == 3);
    }
}

TEST_CASE("jobs are left out until the rest can be judged within the budget; where that cannot be, one round "
          "is run") {
    fake_experiment e; // a round takes 6
    e.claim = 5;
    SUBCASE("before the first round") {
        CHECK(e.run({1, 100, 20}).complete == 6);
        CHECK(e.count(2) == 0);
    }
    SUBCASE("all but one") {
        CHECK(e.run({1, 100, 7}).complete == 7);
        CHECK(e.count(1) == 0);
    }
    SUBCASE("not even one") {
        const rounds_done done = e.run({1, 100, 4});
        CHECK(done.complete == 1);
        CHECK(done.stopped == stop_reason::budget);
    }
    SUBCASE("within the first round, where it takes longer than was thought") {
        e.takes.assign(20, 1);
        e.guessed = 0.01;
        CHECK(e.run({1, 100, 8}).complete == 1);
        CHECK(e.clock == 8);
        CHECK(e.count(0) == 1);
    }
}

TEST_CASE("it ends as soon as enough is known, and asks after each round") {
    fake_experiment e;
    std::vector<std::size_t> asked;
    e.needed = [&](std::size_t complete) {
        asked.push_back(complete);
        return complete < 3 ? std::size_t{7} : complete;
    };
    const rounds_done done = e.run({1, 100});
    CHECK(done.complete == 3);
    CHECK(done.stopped == stop_reason::precise);
    CHECK(asked == std::vector<std::size_t>{0, 1, 2, 3});
    CHECK(e.reports.front().total == 7 * 3); // what is left is told by what is expected
    CHECK(*e.reports.front().seconds_left > 0);
}

TEST_CASE("more than the most are never run, whatever is needed") {
    fake_experiment e;
    e.needed = [](std::size_t complete) { return complete + 5; };
    const rounds_done done = e.run({1, 6});
    CHECK(done.complete == 6);
    CHECK(done.stopped == stop_reason::rounds);
}

TEST_CASE("a job that fails is left out, and its time is not expected of later rounds") {
    fake_experiment e;
    e.takes = {1, 1, 50};
    e.ending = [](const cell& now) {
        return now.job == 2 ? attempt::ending::failed : attempt::ending::measured;
    };
    const rounds_done done = e.run({1, 100, 60});
    CHECK(done.complete == 5); // 52 for the first, and 2 for each of the others
    CHECK(e.count(0) == 5);
    CHECK(e.count(2) == 0);
    CHECK(std::count_if(e.started.begin(), e.started.end(), [](const cell& c) { return c.job == 2; }) == 1);
}

TEST_CASE("a signal, and a failure without which nothing makes sense, end it at once") {
    fake_experiment e;
    attempt::ending how = attempt::ending::interrupted;
    e.ending = [&](const cell&) { return e.started.size() == 8 ? how : attempt::ending::measured; };
    SUBCASE("a signal") {
        CHECK(e.run({9, 9}).stopped == stop_reason::interrupted);
    }
    SUBCASE("a failure") {
        how = attempt::ending::impossible;
        CHECK(e.run({9, 9}).stopped == stop_reason::rounds);
    }
    CHECK(e.started.size() == 8);
    CHECK(e.list.size() == 7); // of the third round, which is not complete, one
}

TEST_CASE("a disturbed process is repeated, until it is quiet or that was often enough") {
    fake_experiment e;
    e.takes = {1};
    unsigned disturbed = 1;
    const auto disturb = [&](double& figure, double quiet, double bad) {
        e.before = [&, quiet, bad](const cell& now) {
            const auto tries = std::count(e.started.begin(), e.started.end(), now);
            figure = now.round == 19 && tries <= disturbed ? bad : quiet;
        };
    };
    SUBCASE("by its canary") {
        disturb(e.canary, 1, 1.01 * canary_tolerance);
    }
    SUBCASE("by its share of the CPU") {
        disturb(e.cpu_share, 1, 0.99 * least_cpu_share);
    }
    SUBCASE("for ever") {
        disturb(e.canary, 1, 2);
        disturbed = 100;
    }
    e.run({20, 20});
    REQUIRE(e.list.size() == 20);
    const bool is_hopeless = disturbed == 100;
    CHECK(e.list.back().how.repeated == (is_hopeless ? most_repetitions : 1));
    CHECK(e.list.back().how.is_disturbed == is_hopeless);
    CHECK(e.reports.back().repeated == e.list.back().how.repeated);
    CHECK_FALSE(e.list.front().how.is_disturbed);
}

TEST_CASE("on a machine that is always disturbed a quarter of the processes are repetitions, and the rest is "
          "marked") {
    fake_experiment e;
    e.before = [&](const cell&) { e.canary = e.started.size() == 1 ? 1 : 2; };
    e.run({40, 40});
    const std::size_t all = e.started.size();
    CHECK(e.list.size() == 3 * 40);
    CHECK(all - e.list.size() > all / 5);
    CHECK(all - e.list.size() <= all / 4 + 1);
    CHECK(std::count_if(e.list.begin(), e.list.end(), [](const auto& k) { return k.how.is_disturbed; }) ==
          3 * 40 - 1);
}

TEST_CASE("nothing is repeated in the time of the rounds that are wanted") {
    for (const round_limits& limits : {round_limits{1, 10, 60, 10}, round_limits{10, 10, 60}}) {
        fake_experiment e; // a round takes 6
        e.before = [&](const cell&) { e.canary = e.started.size() == 1 ? 1 : 2; };
        const rounds_done done = e.run(limits);
        CHECK(done.complete == 10);
        CHECK(e.started.size() == 30);
    }
}

TEST_CASE("an experiment of no jobs has no rounds") {
    fake_experiment e;
    e.takes.clear();
    CHECK(e.run({2, 5}).complete == 0);
}

TEST_CASE("the time left is right as soon as one cell has run") {
    fake_experiment e;
    e.takes = {3, 3, 3};
    e.guessed = 0.1;
    e.run({4, 4});
    CHECK(*e.reports[0].seconds_left == doctest::Approx(12 * 0.3));
    CHECK(*e.reports[1].seconds_left == doctest::Approx(11 * 3));
}

TEST_CASE("the time left counts only rounds that will fit") {
    fake_experiment e;
    e.takes = {10, 10};
    e.run({2, 100, 90});
    // After the first round 20 s are over, this one takes 20 more, and two of 20 s end at 80 s.
    CHECK(*e.reports[2].seconds_left == doctest::Approx(60));
    CHECK(*e.reports.back().seconds_left == doctest::Approx(10));
}

} // namespace linn::tool::rounds_tests
