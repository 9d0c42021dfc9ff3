// SPDX-License-Identifier: Apache-2.0
// Promise: report_leaks_at_exit names what is alive after all static objects were destroyed, once, and is silent
// when nothing is; a program that does not ask gets no report. A checked build says where, but neither everything nor for long.
//
// Breaks when the report runs among the destructors (what static containers hold would leak), or is
// registered by being compiled in.
#include "process.hpp"

#include <linn/linn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

struct lost {
    std::int64_t words[3];
};
struct held {
    std::int64_t words[5];
};

struct holder {
    held* object = nullptr;
    ~holder() { linn::pool<held>::destroy(object); }
};
holder at_namespace_scope;

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

/// Each at a place of its own.
template <int Place>
[[gnu::noinline]] void lose() {
    asm volatile("" : : "r"(Place)); // or these functions would be one
    static_cast<void>(linn::pool<lost>::create());
}

void use_static_objects() {
    static holder local;
    static linn::list<int> list{1, 2, 3};
    local.object = linn::pool<held>::create();
    at_namespace_scope.object = linn::pool<held>::create();
    std::atexit([] { linn::pool<held>::destroy(linn::pool<held>::create()); });
}

} // namespace

int main() {
    const auto silent = linn_test::run_child([] {
        linn::report_leaks_at_exit();
        use_static_objects();
    });
    silent.expect(silent.exited_with(0) && silent.error.empty(), "nothing leaks");

    const auto unasked = linn_test::run_child([] { static_cast<void>(linn::pool<lost>::create()); });
    unasked.expect(!unasked.says("alive"), "nobody asked");

    const auto leaking = linn_test::run_child([] {
        static lost* keep[2];
        keep[0] = linn::pool<lost>::create();
        keep[1] = linn::pool<lost>::create();
        CHECK(keep[0] != keep[1]); // and nothing that LeakSanitizer would report first
        linn::report_leaks_at_exit();
        linn::report_leaks_at_exit();
        use_static_objects();
    });
    leaking.expect(leaking.exited_with(0), "something leaks");
    leaking.expect(leaking.says("linn: 2 objects of 24 bytes alive: "), "something leaks");
    leaking.expect(leaking.says("lost\n") && count(leaking.error, "alive") == 1, "something leaks");

    if (linn::detail::checked_build && linn_test::in_slabs()) {
        const auto places = linn_test::run_child([] {
            lose<1>();
            lose<2>();
            lose<3>();
            lose<4>();
            linn::report_leaks_at_exit();
        });
        places.expect(count(places.error, "allocated by") == 3 && count(places.error, "by others") == 1,
                      "three places, and that there are more");

        // Slabs are looked at from the newest on, so what was lost first is seen last.
        const auto many = linn_test::run_child([] {
            lose<1>();
            for (int i = 0; i != 4999; ++i) {
                lose<2>();
            }
            linn::report_leaks_at_exit();
        });
        many.expect(many.says("linn: 5000 objects") && count(many.error, "allocated by") == 1,
                    "only a thousand are looked at");
    }
}
