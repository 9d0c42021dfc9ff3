// SPDX-License-Identifier: Apache-2.0
// What outlives what: handles and shared_ptrs may outlive the recycler, the buffer pool and the thread.
#include <linn/buffer_pool.hpp>
#include <linn/recycler.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

struct session {
    std::string name = "new";
    ~session() { std::printf("session %s destroyed\n", name.c_str()); }
};

// [outlive]
std::shared_ptr<session> from_a_recycler() {
    linn::recycler<session> sessions;
    std::shared_ptr<session> kept = sessions.acquire_shared();
    kept->name = "kept";
    sessions.acquire_shared()->name = "idle"; // back at once: kept by the recycler, destroyed with it
    return kept;
}

std::shared_ptr<std::byte[]> from_a_buffer_pool() {
    linn::buffer_pool pages{1 << 20};
    return pages.acquire_shared();
} // the pool is gone; its memory goes to the system when the buffer comes back
// [/outlive]

int main() {
    std::shared_ptr<session> s = from_a_recycler();
    std::shared_ptr<std::byte[]> b;
    std::thread{[&] { b = from_a_buffer_pool(); }}.join(); // the thread is gone too
    b[1000] = std::byte{7};
    std::printf("%s, %d\n", s->name.c_str(), std::to_integer<int>(b[1000]));
    s.reset();
}
