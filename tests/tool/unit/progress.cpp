// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.hpp"
#include "unit.hpp"

namespace linn::tool::progress_tests {

using namespace std::chrono_literals;

TEST_CASE("no time is promised before there is something to judge by") {
    CHECK(progress_text({1, 120, 0, "x"}, 1s, 100).find("left") == std::string::npos);
    CHECK(progress_text({30, 120, 0, "x"}, 20s, 100).find("  1:00 left  ") != std::string::npos);
}

TEST_CASE("the line never exceeds the width") {
    CHECK(progress_text({30, 120, 2, "a long description of a cell"}, 20s, 30).size() == 30);
}

TEST_CASE("what the schedule knows of the time left is believed, and moves the bar") {
    const work_progress p{30, 120, 2, "round 1, sizes, linn", 60.0};
    CHECK(progress_text(p, 20s, 100) ==
          "[#####...............]  25 %  1:00 left  round 1, sizes, linn  (2 repeated)");
    const work_progress slow{30, 120, 0, "x", 180.0};
    CHECK(progress_text(slow, 20s, 100) == "[##..................]  10 %  3:00 left  x");
}

} // namespace linn::tool::progress_tests
