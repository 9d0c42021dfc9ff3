// SPDX-License-Identifier: Apache-2.0
// Tasks in std::function, values in std::any, optional and variant; lambdas, local classes and threads.
#include "truth.hpp"

#include <any>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

namespace job {

struct settings {
    std::array<int, 12> values{};
};

using task = std::function<int(int)>;

} // namespace job

namespace {

using sample::truth;

int run_tasks(std::size_t n) {
    std::vector<job::task> tasks;
    tasks.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::array<int, 10> captured{static_cast<int>(i)};
        tasks.push_back([captured](int argument) { return captured[0] + argument; });
    }
    int sum = 0;
    for (const job::task& one : tasks) {
        sum += one(1);
    }
    truth::expect("*lambda*", "std::function*", n);
    truth::expect("std::function<int(int)>", "std::vector<std::function<int(int)>>", 1);
    return sum;
}

int keep_any(std::size_t n) {
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::any value = job::settings{};
        sample::keep(value);
        sum += std::any_cast<job::settings&>(value).values[0];
    }
    truth::expect("job::settings", "std::any", n);
    return sum;
}

int keep_local(std::size_t n) {
    struct progress {
        int done = 0;
        std::array<long, 4> times{};
    };
    std::map<int, progress> all;
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        all[static_cast<int>(i)].done = 1;
        const auto one = std::make_unique<progress>();
        sample::keep(*one);
        sum += one->done;
    }
    truth::expect("std::pair<const int, *progress>", "std::map<int, *progress>", n);
    truth::expect("*progress", "std::unique_ptr<*progress>", n);
    return sum;
}

int keep_variants(std::size_t n) {
    int sum = 0;
    std::vector<std::variant<int, job::settings>> values;
    sample::growth<std::vector<std::variant<int, job::settings>>> growth(values);
    for (std::size_t i = 0; i < n; ++i) {
        std::optional<job::settings> maybe;
        if (i % 2 == 0) {
            maybe.emplace();
        }
        values.emplace_back(maybe.value_or(job::settings{}));
        growth.see(values);
        auto shared = std::make_shared<std::function<int()>>([i] { return static_cast<int>(i); });
        sum += (*shared)();
    }
    truth::expect("std::variant<int, job::settings>", "std::vector<std::variant<int, job::settings>>",
                  growth.count());
    truth::expect("std::function<int()>", "std::shared_ptr<std::function<int()>>", n);
    return sum;
}

} // namespace

int main() {
    sample::keep(run_tasks(600));
    sample::keep(keep_any(600));
    sample::keep(keep_local(600));
    sample::keep(keep_variants(600));
    std::thread{[] { sample::keep(1); }}.join();
    truth::expect("thread state", "std::thread", 1);
    return truth::write();
}
