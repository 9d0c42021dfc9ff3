// SPDX-License-Identifier: Apache-2.0
// Classes of every shape that advice proposes a change of; each change must compile, alone and with all others. The function
// `make` was advised to return linn::make_unique, whose type is another one.
#include <coroutine>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct expr {
    virtual ~expr() = default;
    virtual double eval() const { return 0; }
};

struct constant : expr {
    double value;
    explicit constant(double v) : value(v) {}
    double eval() const override { return value; }
};

class sum final : public expr {
public:
    sum(std::unique_ptr<expr> left, std::unique_ptr<expr> right)
        : left_(std::move(left)),
          right_(std::move(right)) {}
    double eval() const override { return left_->eval() + right_->eval(); }

private:
    std::unique_ptr<expr> left_;
    std::unique_ptr<expr> right_;
};

static std::unique_ptr<expr> make(int depth) {
    if (depth == 0) {
        return std::make_unique<constant>(1.0);
    }
    auto left = make(depth - 1);
    return std::make_unique<sum>(std::move(left), std::make_unique<expr>());
}

struct steps {
    struct promise_type {
        steps get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

/// Its frame is no class that could take a pool.
[[gnu::noinline]] static steps walk() {
    co_await std::suspend_always{};
}

struct quote {
    long bid;
    long ask;
    long more[5];
};

struct outer {
    struct inner;
};

struct outer::inner {
    explicit inner(long n) : number(n) {}
    long number;
    long more[3] = {};
};

template <class T, int N>
class cell {
public:
    explicit cell(T first) : items_{first} {}
    T first() const { return items_[0]; }

private:
    T items_[N];
};

struct packet {
    explicit packet(int n) : data{static_cast<char>(n)} {}
    char data[300];
};

struct trade {
    long id;
    double price;
};

int main(int count, char**) {
    double result = 0;
    std::map<int, trade> book;
    std::list<quote> ticks;
    std::unordered_map<long, std::string> names;
    for (int i = 0; i < 100000 * count; ++i) {
        result += make(2)->eval();
        auto* one = new quote{1, i, {}};
        auto* two = new outer::inner(i);
        auto* three = new cell<long, 6>(i);
        auto four = std::make_shared<packet>(i);
        const std::unique_ptr<quote> five(new quote{.bid = 2, .ask = i, .more = {}});
        walk().handle.destroy();
        book[i % 1000] = trade{i, 1};
        ticks.push_back({i, 2, {}});
        names[i % 777] = "a";
        asm volatile("" : : "r"(one), "r"(two), "r"(three), "r"(five.get()) : "memory");
        result += static_cast<double>(one->ask + two->number + three->first()) + four->data[0];
        if (i % 3 == 0) {
            book.erase((i * 7) % 1000);
            names.erase((i * 11) % 777);
        }
        if (ticks.size() > 50) {
            ticks.pop_front();
        }
        delete three;
        delete two;
        delete one;
    }
    return result > 0 ? 0 : 1;
}
