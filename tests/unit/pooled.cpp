// SPDX-License-Identifier: Apache-2.0
// Promise: new and delete of a class that derives from linn::pooled use the pool of that class, and
// anything that does not fit there goes to the global operators.
#include "unit.hpp"

#include <linn/pooled.hpp>

#include <coroutine>

namespace pooled_tests {

using linn_test::is_aligned;

template <class T>
std::size_t live() {
    return linn::pool<T>::statistics().live;
}

struct base : linn::pooled<base> {
    virtual ~base() = default;
    std::uint64_t value = 1;
};
struct same_size : base {};
struct larger : base {
    char more[100] = {};
};
struct alignas(64) aligned_more : base {};

struct alignas(128) wide : linn::pooled<wide> {
    virtual ~wide() = default;
    char data[100] = {};
};
struct wider : wide {
    char more[200] = {};
};

struct bytes16 : linn::pooled<bytes16> {
    char c[64] = {};
};
struct alignas(64) same_size_aligned : bytes16 {};
static_assert(sizeof(bytes16) == sizeof(same_size_aligned));
struct alignas(16) same_size_of_new : bytes16 {};

struct interface {
    virtual ~interface() = default;
    virtual int answer() const = 0;
};
struct payload {
    long numbers[3] = {1, 2, 3};
    virtual ~payload() = default;
};
/// The interface is not the first base: a pointer to it is not the start of the object.
struct implementation final : payload, interface, linn::pooled<implementation> {
    int answer() const override { return 42; }
};

static_assert(std::is_empty_v<linn::pooled<base>>);

TEST_CASE("pooled: new and delete use the pool of the class") {
    const std::size_t before = live<base>();
    auto* p = new base;
    CHECK(live<base>() == before + 1);
    CHECK(p->value == 1);
    CHECK(linn::pool<base>::owns(p));
    delete p;
    CHECK(live<base>() == before);
    {
        const auto owned = std::make_unique<base>();
        CHECK(live<base>() == before + 1);
    }
    CHECK(live<base>() == before);
}

TEST_CASE("pooled: derived classes go where they fit, deleted through the base") {
    const std::size_t before = live<base>();
    std::unique_ptr<base> a{new same_size};
    CHECK(live<base>() == before + 1);
    std::unique_ptr<base> b{new larger};
    std::unique_ptr<base> c{new aligned_more};
    CHECK(is_aligned(c.get(), 64));
    CHECK(live<base>() == before + 1);
    CHECK_FALSE(linn::pool<base>::owns(b.get()));
    a.reset();
    b.reset();
    c.reset();
    CHECK(live<base>() == before);
}

TEST_CASE("pooled: a derived class of the same size and a larger alignment is aligned") {
    std::vector<std::unique_ptr<same_size_aligned>> all;
    const std::size_t before = live<bytes16>();
    for (int i = 0; i < 50; ++i) {
        all.push_back(std::make_unique<same_size_aligned>());
        CHECK(is_aligned(all.back().get(), 64));
    }
    CHECK(live<bytes16>() == before);
}

TEST_CASE("pooled: a derived class of the same size is aligned as new aligns, also between fences") {
    std::vector<std::unique_ptr<same_size_of_new>> all;
    for (int i = 0; i < 50; ++i) {
        all.push_back(std::make_unique<same_size_of_new>());
        CHECK(is_aligned(all.back().get(), 16));
    }
    CHECK(linn::pool<bytes16>::owns(all.back().get()));
}

TEST_CASE("pooled: over-aligned classes are pooled too") {
    const std::size_t before = live<wide>();
    std::vector<std::unique_ptr<wide>> all;
    for (int i = 0; i < 50; ++i) {
        all.push_back(std::make_unique<wide>());
        CHECK(is_aligned(all.back().get(), 128));
    }
    CHECK(live<wide>() == before + 50);
    std::unique_ptr<wide> other = std::make_unique<wider>();
    CHECK(is_aligned(other.get(), 128));
    CHECK(live<wide>() == before + 50);
    all.clear();
    CHECK(live<wide>() == before);
}

TEST_CASE("pooled: arrays are not") {
    const std::size_t before = live<base>();
    auto* one = new base[1];
    auto* many = new base[10];
    auto* over = new wide[3];
    CHECK(is_aligned(over, 128));
    CHECK(live<base>() == before);
    delete[] one;
    delete[] many;
    delete[] over;
    CHECK(live<base>() == before);
}

TEST_CASE("pooled: nothrow is not hidden") {
    const std::size_t before = live<base>();
    auto* p = new (std::nothrow) base;
    CHECK(live<base>() == before + 1);
    delete p;
    base* q = new (std::nothrow) larger;
    CHECK(live<base>() == before);
    delete q;
    auto* w = new (std::nothrow) wide;
    CHECK(is_aligned(w, 128));
    delete w;
    CHECK(live<base>() == before);
}

struct fussy {
    fussy() {
        if (++tries % 3 == 0) {
            throw std::runtime_error{"no"};
        }
    }
    static inline int tries = 0;
    char bytes[72];
};
struct fussy_base : linn::pooled<fussy_base> {
    virtual ~fussy_base() = default;
};
struct fussy_plain : linn::pooled<fussy_plain> {
    fussy inside;
};
struct alignas(128) fussy_aligned : linn::pooled<fussy_aligned> {
    fussy inside;
};
struct fussy_derived final : fussy_base { // another size: not pooled
    fussy inside;
};

template <class Pooled, class T, class... Places>
void gives_back(Places&&... places) {
    const std::size_t before = live<Pooled>();
    int thrown = 0;
    for (int i = 0; i != 30; ++i) {
        try {
            delete new (places...) T;
        } catch (const std::runtime_error&) {
            ++thrown;
        }
    }
    CHECK(thrown == 10);
    // Outside of slabs the language does not tell where the storage of what throws came from.
    CHECK((live<Pooled>() == before || !linn_test::pooling()));
}

TEST_CASE("pooled: a constructor that throws gives the storage back, in every form") {
    gives_back<fussy_plain, fussy_plain>();
    gives_back<fussy_plain, fussy_plain>(std::nothrow);
    gives_back<fussy_aligned, fussy_aligned>(); // by an operator delete that is only there for it
    gives_back<fussy_aligned, fussy_aligned>(std::nothrow);
    gives_back<fussy_base, fussy_derived>();
    gives_back<fussy_base, fussy_derived>(std::nothrow);
}

TEST_CASE("pooled: a place may be a variable") {
    alignas(larger) std::byte memory[sizeof(larger)];
    void* untyped = memory;
    std::byte* bytes = memory;
    auto* typed = static_cast<base*>(untyped);
    const auto lies_there = [&](base* p) {
        const bool there = static_cast<void*>(p) == memory;
        p->~base();
        return there;
    };
    const std::size_t before = live<base>();
    CHECK(lies_there(new (memory) base));
    CHECK(lies_there(new (untyped) base));
    CHECK(lies_there(new (bytes) base));
    CHECK(lies_there(new (typed) base));
    CHECK(lies_there(new (static_cast<void*>(memory)) larger));
    CHECK(live<base>() == before);
}

// A base of a promise that is not known to be one: the parameters of its coroutines are no places for their frames.
struct promise_base : linn::pooled<promise_base> {};
struct task {
    struct promise_type : promise_base {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> frame;
};
task by_pointer(std::string*) {
    co_return;
}
task by_const_pointer(const char*) {
    co_return;
}
task by_reference(std::string&) {
    co_return;
}

TEST_CASE("pooled: a parameter of a coroutine is no place for its frame") {
    std::string text(200, 'x');
    const std::string copy = text;
    for (const task& t : {by_pointer(&text), by_const_pointer(text.c_str()), by_reference(text)}) {
        CHECK(t.frame.address() != &text);
        t.frame.resume();
        t.frame.destroy();
    }
    CHECK(text == copy);
}

TEST_CASE("pooled: an abstract base that is not at the start of the object") {
    const std::size_t before = live<implementation>();
    std::vector<std::unique_ptr<interface>> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(std::make_unique<implementation>());
        CHECK(all.back()->answer() == 42);
    }
    auto* whole = static_cast<implementation*>(all[0].get());
    CHECK(static_cast<void*>(whole) != static_cast<void*>(all[0].get()));
    CHECK(live<implementation>() == before + 100);
    all.clear();
    CHECK(live<implementation>() == before);
}

} // namespace pooled_tests
