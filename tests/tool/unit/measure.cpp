// SPDX-License-Identifier: Apache-2.0
// Words of the tool: those of enumerators, and those that can be typed into a shell again. Children that hang or write much, and
// signals that come late.
#include "measure/process.hpp"
#include "measure/suggest.hpp"
#include "measure/words.hpp"
#include "record/child_program.hpp"
#include "unit.hpp"

#include <csignal>

namespace linn::tool::measure_tests {

enum class fruit { apple, pear, plum2 };

namespace {
enum class hidden : unsigned char { one, two };
} // namespace

static_assert(has_enumerators<fruit, 3> && !has_enumerators<fruit, 2> && !has_enumerators<fruit, 4>);
static_assert(has_enumerators<hidden, 2> && !has_enumerators<hidden, 1> && !has_enumerators<hidden, 3>);

TEST_CASE("an enumerator has its word, and what is none is unknown") {
    const auto word = [](fruit f) { return std::string{word_of(f, {"apple", "pear", "plum"})}; };
    CHECK(word(fruit::apple) == "apple");
    CHECK(word(fruit::plum2) == "plum");
    CHECK(word(static_cast<fruit>(3)) == "unknown");
}

TEST_CASE("words that a shell would leave alone stay as they are") {
    CHECK(shell_words({}) == "");
    CHECK(shell_words({"redis-server", "--port=7777", "./a_b", "x@y:1,2"}) ==
          "redis-server --port=7777 ./a_b x@y:1,2");
}

TEST_CASE("others are quoted, so that the line can be typed again") {
    CHECK(shell_words({"redis-server", "--save", ""}) == "redis-server --save ''");
    CHECK(shell_words({"sqlite3", ".read a.sql"}) == "sqlite3 '.read a.sql'");
    CHECK(shell_words({"echo", "it's", "$HOME"}) == "echo 'it'\\''s' '$HOME'");
    // No word breaks the line, moves the cursor or colours the terminal.
    CHECK(shell_words({"python3", "-c", "a = 'b'\nc = \"\\\\\"\t\x1b[31m\x7f"}) ==
          "python3 -c $'a = \\'b\\'\\nc = \"\\\\\\\\\"\\t\\033[31m\\177'");
}

using namespace std::chrono_literals;

child_result shell(const std::string& script, std::chrono::seconds timeout = 20s) {
    const interrupt_guard guard;
    return run_child({"/bin/sh", "-c", script}, child_environment({}), timeout, guard, [] {});
}

TEST_CASE("a child that hangs is killed, also when it closed its output") {
    CHECK(shell("sleep 60", 1s).how == child_result::ending::timed_out);
    CHECK(shell("exec >&- 2>&-; sleep 60", 1s).how == child_result::ending::timed_out);
}

TEST_CASE("a flood on standard error is drained and cut") {
    const child_result r = shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo done");
    CHECK(r.out == "done\n");
    CHECK(r.err.size() <= 8192);
}

// Ctrl-C goes to the whole group. Where the program ended by it first, the recorder had the signal still before it, and was
// killed by it when all was written: its exit status was not the program's.
TEST_CASE("a signal that comes after the program has ended does not end the recorder") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        {
            const signal_desk desk;
            ::raise(signal);
            ::raise(SIGUSR1); // and another
        }
        sigset_t pending;
        REQUIRE(::sigpending(&pending) == 0);
        CHECK(::sigismember(&pending, signal) == 0);
    }
}

} // namespace linn::tool::measure_tests
