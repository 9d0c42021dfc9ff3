// SPDX-License-Identifier: Apache-2.0
// The functions whose instructions are counted: check.py compiles this file, disassembles it and follows the
// path that does not leave it. LINN_GOLDEN_PLANT adds what must never come in, to prove that it is found.
#include <linn/memory.hpp>
#include <linn/pool.hpp>

#include <atomic>
#include <memory>
#include <new>

namespace {

struct node {
    unsigned char bytes[64];
};

#ifndef LINN_GOLDEN_PLANT
#define LINN_GOLDEN_PLANT 0
#endif

#if LINN_GOLDEN_PLANT == 1 // one counter
thread_local constinit unsigned long count = 0;
[[gnu::always_inline]] inline void plant() {
    const_cast<volatile unsigned long&>(count) = count + 1;
}
#elif LINN_GOLDEN_PLANT == 2 // an atomic one
std::atomic<unsigned long> count{0};
[[gnu::always_inline]] inline void plant() {
    count.fetch_add(1, std::memory_order_relaxed);
}
#elif LINN_GOLDEN_PLANT == 3 // a call
[[gnu::noinline]] void plant() {
    asm volatile("");
}
#else
[[gnu::always_inline]] inline void plant() {}
#endif

} // namespace

extern "C" void* allocate_one();
extern "C" void deallocate_one(void* p);
extern "C" void make_shared_one(std::shared_ptr<node>* place);
// By a view of the pool, so that no thread-local variable is looked up.
extern "C" void* allocate_here(const void* view);
extern "C" void deallocate_here(const void* view, void* p);

extern "C" void* allocate_one() {
    void* p = linn::pool<node>::allocate();
    plant();
    return p;
}

extern "C" void deallocate_one(void* p) {
    plant();
    linn::pool<node>::deallocate(static_cast<node*>(p));
}

extern "C" void* allocate_here(const void* view) {
    void* p = static_cast<const linn::pool<node>::thread_view*>(view)->allocate();
    plant();
    return p;
}

extern "C" void deallocate_here(const void* view, void* p) {
    plant();
    static_cast<const linn::pool<node>::thread_view*>(view)->deallocate(static_cast<node*>(p));
}

extern "C" void make_shared_one(std::shared_ptr<node>* place) {
    plant();
    ::new (static_cast<void*>(place)) std::shared_ptr<node>(linn::make_shared_for_overwrite<node>());
}
