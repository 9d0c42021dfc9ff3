// SPDX-License-Identifier: Apache-2.0
// Objects: raw new, polymorphic and plain, new[] and malloc, for owners and without one; tasks in std::function, values in
// std::any, optional and variant; lambdas, local classes and threads.
#include "truth.hpp"

#include <any>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace shape {

class base {
public:
    virtual ~base() = default;
    virtual double area() const = 0;
};

class circle : public base {
public:
    explicit circle(double radius) : radius_(radius) {}
    double area() const override { return radius_ * radius_ * 3; }

private:
    double radius_;
};

class rectangle : public base {
public:
    rectangle(double width, double height) : width_(width), height_(height) {}
    double area() const override { return width_ * height_; }

private:
    double width_;
    double height_;
};

class polygon : public base {
public:
    explicit polygon(int corners) : corners_(corners) {}
    double area() const override { return points_[0] + corners_; }

private:
    int corners_;
    double points_[5] = {1, 2, 3, 4, 5};
};

struct point {
    double x = 0;
    double y = 0;
    double z = 0;
};

struct pixel {
    unsigned short red, green, blue;
};

struct edge {
    point from;
    point to;
    edge* next;
};

} // namespace shape

namespace job {

struct settings {
    std::array<int, 12> values{};
};

using task = std::function<int(int)>;

} // namespace job

namespace {

using sample::truth;

double draw(std::size_t n) {
    double sum = 0;
    std::vector<shape::base*> all;
    all.reserve(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(new shape::circle(static_cast<double>(i)));
        all.push_back(new shape::rectangle(1, static_cast<double>(i)));
        shape::base* last = new shape::polygon(static_cast<int>(i));
        all.push_back(last);
    }
    for (const shape::base* one : all) {
        sum += one->area();
        delete one;
    }
    truth::expect("shape::circle", "", n);
    truth::expect("shape::rectangle", "", n);
    truth::expect("shape::polygon", "", n);
    truth::expect("shape::base*", "std::vector<shape::base*>", 1);
    return sum;
}

double own(std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::unique_ptr<shape::base> one = std::make_unique<shape::circle>(static_cast<double>(i));
        const auto two = std::make_unique<shape::point>();
        sample::keep(*two);
        sum += one->area() + two->x;
    }
    truth::expect("shape::circle", "std::unique_ptr<shape::circle>", n);
    truth::expect("shape::point", "std::unique_ptr<shape::point>", n);
    return sum;
}

double link_edges(std::size_t n) {
    shape::edge* head = nullptr;
    for (std::size_t i = 0; i < n; ++i) {
        auto* one = new shape::edge{{}, {}, head};
        one->from.x = static_cast<double>(i);
        head = one;
    }
    double sum = 0;
    while (head != nullptr) {
        sum += head->from.x;
        delete std::exchange(head, head->next);
    }
    truth::expect("shape::edge", "", n);
    return sum;
}

double paint(std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        auto* row = new shape::pixel[100 + i % 50];
        auto* corner = static_cast<shape::point*>(std::malloc(sizeof(shape::point)));
        row[0].red = static_cast<unsigned short>(i);
        corner->x = static_cast<double>(i);
        sample::keep(*row);
        sample::keep(*corner);
        sum += row[0].red + corner->x;
        std::free(corner);
        delete[] row;
    }
    truth::expect("shape::pixel", "", n);
    truth::expect("shape::point", "", n);
    return sum;
}

void share(std::size_t n) {
    std::vector<std::shared_ptr<shape::point>> all;
    all.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(std::shared_ptr<shape::point>(new shape::point));
    }
    truth::expect("shape::point", "", n);
    truth::expect("control block of shape::point", "std::shared_ptr<shape::point>", n);
    truth::expect("std::shared_ptr<shape::point>", "std::vector<std::shared_ptr<shape::point>>", 1);
}

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
    sample::keep(draw(500));
    sample::keep(own(500));
    sample::keep(link_edges(500));
    sample::keep(paint(300));
    share(300);
    sample::keep(run_tasks(600));
    sample::keep(keep_any(600));
    sample::keep(keep_local(600));
    sample::keep(keep_variants(600));
    std::thread{[] { sample::keep(1); }}.join();
    truth::expect("thread state", "std::thread", 1);
    return truth::write();
}
