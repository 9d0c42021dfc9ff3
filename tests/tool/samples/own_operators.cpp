// SPDX-License-Identifier: Apache-2.0
// The program has an `operator new` of its own, and classes do: the functions below it are not what allocates. It adds a header and
// counts; with OWN_HELPERS it goes through a wrapper of malloc and a function template, and has every form of the operator.
#include "truth.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <memory>
#include <new>
#include <vector>

#ifdef OWN_ELSEWHERE // as if it was built on another machine: the sources are not there
#line 20 "/elsewhere/own_operators.cpp"
#endif

namespace engine {

std::atomic<std::size_t> used;

#ifndef OWN_HELPERS

void* get(std::size_t bytes) {
    auto* const block = static_cast<std::size_t*>(std::malloc(bytes + 16));
    if (block == nullptr) {
        std::abort();
    }
    block[0] = bytes;
    used += bytes;
    return block + 2;
}
void put(void* block) {
    if (block != nullptr) {
        auto* const begin = static_cast<std::size_t*>(block) - 2;
        used -= begin[0];
        std::free(begin);
    }
}

#else

struct header {
    std::size_t bytes;
    const char* file;
    long line;
    long guard;
};
[[gnu::noinline]] void* xmalloc(std::size_t bytes) {
    void* const block = std::malloc(bytes);
    if (block == nullptr) {
        std::abort();
    }
    return block;
}
template <class Header>
void* get_behind(std::size_t bytes) {
    auto* const block = static_cast<Header*>(xmalloc(sizeof(Header) + bytes));
    *block = {bytes, "", 1, 2};
    return block + 1;
}
void* get(std::size_t bytes) {
    return get_behind<header>(bytes);
}
void put(void* block) {
    if (block != nullptr) {
        std::free(static_cast<header*>(block) - 1);
    }
}

#endif

} // namespace engine

void* operator new(std::size_t bytes) {
    return engine::get(bytes);
}
void operator delete(void* block) noexcept {
    engine::put(block);
}
void operator delete(void* block, std::size_t) noexcept {
    engine::put(block);
}
#ifdef OWN_HELPERS
void* operator new[](std::size_t bytes) {
    return engine::get(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return engine::get(bytes);
}
void operator delete[](void* block) noexcept {
    engine::put(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    engine::put(block);
}
#endif
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto lines = static_cast<std::size_t>(alignment);
    auto* const block = static_cast<char*>(engine::get(bytes + lines));
    const std::size_t used = lines - reinterpret_cast<std::uintptr_t>(block) % lines; // at least 16
    auto** const aligned = reinterpret_cast<char**>(block + used);
    aligned[-1] = block;
    return aligned;
}
void operator delete(void* block, std::align_val_t) noexcept {
    engine::put(static_cast<char**>(block)[-1]);
}
void operator delete(void* block, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete(block, alignment);
}

namespace shop {

struct order {
    explicit order(int number) : number_(number) {}
    virtual ~order() = default;

private:
    int number_;
    long parts_[3] = {};
};

struct express : order {
    explicit express(int number) : order(number) {}

private:
    long until_ = 0;
};

struct trade {
    long price = 1;
    long more[5] = {};
};

struct quote {
    long bid[7];
};

struct alignas(64) lane {
    char letters[128];
};

/// Has an operator of its own, on top of the program's, which its derived classes use.
struct message {
    static void* operator new(std::size_t bytes) { return engine::get(bytes); }
    static void operator delete(void* block) { engine::put(block); }
    long id = 0;
};

struct reply : message {
    reply() : text{} {}
    long text[4];
};

/// Every class derived from it counts its objects.
template <class T>
struct counted {
    static void* operator new(std::size_t bytes) {
        ++made;
        return ::operator new(bytes);
    }
    static void operator delete(void* block) { ::operator delete(block); }
    static inline long made = 0;
};

struct parcel : counted<parcel> {
    explicit parcel(long weight) : weight_(weight) {}

private:
    long weight_;
    long size_[8] = {};
};

} // namespace shop

namespace {

using sample::truth;

void take_orders(std::size_t n) {
    std::vector<shop::order*> all;
    all.reserve(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(new shop::order(static_cast<int>(i)));
        all.push_back(new shop::express(static_cast<int>(i)));
    }
    for (const shop::order* one : all) {
        delete one;
    }
    truth::expect("shop::order", "", n);
    truth::expect("shop::express", "", n);
    truth::expect("shop::order*", "std::vector<shop::order*>", 1);
}

void make_trades(std::size_t n) {
    std::list<std::unique_ptr<shop::trade>> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(std::make_unique<shop::trade>());
    }
    truth::expect("shop::trade", "std::unique_ptr<shop::trade>", n);
    truth::expect("std::unique_ptr<shop::trade>", "std::list<std::unique_ptr<shop::trade>>", n);
}

void share_trades(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto one = std::make_shared<shop::trade>();
        sample::keep(*one);
    }
    truth::expect("shop::trade", "std::shared_ptr<shop::trade>", n);
}

void quote_prices(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        auto* one = new shop::quote;
        auto* several = new shop::quote[3 + i % 5];
        auto* maybe = new (std::nothrow) shop::quote;
        one->bid[0] = several[1].bid[1] = maybe->bid[2] = static_cast<long>(i);
        sample::keep(*one);
        sample::keep(*several);
        sample::keep(*maybe);
        delete maybe;
        delete[] several;
        delete one;
    }
    truth::expect("shop::quote", "", 3 * n);
}

void align_lanes(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        auto* one = new shop::lane;
        one->letters[0] = 'a';
        sample::keep(*one);
        delete one;
    }
    truth::expect("shop::lane", "", n);
}

void send_messages(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        auto* one = new shop::reply;
        sample::keep(*one);
        delete one;
        auto* other = new shop::parcel(static_cast<long>(i));
        sample::keep(*other);
        delete other;
    }
    truth::expect("shop::reply", "", n);
    truth::expect("shop::parcel", "", n);
}

} // namespace

int main() {
    take_orders(300);
    make_trades(300);
    share_trades(300);
    quote_prices(200);
    align_lanes(200);
    send_messages(300);
    return truth::write();
}
