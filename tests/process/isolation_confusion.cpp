// SPDX-License-Identifier: Apache-2.0
// Promise: a dangling pointer to an object of a pool cannot be made to point at an object of another type, whatever
// the program allocates afterwards.
//
// The attack is the usual one. A session is destroyed while a pointer to it is kept; then messages of the same size, whose
// content the attacker chooses, are allocated until one lies where the session was; then the pointer is used, and "is it an
// administrator" is what the message says. With new and delete that works, which is the control: without it this test
// would show nothing. With a pool of each type the place stays the session's.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

constexpr std::uint64_t chosen = 0x6f77'6e65'6421'2121; // what the attacker writes

struct session {
    std::uint64_t id = 1;
    std::uint64_t is_administrator = 0;
    std::uint64_t rest[6] = {};
};

struct message {
    std::uint64_t words[8];
    message() {
        for (std::uint64_t& word : words) {
            word = chosen;
        }
    }
};
static_assert(sizeof(session) == sizeof(message));

/// What the stale pointer sees. The compiler must not know that it is stale.
[[gnu::noinline]] std::uint64_t look(std::uintptr_t stale) {
    return *reinterpret_cast<const volatile std::uint64_t*>(stale + offsetof(session, is_administrator));
}

/// Whether one of `count` messages is seen through a pointer to a session that was destroyed before.
template <class Sessions, class Messages>
bool is_confused(std::size_t count) {
    std::vector<session*> sessions;
    for (int i = 0; i != 200; ++i) {
        sessions.push_back(Sessions::create());
    }
    const auto stale = reinterpret_cast<std::uintptr_t>(sessions[100]);
    for (session* s : sessions) {
        Sessions::destroy(s);
    }
    std::vector<message*> messages;
    bool is_seen = false;
    for (std::size_t i = 0; i != count; ++i) {
        messages.push_back(Messages::create());
        is_seen = is_seen || look(stale) == chosen;
    }
    for (message* m : messages) {
        Messages::destroy(m);
    }
    return is_seen;
}

/// Writes into destroyed sessions, as an attacker who has a stale pointer does, and looks what is handed out then.
void check_that_writes_after_free_lead_nowhere() {
    std::vector<session*> sessions(5000);
    linn::pool<session>::allocate_n(sessions);
    std::vector<std::uintptr_t> stale;
    for (session* s : sessions) {
        stale.push_back(reinterpret_cast<std::uintptr_t>(s));
    }
    linn::pool<session>::deallocate_n(sessions);
    for (const std::uintptr_t at : stale) {
        for (std::size_t i = 0; i != sizeof(session); i += sizeof chosen) {
            *reinterpret_cast<volatile std::uint64_t*>(at + i) = chosen;
        }
    }
    linn::pool<session>::allocate_n(sessions);
    std::sort(sessions.begin(), sessions.end());
    for (std::size_t i = 0; i != sessions.size(); ++i) {
        CHECK(linn::pool<session>::owns(sessions[i]));
        CHECK(i == 0 || sessions[i - 1] + 1 <= sessions[i]);
    }
    linn::pool<session>::deallocate_n(sessions);
}

template <class T>
struct by_new {
    static T* create() { return new T; }
    static void destroy(T* object) { delete object; }
};

/// A resource gives memory by size: it promises nothing of types, and docs/design/security.md says so.
template <class T>
struct by_resource {
    static T* create() { return ::new (linn::default_pool_resource()->allocate(sizeof(T), alignof(T))) T; }
    static void destroy(T* object) {
        linn::default_pool_resource()->deallocate(object, sizeof(T), alignof(T));
    }
};

} // namespace

int main() {
    if (!linn_test::in_slabs()) {
        return linn_test::skip("a memory checker would report the attack itself");
    }
    constexpr std::size_t count = 20'000;
    if (!linn_test::tsan) { // its allocator keeps what was freed for a while
        CHECK((is_confused<by_new<session>, by_new<message>>(count)));
    }
    CHECK((is_confused<by_resource<session>, by_resource<message>>(count)) || linn::detail::checked_build);
    CHECK((!is_confused<linn::pool<session>, linn::pool<message>>(count)));
    CHECK((!is_confused<linn::pool<session>, by_new<message>>(count)));
    if (!linn::detail::checked_build) { // which reports the write
        check_that_writes_after_free_lead_nowhere();
    }
    linn::pool<session>::trim(); // even what went back to the system keeps its address to itself
    CHECK((!is_confused<linn::pool<session>, linn::pool<message>>(count)));
}
