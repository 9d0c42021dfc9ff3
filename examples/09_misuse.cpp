// SPDX-License-Identifier: Apache-2.0
// A pool that notices an error of the program calls a handler; the default one prints and aborts.
#include <linn/local_pool.hpp>
#include <linn/misuse.hpp>

#include <cstdio>

struct session {
    int user;
};

// [handler]
int seen = 0;

void log_misuse(const linn::misuse& m) noexcept {
    ++seen;
    std::printf("%.*s: %s\n", static_cast<int>(m.type.size()), m.type.data(), linn::to_string(m.kind));
} // returns: the pool ignores the offending call
// [/handler]

int main() {
    // [install]
    const linn::misuse_handler previous = linn::set_misuse_handler(&log_misuse);
    // [/install]

    linn::local_pool<session> sessions;
    session* s = sessions.create(1);
    session* other = sessions.create(2);
    sessions.deallocate(s);
    sessions.deallocate(s); // with LINN_CHECKED noticed here
    sessions.trim();        // without it, when the object returns to its slab
    std::printf("reports: %d, alive: %zu\n", seen, sessions.live());

    sessions.destroy(other);
    linn::set_misuse_handler(previous);
}
