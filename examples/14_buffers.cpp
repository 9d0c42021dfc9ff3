// SPDX-License-Identifier: Apache-2.0
#include <linn/buffer_pool.hpp>

#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

int main() {
    // [make]
    linn::buffer_pool blocks{1 << 20, {.retain_bytes = 16 << 20}}; // 1 MiB each, at most 16 idle ones
    blocks.reserve(1);                                             // mapped now, not at the first use
    // [/make]

    // [use]
    linn::buffer block = blocks.acquire(); // page-aligned; holds what its last user left there
    std::memset(block.data(), 0x11, block.size());
    block.span()[5] = std::byte{0x22};
    // [/use]

    // [thread]
    std::thread{[sent = std::move(block)]() mutable {
        std::printf("received %zu bytes, [5] = %#x\n", sent.size(),
                    std::to_integer<unsigned>(sent.span()[5]));
        sent.reset(); // any thread may give it back; so would the destructor
    }}.join();
    // [/thread]

    // [shared]
    std::shared_ptr<std::byte[]> shared = blocks.acquire_shared(); // goes back with the last owner
    std::printf("the same memory again, [5] = %#x\n", std::to_integer<unsigned>(shared[5]));
    shared.reset();
    // [/shared]

    // [numbers]
    const linn::buffer_statistics s = blocks.statistics();
    std::printf("acquired %zu, mapped %zu, idle %zu\n", s.acquired, s.mappings, s.cached);
    std::printf("trimmed %zu KiB\n", blocks.trim() / 1024);
    // [/numbers]
}
