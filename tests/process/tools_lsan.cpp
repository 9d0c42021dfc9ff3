// SPDX-License-Identifier: Apache-2.0
// Promise: LeakSanitizer reports an object of a pool, of a recycler or a buffer that nothing points to any more, and what only an
// idle buffer points to. It reports nothing at the exit of a program whose static containers, caches, pools, recyclers and
// buffers still hold memory, nor what only they reach.
//
// Breaks when a pool keeps pointers to everything (no leak is ever found), or keeps pointers where LeakSanitizer does not look: in
// slabs, in poisoned memory, in buffers (everything is a leak). Both directions are tested, so neither a silent nor a noisy
// tool passes. In release builds properties.cmake adds LeakSanitizer alone, of which no macro tells: there slabs and buffers are
// memory to search, and so is an object that is lost.
#include "process.hpp"

#include <linn/linn.hpp>

#include <optional>

namespace {

struct item {
    long words[8];
};

/// So that the pointer does not survive in a register or on the stack.
[[gnu::noinline]] void lose_some() {
    for (int i = 0; i < 50; ++i) {
        auto* p = linn::pool<item>::create();
        p->words[0] = i;
        // The compiler must not see that nobody has it now.
        asm volatile("" : : "r"(p) : "memory");
    }
}

void leaks() {
    std::thread{&lose_some}.join();
    lose_some();
    linn_test::overwrite_the_stack();
}

struct owner {
    explicit owner(std::string text) : name{std::move(text)} {}
    std::string name;
    std::vector<int> numbers = std::vector<int>(100, 1);
};

linn::map<int, std::string>* never_destroyed = nullptr;
std::vector<owner*>& held = *new std::vector<owner*>; // so that it outlives the check at exit
linn::unordered_map<int, std::unique_ptr<std::string>> statics;

/// Memory of the general allocator, reachable only through objects of pools.
void holds() {
    never_destroyed = new linn::map<int, std::string>;
    for (int i = 0; i < 1000; ++i) {
        never_destroyed->emplace(i, std::string(100, 'x'));
        held.push_back(linn::pool<owner>::create(std::string(200, 'y')));
        statics.emplace(i, std::make_unique<std::string>(300, 'z'));
    }
    std::thread{[] {
        for (int i = 0; i < 1000; ++i) {
            linn::pool<item>::destroy(linn::pool<item>::create());
        }
    }}.join();
    static linn::local_pool<owner> local;
    static owner* of_local = local.create(std::string(100, 'w'));
    held.push_back(of_local);
    linn::set_misuse_handler([](const linn::misuse&) noexcept {}); // it tells that of_local is alive
    linn::pool_resource& resource = *linn::default_pool_resource();
    for (const std::size_t bytes : {sizeof(owner), std::size_t{200'000}}) {
        held.push_back(::new (resource.allocate(bytes)) owner{std::string(100, 'v')});
    }
    static linn::pool_resource destroyed; // with what it handed out
    static_cast<void>(destroyed.allocate(100));
    static_cast<void>(destroyed.allocate(200'000));
}

struct packet {
    int number = 0;
    std::vector<int> values = std::vector<int>(100, 1);
    std::string text = std::string(200, 'x');
};
using packets = linn::recycler<packet>;

packets recycled{100};
packets* recycled_for_ever = nullptr;

void fill(packets& all) {
    auto a = all.acquire();
    auto b = all.acquire_shared();
    a->values.assign(1000, 1);
    b->text.assign(1000, 'y');
    std::thread{[&all, b = std::move(b)]() mutable {
        b.reset();
        all.acquire().reset();
    }}.join();
}

void recyclers_hold() {
    recycled_for_ever = new packets{50};
    fill(recycled);
    fill(*recycled_for_ever);
    recycled_for_ever->prefill(40);
    CHECK(recycled_for_ever->acquire()->values.size() >= 100); // what was hidden is back unharmed
}

[[gnu::noinline]] void lose_packets() {
    for (int i = 0; i < 20; ++i) {
        packet* p = recycled.acquire().release();
        asm volatile("" : : "r"(p) : "memory");
    }
}

void recycler_leaks() {
    std::thread{&lose_packets}.join();
    linn_test::overwrite_the_stack();
}

constexpr std::size_t buffer_bytes = 128 * linn_test::kib;

linn::buffer_pool* buffers = nullptr; // never destroyed
std::optional<linn::buffer>& held_buffer = *new std::optional<linn::buffer>;
std::shared_ptr<std::byte[]>& shared_buffer = *new std::shared_ptr<std::byte[]>;

[[gnu::noinline]] void point_at_something(std::byte* place) {
    *reinterpret_cast<int**>(place) = new int{5};
}

void buffers_hold() {
    buffers = new linn::buffer_pool{buffer_bytes};
    buffers->reserve(3);
    held_buffer = buffers->acquire();
    shared_buffer = buffers->acquire_shared();
    point_at_something(held_buffer->data() + buffer_bytes / 2);
    point_at_something(shared_buffer.get());
    static linn::buffer_pool of_static{buffer_bytes};
    of_static.acquire().reset();
    linn_test::overwrite_the_stack();
}

/// The handle is gone without its destructor, so no code can give that buffer back.
[[gnu::noinline]] void lose_a_handle() {
    alignas(linn::buffer) static std::byte place[sizeof(linn::buffer)];
    ::new (static_cast<void*>(place)) linn::buffer{buffers->acquire()};
    for (volatile std::byte& byte : place) {
        byte = std::byte{0};
    }
}

[[gnu::noinline]] void leave_a_pointer_in_an_idle_buffer() {
    const linn::buffer b = buffers->acquire();
    point_at_something(b.data() + buffer_bytes / 2);
}

template <void (*Leave)()>
void buffer_leaks() {
    buffers = new linn::buffer_pool{buffer_bytes};
    Leave();
    linn_test::overwrite_the_stack();
}

void expect_clean(const char* what, void (*body)()) {
    const auto child = linn_test::run_child(body);
    child.expect(child.exited_with(0) && child.error.empty(), what);
}

void expect_leak(const char* what, void (*body)(), const char* words) {
    const auto child = linn_test::run_child(body);
    child.expect(!child.exited_with(0) && child.says("detected memory leaks") && child.says(words), what);
}

} // namespace

extern "C" __attribute__((weak)) void __lsan_do_leak_check();

int main() {
    if (__lsan_do_leak_check == nullptr) {
        return linn_test::skip("not built with LeakSanitizer");
    }
    expect_clean("pools hold", &holds);
    expect_clean("recyclers hold", &recyclers_hold);
    expect_clean("buffers hold", &buffers_hold);
    expect_leak("only an idle buffer points at it", &buffer_leaks<&leave_a_pointer_in_an_idle_buffer>,
                linn_test::asan ? "leak of 4 byte(s)" : "");
    if (linn_test::asan) {
        expect_leak("objects", &leaks, "lose_some");
        expect_leak("objects of a recycler", &recycler_leaks, "20 object(s)");
        expect_leak("a buffer", &buffer_leaks<&lose_a_handle>, "");
    }
}
