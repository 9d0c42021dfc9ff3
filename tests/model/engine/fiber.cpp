// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace model::engine {

namespace {
constexpr std::size_t stack_bytes = std::size_t{256} << 10;
}

std::byte* allocate_stack() {
    void* p = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        std::abort();
    }
    return static_cast<std::byte*>(p);
}

#if defined(__x86_64__)

// swapcontext does the same with two system calls.
asm(R"(
.text
.p2align 4
linn_model_switch:
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
extern "C" void linn_model_switch(void** save, void* next) asm("linn_model_switch");

void* new_stack(std::byte* stack, void (*run)()) {
    auto* top = reinterpret_cast<std::uintptr_t*>(stack + stack_bytes);
    *--top = 0; // where `run` would return to: nowhere
    *--top = reinterpret_cast<std::uintptr_t>(run);
    for (int i = 0; i < 6; ++i) {
        *--top = 0;
    }
    return top;
}

void switch_stack(void** save, void* next) {
    linn_model_switch(save, next);
}

#else

// A context lies at the bottom of its stack; that of the main stack in a static variable.
namespace {
ucontext_t main_context;
}

void* new_stack(std::byte* stack, void (*run)()) {
    auto* context = reinterpret_cast<ucontext_t*>(stack);
    ::getcontext(context);
    context->uc_stack.ss_sp = stack + sizeof(ucontext_t) + 64;
    context->uc_stack.ss_size = stack_bytes - sizeof(ucontext_t) - 64;
    context->uc_link = nullptr;
    ::makecontext(context, run, 0);
    return context;
}

void switch_stack(void** save, void* next) {
    auto* here = static_cast<ucontext_t*>(*save);
    if (here == nullptr) {
        here = &main_context;
        *save = here;
    }
    ::swapcontext(here, static_cast<ucontext_t*>(next));
}

#endif

} // namespace model::engine
