// SPDX-License-Identifier: Apache-2.0
// Promise: where a checker is there (AddressSanitizer, Memcheck, LINN_CHECKED), touching a buffer that
// was given back, or what lies behind one, shows: ASan reports it, else the process dies of SIGSEGV.
// Without a checker idle memory just stays.
//
// Breaks when idle buffers stay accessible. Each scenario is a child that must die, and the same child
// without the error must end well.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <csignal>
#include <cstddef>
#include <memory>

namespace {

constexpr std::size_t bytes = 256 * linn_test::kib;

bool wrong = false;
volatile std::byte sink; // a read whose result nobody uses may be dropped, by Valgrind too

volatile std::byte* at(const linn::buffer& b, std::size_t i) {
    return b.data() + i;
}

void written_after_release() {
    linn::buffer_pool pool{bytes};
    linn::buffer b = pool.acquire();
    volatile std::byte* byte = at(b, bytes - 1);
    *byte = std::byte{1};
    b.reset();
    if (wrong) {
        *byte = std::byte{2};
    }
}

void read_after_shared_release() {
    linn::buffer_pool pool{bytes};
    std::shared_ptr<std::byte[]> s = pool.acquire_shared();
    volatile std::byte* byte = s.get();
    s.reset();
    if (wrong) {
        sink = *byte;
    }
}

void read_of_what_was_reserved() {
    linn::buffer_pool pool{bytes, {.prefault = true}};
    pool.reserve(2);
    linn::buffer b = pool.acquire();
    const linn::buffer other = pool.acquire();
    volatile std::byte* byte = at(b, 0);
    *byte = *at(other, bytes - 1);
    b.reset();
    if (wrong) {
        sink = *byte;
    }
}

void written_behind() {
    linn::buffer_pool pool{bytes};
    const linn::buffer b = pool.acquire();
    *at(b, b.capacity() - 1) = std::byte{1};
    if (wrong) {
        *at(b, b.capacity()) = std::byte{1};
    }
}

void used_after_its_pool() {
    linn::buffer b;
    {
        linn::buffer_pool pool{bytes};
        b = pool.acquire();
    }
    volatile std::byte* byte = at(b, 7);
    *byte = std::byte{1};
    b.reset();
    if (wrong) {
        *byte = std::byte{2};
    }
}

void expect_death(const char* what, void (*body)()) {
    wrong = false;
    linn_test::run_child(body).expect_success(what);
    wrong = true;
    const auto child = linn_test::run_child(body);
    if (linn_test::asan) {
        child.expect(!child.exited_with(0) &&
                         (child.says("use-after-poison") || child.says("SEGV on unknown address")),
                     what);
    } else {
        child.expect(child.killed_by(SIGSEGV) || (linn_test::tsan && !child.exited_with(0)), what);
    }
}

} // namespace

int main() {
    if (!linn_test::asan && !linn::detail::checked_build && !linn_test::on_memcheck()) {
        wrong = true;
        linn_test::run_child(&written_after_release).expect_success("unchecked, the memory is still there");
        return 0;
    }
    expect_death("written after release", &written_after_release);
    expect_death("read after a shared release", &read_after_shared_release);
    expect_death("read of what was reserved", &read_of_what_was_reserved);
    if (linn_test::asan || linn::detail::checked_build) {
        expect_death("written behind", &written_behind);
    }
    expect_death("used after its pool", &used_after_its_pool);
}
