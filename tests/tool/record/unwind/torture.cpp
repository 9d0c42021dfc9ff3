// SPDX-License-Identifier: Apache-2.0
// A program that is hard to unwind: recursion with frames whose size is only known at run time, realigned stacks, tail
// calls, exceptions, longjmp, signals, coroutine stacks, threads. Deterministic; prints a checksum.
#include <alloca.h>
#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::uint64_t state = 88172645463325252u;
std::uint64_t sum = 0;

std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

[[gnu::noinline]] void touch(std::size_t bytes) {
    void* const block = std::malloc(bytes + 1);
    asm volatile("" : : "r"(block) : "memory");
    sum += bytes;
    std::free(block);
    asm volatile("");
}

void descend(int depth);

// The same depth and the same place of the stack pointer, by many ways: what a cache must not mix up.
[[gnu::noinline]] void by_alloca(int depth) {
    const std::size_t bytes = 16 + next() % 7 * 16;
    auto* const space = static_cast<char*>(alloca(bytes));
    space[0] = static_cast<char>(depth); // what older calls left in the rest stays there
    touch(bytes);
    descend(depth - 1);
    asm volatile("" : : "r"(space) : "memory");
}

[[gnu::noinline]] void realigned(int depth) {
    alignas(64) char space[64];
    asm volatile("" : : "r"(space) : "memory");
    touch(reinterpret_cast<std::uintptr_t>(space) % 64);
    descend(depth - 1);
    asm volatile("" : : "r"(space) : "memory");
}

[[gnu::noinline]] void realigned_by_alloca(int depth) {
    alignas(128) char fixed[128];
    const std::size_t bytes = 1 + next() % 300;
    auto* const space = static_cast<char*>(alloca(bytes));
    asm volatile("" : : "r"(space), "r"(fixed) : "memory");
    touch(reinterpret_cast<std::uintptr_t>(fixed) % 128);
    descend(depth - 1);
    asm volatile("" : : "r"(space), "r"(fixed) : "memory");
}

[[gnu::noinline]] void plain(int depth) {
    touch(next() % 100);
    descend(depth - 1);
    asm volatile("");
}

[[gnu::noinline]] void large_frame(int depth) {
    volatile char space[70000];
    space[0] = static_cast<char>(depth);
    space[69999] = space[0];
    descend(depth - 1);
    touch(static_cast<unsigned char>(space[0]));
}

[[gnu::noinline]] void many_registers(int depth) {
    std::uint64_t values[12];
    for (auto& value : values) {
        value = next();
    }
    descend(depth - 1);
    touch((values[0] ^ values[1] ^ values[2] ^ values[3] ^ values[4] ^ values[5]) % 64);
    sum += values[6] ^ values[7] ^ values[8] ^ values[9] ^ values[10] ^ values[11];
}

[[gnu::noinline]] void many_arguments(int depth, long a, long b, long c, long d, long e, long f, long g,
                                      long h) {
    descend(depth - 1);
    touch(static_cast<std::size_t>((a + b + c + d + e + f + g + h) & 63));
}

[[gnu::noinline]] void thrower(int depth) {
    if (depth <= 0 || next() % 4 == 0) {
        throw std::runtime_error(std::string(20 + next() % 20, 'x'));
    }
    thrower(depth - 1);
    asm volatile("");
}

[[gnu::noinline]] void catcher(int depth) {
    try {
        thrower(static_cast<int>(next() % 8));
    } catch (const std::exception& error) {
        touch(std::strlen(error.what()));
    }
    descend(depth - 1);
    asm volatile("");
}

std::jmp_buf back;

[[gnu::noinline]] void jumper(int depth) {
    touch(static_cast<std::size_t>(depth));
    if (depth <= 0) {
        std::longjmp(back, 1);
    }
    jumper(depth - 1);
    asm volatile("");
}

[[gnu::noinline]] void tail(int depth) {
    touch(next() % 10);
    return descend(depth);
}

// Two frames that share a fixed sum of bytes: the innermost call is always at the same place, with the same return
// address, and the slots of the other division still hold return addresses of the time before.
[[gnu::noinline]] void inner_share(std::size_t bytes) {
    auto* const space = static_cast<char*>(alloca(bytes));
    space[0] = 1;
    asm volatile("" : : "r"(space) : "memory");
    touch(5);
    asm volatile("" : : "r"(space) : "memory");
}

[[gnu::noinline]] void other_inner_share(std::size_t bytes) {
    inner_share(bytes);
    asm volatile("");
}

[[gnu::noinline]] void outer_share(std::size_t part, std::size_t all) {
    auto* const space = static_cast<char*>(alloca(part));
    space[0] = 1;
    asm volatile("" : : "r"(space) : "memory");
    if (part % 64 == 0) {
        inner_share(all - part);
    } else {
        other_inner_share(all - part);
    }
    asm volatile("" : : "r"(space) : "memory");
}

void shares() {
    for (int i = 0; i != 400; ++i) {
        outer_share(32 + next() % 12 * 16, 512);
    }
}

void descend(int depth) {
    if (depth <= 0) {
        touch(next() % 50);
        return;
    }
    switch (next() % 9) {
    case 0:
        return by_alloca(depth);
    case 1:
        realigned(depth);
        break;
    case 2:
        realigned_by_alloca(depth);
        break;
    case 3:
        return plain(depth);
    case 4:
        many_registers(depth);
        break;
    case 5:
        many_arguments(depth, 1, 2, 3, 4, 5, 6, 7, static_cast<long>(next() % 9));
        break;
    case 6:
        catcher(depth);
        break;
    case 7:
        large_frame(depth);
        break;
    default:
        return tail(depth - 1);
    }
    touch(1);
}

void handler(int) {
    touch(7);
}

void signals() {
    stack_t alternate{};
    alternate.ss_size = 1 << 16;
    alternate.ss_sp = std::malloc(alternate.ss_size);
    sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, nullptr);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
    for (int i = 0; i != 20; ++i) {
        std::raise(i % 2 != 0 ? SIGUSR1 : SIGUSR2);
    }
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, nullptr);
    std::free(alternate.ss_sp);
}

ucontext_t main_context;
ucontext_t coroutines[3];

void coroutine(int number) {
    for (int i = 0; i != 20; ++i) {
        descend(4);
        swapcontext(&coroutines[number], &main_context);
    }
}

void contexts() {
    std::vector<std::unique_ptr<char[]>> spaces;
    for (int number = 0; number != 3; ++number) {
        constexpr std::size_t bytes = 1 << 20;
        spaces.emplace_back(new char[bytes]);
        getcontext(&coroutines[number]);
        coroutines[number].uc_stack.ss_sp = spaces.back().get();
        coroutines[number].uc_stack.ss_size = bytes;
        coroutines[number].uc_link = &main_context;
        makecontext(&coroutines[number], reinterpret_cast<void (*)()>(coroutine), 1, number);
    }
    for (int i = 0; i != 20; ++i) {
        for (auto& to : coroutines) {
            swapcontext(&main_context, &to);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    for (int i = 0; i != rounds; ++i) {
        std::function<void(int)> call = [i](int depth) {
            touch(static_cast<std::size_t>(i));
            descend(depth);
            asm volatile("");
        };
        call(1 + static_cast<int>(next() % 30));
        if (setjmp(back) == 0) {
            jumper(static_cast<int>(next() % 12));
        }
    }
    shares();
    signals();
    contexts();
    // One at a time: `state` is not shared, and the sum is to be the same each time.
    for (int i = 0; i != 4; ++i) {
        std::thread([] { descend(12); }).join();
    }
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
