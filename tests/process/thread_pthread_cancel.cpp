// SPDX-License-Identifier: Apache-2.0
// Promise: a thread may be ended by pthread_cancel or pthread_exit with objects in its caches: they come back. No
// function of the library is a point of cancellation, so it is never unwound in the middle of a change.
//
// Breaks when something opens a file or sleeps inside: a thread that is to be cancelled is unwound there, out of
// functions that are noexcept, which ends the process. And when only a return from the thread's function flushes.
#include "every_function.hpp"

#include <pthread.h>
#include <unistd.h>

namespace {

struct item {
    long words[6];
};

/// The calling thread is to be cancelled from here on, at the first point where it may be.
void cancel_this() {
    CHECK(pthread_cancel(pthread_self()) == 0);
}

template <class Body>
void* run_body(void* body) {
    (*static_cast<Body*>(body))();
    return nullptr;
}

/// @returns what the thread returned
template <class Body>
void* run_thread(Body&& body) {
    pthread_t thread;
    void* result = nullptr;
    CHECK(pthread_create(&thread, nullptr, &run_body<std::remove_reference_t<Body>>, &body) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    return result;
}

// --- no point of cancellation --------------------------------------------------------------------------

void functions() {
    for (const linn_test::every_function::entry& e : linn_test::every_function::entries) {
        e.call();
    }
}

template <linn::huge_page_use Huge>
void buffers() {
    linn::buffer_pool pool{3 * linn_test::mib, {.huge_pages = Huge, .prefault = true, .retain_bytes = 1}};
    pool.reserve(2);
    const linn::buffer a = pool.acquire();
    pool.acquire().reset();
    pool.acquire_shared().reset();
    pool.trim();
}

void waits() {
    errno = 17;
    linn::detail::sleep_briefly(100);
    CHECK(errno == 17);
    if (linn::detail::enable_thread_barrier()) {
        linn::detail::thread_barrier();
    }
}

void check_no_point(const char* what, void (*operations)()) {
    const auto child = linn_test::run_child([operations] {
        std::atomic<bool> done{false};
        void* result = run_thread([&] {
            cancel_this();
            operations();
            done = true;
            pthread_testcancel();
            done = false;
        });
        CHECK(result == PTHREAD_CANCELED);
        CHECK(done);
    });
    child.expect_success(what);
}

// --- what the thread had -----------------------------------------------------------------------------

std::vector<item*> held_by_thread;

void drop_held(void*) {
    for (item* p : held_by_thread) {
        linn::pool<item>::destroy(p);
    }
    held_by_thread.clear();
}

/// Fills caches, and goes on until it is cancelled.
void work_until_cancelled(std::atomic<bool>& at_work) {
    pthread_cleanup_push(&drop_held, nullptr);
    for (;;) {
        for (int i = 0; i < 300; ++i) {
            held_by_thread.push_back(linn::pool<item>::create());
        }
        while (held_by_thread.size() > 10) {
            linn::pool<item>::destroy(held_by_thread.back());
            held_by_thread.pop_back();
        }
        linn::default_pool_resource()->deallocate(linn::default_pool_resource()->allocate(100), 100);
        at_work = true;
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
}

void check_nothing_left() {
    for (const auto& s : linn::statistics()) {
        CHECK(s.live == 0);
        CHECK(s.threads == 0 || s.type == "linn::pool_resource"); // whose caches later threads inherit
    }
    for (const auto& s : linn::default_pool_resource()->statistics()) {
        CHECK(s.live == 0);
    }
}

void cancelled_at_work() {
    for (int round = 0; round < 100; ++round) {
        std::atomic<bool> at_work{false};
        auto body = [&] { work_until_cancelled(at_work); };
        pthread_t thread;
        CHECK(pthread_create(&thread, nullptr, &run_body<decltype(body)>, &body) == 0);
        linn_test::wait_until(at_work);
        CHECK(pthread_cancel(thread) == 0);
        void* result = nullptr;
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
        check_nothing_left();
    }
}

struct holder {
    ~holder() { linn::pool<item>::destroy(mine); }
    item* mine = linn::pool<item>::create();
};

[[noreturn]] void leave(int depth) {
    const holder unwound;
    static thread_local holder at_exit;
    at_exit.mine->words[0] = depth;
    if (depth != 0) {
        leave(depth - 1);
    }
    static int answer = 0;
    pthread_exit(&answer);
}

void left_by_pthread_exit() {
    for (int round = 0; round < 100; ++round) {
        CHECK(run_thread([] { leave(20); }) != nullptr);
        check_nothing_left();
    }
}

/// The rest of the process lives on.
void main_thread_leaves() {
    static pthread_t main_thread = pthread_self();
    static item* of_main = linn::pool<item>::create();
    static std::thread last{[] {
        CHECK(pthread_join(main_thread, nullptr) == 0);
        CHECK(linn::pool<item>::statistics().live == 1);
        linn::pool<item>::destroy(of_main);
        functions();
        linn_test::say("last\n");
        std::_Exit(0);
    }};
    pthread_exit(nullptr);
}

} // namespace

int main() {
    check_no_point("functions", &functions);
    check_no_point("buffers", &buffers<linn::huge_page_use::off>);
    check_no_point("buffers on huge pages", &buffers<linn::huge_page_use::transparent>);
    check_no_point("buffers on reserved pages", &buffers<linn::huge_page_use::reserved>);
    check_no_point("waits", &waits);

#if defined(__GLIBC__) && defined(_LIBCPP_VERSION)
    // glibc unwinds the thread by GCC's library, and libc++ brings LLVM's: programs without Linn crash as well.
    return linn_test::skip(
        "no point of cancellation was found; cancelled threads crash with these two libraries");
#endif
    const auto cancelled = linn_test::run_child(&cancelled_at_work);
    cancelled.expect_success("cancelled at work");
#if defined(__GLIBC__) // elsewhere a thread that ends so runs no destructors of what is on its stack
    const auto left = linn_test::run_child(&left_by_pthread_exit);
    left.expect_success("pthread_exit");
#endif
    if (!linn_test::tsan && !linn_test::asan) { // which do not know a process without its main thread
        const auto last = linn_test::run_child(&main_thread_leaves);
        last.expect(last.exited_with(0) && last.says("last"), "the main thread leaves first");
    }
}
