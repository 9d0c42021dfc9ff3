// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace model {
namespace {

scenario* first = nullptr;

scenario* find(std::string_view name) {
    for (scenario* s = first; s != nullptr; s = s->next) {
        if (s->name == name) {
            return s;
        }
    }
    std::printf("no such scenario: %.*s\n", static_cast<int>(name.size()), name.data());
    std::exit(2);
}

constexpr const char* usage = R"(linn_model SCENARIO [OPTION...]    explores all schedules
linn_model --list                  names of the scenarios, and which are for the night

  --schedule=TEXT    repeats one execution, as a failure has printed it, step by step
  --verbose          with the functions of each step
  --most=N           stops after N schedules
  --control=TEXT     takes something away, and succeeds if that is noticed: "weaken FUNCTION/OPERATION/ORDER"
                     (relaxed then), "soften ..." (the next weaker order), "unlock FUNCTION" or "barrier"
  --sites            prints all such texts for what the scenario executes
)";

} // namespace

void enter(scenario& s) noexcept {
    s.next = first;
    first = &s;
}

namespace engine {
bool expects_failure = false;
bool verbose = false;
} // namespace engine

} // namespace model

namespace {
int run(int argc, char** argv) {
    using namespace model;
    engine::limits limits;
    std::string schedule;
    bool sites = false;
    scenario* s = nullptr;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string_view option = argument.substr(0, equals);
        const std::string value{equals == std::string_view::npos ? "" : argument.substr(equals + 1)};
        if (option == "--list") {
            for (const scenario* all = first; all != nullptr; all = all->next) {
                std::printf("%s%s\n", all->name, all->nightly ? " nightly" : "");
            }
            return 0;
        } else if (option == "--schedule") {
            schedule = value;
        } else if (option == "--verbose") {
            engine::verbose = true;
        } else if (option == "--most") {
            limits.schedules = std::strtoull(value.c_str(), nullptr, 10);
        } else if (option == "--control") {
            engine::set_control(value);
            engine::expects_failure = true;
        } else if (option == "--sites") {
            sites = true;
        } else if (option.starts_with("--")) {
            std::printf("%s", usage);
            return 2;
        } else {
            s = find(argument);
        }
    }
    if (s == nullptr) {
        std::printf("%s", usage);
        return 2;
    }
    if (!schedule.empty()) {
        engine::replay(*s, schedule);
        std::printf("%s: nothing is wrong with this schedule\n", s->name);
        return engine::expects_failure ? 1 : 0;
    }
    const std::clock_t began = std::clock();
    const engine::outcome o = engine::explore(*s, limits);
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    std::printf("%s: %u threads, %u shared places, %llu schedules (%llu redundant), longest %llu, exhausted: "
                "%s, %.2f s\n",
                s->name, s->threads, o.points, static_cast<unsigned long long>(o.schedules),
                static_cast<unsigned long long>(o.pruned), static_cast<unsigned long long>(o.longest),
                o.exhausted ? "yes" : "no", seconds);
    if (s->conclude != nullptr && o.exhausted) {
        s->conclude();
    }
    if (sites) {
        for (const std::string& site : engine::sites()) {
            std::printf("%s\n", site.c_str());
        }
    }
    if (engine::expects_failure) {
        std::printf(engine::control_was_used() ? "NOT caught\n"
                                               : "the control was not used: no such place is executed\n");
        return 1;
    }
    return 0;
}
} // namespace

int main(int argc, char** argv) {
    const int status = run(argc, argv);
    std::fflush(stdout);
    std::_Exit(status); // what scenarios left in static and thread-local objects is of the model
}
