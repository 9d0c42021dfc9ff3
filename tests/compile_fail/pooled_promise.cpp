// SPDX-License-Identifier: Apache-2.0
// The frame of a coroutine does not fit a pool of its promise.
// EXPECT: linn::pooled is not for promise types of coroutines
#include <linn/pooled.hpp>

#include <coroutine>

struct order {
    int number;
};

struct task {
#ifdef LINN_CONTROL
    struct promise_type {
#else
    struct promise_type : linn::pooled<promise_type> {
#endif
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

task count(order*) {
    co_return;
}
