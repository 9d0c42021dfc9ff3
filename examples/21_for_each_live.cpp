// SPDX-License-Identifier: Apache-2.0
// Every object that the program has from a pool: to look for what leaks, to save a state, to close down.
#include <linn/pool.hpp>

#include <cstdio>

struct session {
    int user;
    int idle_minutes;
};

using sessions = linn::pool<session>;

int main() {
    for (int user = 1; user <= 6; ++user) {
        session* s = sessions::create(user, user * 10);
        if (user == 3) {
            sessions::destroy(s);
        }
    }

    // [sweep]
    // No other thread may use the pool meanwhile. The function may destroy what it is given.
    const std::size_t seen = sessions::for_each_live([](session& s) {
        if (s.idle_minutes > 45) {
            sessions::destroy(&s);
        }
    });
    // [/sweep]
    std::printf("seen: %zu, alive: %zu\n", seen, sessions::statistics().live);

    int users = 0;
    sessions::for_each_live([&users](session& s) { users += s.user; });
    std::printf("sum of users: %d\n", users);

    sessions::for_each_live([](session& s) { sessions::destroy(&s); });
    std::printf("alive: %zu\n", sessions::statistics().live);
}
