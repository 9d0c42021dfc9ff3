// SPDX-License-Identifier: Apache-2.0
// Ctrl-C goes to the whole group. Where the program ended by it first, the recorder had the signal still before it, and was
// killed by it when all was written: its exit status was not the program's.
#include "record/child_program.hpp"
#include "unit.hpp"

#include <csignal>

namespace linn::tool::signal_desk_tests {

TEST_CASE("a signal that comes after the program has ended does not end the recorder") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        {
            const linn::tool::signal_desk desk;
            ::raise(signal);
            ::raise(SIGUSR1); // and another
        }
        sigset_t pending;
        REQUIRE(::sigpending(&pending) == 0);
        CHECK(::sigismember(&pending, signal) == 0);
    }
}

} // namespace linn::tool::signal_desk_tests
