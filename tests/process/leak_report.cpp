// SPDX-License-Identifier: Apache-2.0
// Promise: report_leaks_at_exit names what is alive after all static objects were destroyed, once, and is silent
// when nothing is; a program that does not ask gets no report. A checked build says where, but neither everything nor for long.
// Objects that are idle in a recycler that lives are no leak; those that are out are.
//
// Breaks when the report runs among the destructors (what static containers hold would leak), or is
// registered by being compiled in; or when it takes for a leak what a recycler keeps.
#include "process.hpp"

#include <linn/linn.hpp>

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

struct kept {
    std::int64_t words[6];
};

/// Never destroyed. Objects are idle in the cache of this thread, in that of another one, and in none.
linn::recycler<kept>& keep_some() {
    static auto* recycler = new linn::recycler<kept>{{.capacity = 100, .prefill = 5}};
    std::thread{[] {
        const auto a = recycler->acquire();
        const auto b = recycler->acquire();
    }}.join();
    recycler->acquire().reset();
    CHECK(recycler->idle() == 5);
    return *recycler;
}

/// Not where the idle ones were.
[[gnu::noinline]] linn::recycler<kept>::handle lose_another(linn::recycler<kept>& all) {
    std::vector<linn::recycler<kept>::handle> some;
    while (all.idle() != 0) {
        some.push_back(all.acquire());
    }
    return all.acquire();
}

} // namespace

int main() {
    const auto silent = linn_test::run_child([] {
        linn::report_leaks_at_exit();
        use_static_objects();
    });
    silent.expect(silent.exited_with(0) && silent.error.empty(), "nothing leaks");

    const auto keeping = linn_test::run_child([] {
        linn::report_leaks_at_exit();
        const auto& all = keep_some();
        CHECK(linn::leak_report().empty());
        for (const linn::pool_statistics& s : linn::statistics()) {
            if (s.type.starts_with("recycler<")) {
                CHECK(s.live == 0 && s.cached >= 5 && all.idle() == 5);
            }
        }
    });
    keeping.expect(keeping.exited_with(0) && keeping.error.empty(), "what a recycler keeps is no leak");

    const auto losing = linn_test::run_child([] {
        linn::report_leaks_at_exit();
        static kept* out = lose_another(keep_some()).release();
        CHECK(out != nullptr);
    });
    losing.expect(losing.exited_with(0) && losing.says("linn: 1 object of ") && losing.says("recycler<") &&
                      losing.says("kept") && count(losing.error, "alive") == 1,
                  "what a recycler gave out is a leak");
    if (linn::detail::checked_build && linn_test::in_slabs()) {
        losing.expect(count(losing.error, "allocated by") == 1, "only that one has a place");
    }

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
