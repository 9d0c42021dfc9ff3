// SPDX-License-Identifier: Apache-2.0
// Promise: whatever threads do for however long, each object is its owner's alone until it is given back, and
// memory stays flat: its peak in the last third of the time is that of the first third, but for a constant.
// At the end, with everything given back, nothing is alive and the memory has gone.
//
// Breaks with every object that is handed out twice, lost, or kept where nobody looks for it. Threads use all
// components at once, hand objects to each other and die while their objects live on; others take
// their places; trim() and statistics() are called in between. What an object holds is checked when it is given
// back. Two negative controls, --lose and --corrupt, show that the checks would notice.
//
// This is no benchmark. `soak --seconds 3600 --threads 16` is a good night's work.
#include "parcels.hpp"
#include "process.hpp"

#include <map>

namespace {

using namespace linn_stress;
using clock_type = std::chrono::steady_clock;

/// What the command line says. Each number may be set: `--threads 8`. `--usual-seconds` is `--seconds` unless the
/// environment has LINN_SOAK_SECONDS.
struct settings {
    std::size_t threads = 4;    ///< at work at any moment; each is replaced when it ends
    std::size_t objects = 4000; ///< places in which objects change hands; as many again are with the threads
    std::size_t seconds = 10;   ///< after the memory has reached its size
    std::size_t operations = 0; ///< ends after so many instead, if not 0: the same work on a slow machine
    std::size_t seed = 1;       ///< of what threads do; when they do it cannot be repeated
    std::size_t slack_mib = 16; ///< by which memory may be more at the end than in the beginning
    std::size_t chaos = 0;      ///< stumbles between operations: 1 yes, 0 no
    std::size_t lose = 0;       ///< negative control: each n-th object is forgotten
    std::size_t corrupt = 0;    ///< negative control: the n-th object is written to by a stranger
    std::string_view only = {}; ///< name of the only component to use; empty: all

    static settings parse(int argc, char** argv) {
        settings s;
        const std::map<std::string_view, std::size_t*> numbers{
            {"--threads", &s.threads},       {"--objects", &s.objects}, {"--seconds", &s.seconds},
            {"--operations", &s.operations}, {"--seed", &s.seed},       {"--slack-mib", &s.slack_mib},
            {"--chaos", &s.chaos},           {"--lose", &s.lose},       {"--corrupt", &s.corrupt},
            {"--usual-seconds", &s.seconds}};
        CHECK(argc % 2 == 1);
        for (int i = 1; i != argc; i += 2) {
            const std::string_view name = argv[i];
            if (name == "--only") {
                s.only = argv[i + 1];
                continue;
            }
            CHECK(numbers.contains(name));
            const char* set = name == "--usual-seconds" ? std::getenv("LINN_SOAK_SECONDS") : nullptr;
            *numbers.at(name) = std::stoul(set != nullptr ? set : argv[i + 1]);
        }
        return s;
    }
};

settings chosen;
constexpr std::size_t most_steps = 3000; ///< operations of a thread, until another takes its place
std::atomic<bool> stop{false};
std::atomic<std::size_t> operations{0};
std::atomic<std::size_t> births{0};
std::atomic<std::size_t> drops{0};

// --- what threads make ---------------------------------------------------------------------------

struct component {
    const char* name;
    std::size_t weight; ///< how often it is chosen
    parcel (*make)(random_source&, serial_number);
};
template <class P>
parcel made(random_source& random, serial_number n) {
    return parcel{std::in_place_type<P>, random, n};
}
constexpr component components[] = {
    {"pool", 220, &made<single<24>>},         {"pool", 220, &made<single<64>>},
    {"pool", 120, &made<single<1500>>},       {"pool", 20, &made<single<9000>>},
    {"pool", 4, &made<single<70'000>>},       {"bulk", 40, &made<run>},
    {"shared", 120, &made<shared>},           {"unique", 120, &made<unique>},
    {"pooled", 120, &made<derived>},          {"containers", 80, &made<nodes>},
    {"resource", 300, &made<bytes>},          {"buffers", 2, &made<large>},
    {"recycler", 120, &made<recycled_alone>}, {"recycler", 120, &made<recycled_shared>},
};

std::size_t weight(const component& c) {
    return chosen.only.empty() || chosen.only == c.name ? c.weight : 0;
}

parcel make_any(random_source& random, serial_number n) {
    static const std::size_t all = [] {
        std::size_t sum = 0;
        for (const component& c : components) {
            sum += weight(c);
        }
        CHECK(sum != 0);
        return sum;
    }();
    std::size_t dice = random.below(all);
    const component* c = components;
    while (dice >= weight(*c)) {
        dice -= weight(*c++);
    }
    return c->make(random, n);
}

void drop(parcel p) {
    if (std::holds_alternative<std::monostate>(p)) {
        return;
    }
    const std::size_t number = drops.fetch_add(1, std::memory_order_relaxed) + 1;
    if (chosen.corrupt != 0 && number >= chosen.corrupt) {
        if (auto* block = std::get_if<single<64>>(&p)) {
            block->corrupt();
        }
    }
    if (!intact(p)) {
        std::fprintf(stderr, "soak: an object of component %zu is not what was put there; --seed %zu\n",
                     p.index(), chosen.seed);
        std::_Exit(1);
    }
    if (chosen.lose != 0 && number % chosen.lose == 0) {
        static_cast<void>(new parcel{std::move(p)});
    }
}

// --- where objects change hands ------------------------------------------------------------------

class place {
public:
    /// Puts `mine` there and gives what was there; `mine` itself when somebody is just doing the same.
    parcel exchange(parcel mine) {
        // acquire: pairs with the release in clear below, so that what is found there is whole
        if (!taken_.test_and_set(std::memory_order_acquire)) {
            std::swap(mine, held_);
            // release: pairs with the acquire above
            taken_.clear(std::memory_order_release);
        }
        return mine;
    }

private:
    std::atomic_flag taken_;
    parcel held_;
};
std::vector<place>* places = nullptr;

// --- a thread ------------------------------------------------------------------------------------

/// What a thread has. Thread-local, so that what is left is given back by a destructor, before or after the
/// thread's caches are flushed.
class pocket {
public:
    ~pocket() {
        while (!held_.empty()) {
            drop(remove(held_.size() - 1));
        }
    }
    [[nodiscard]] bool empty() const { return held_.empty(); }
    [[nodiscard]] std::size_t size() const { return held_.size(); }
    void add(parcel p) { held_.push_back(std::move(p)); }
    parcel remove(std::size_t i) {
        std::swap(held_[i], held_.back());
        parcel p = std::move(held_.back());
        held_.pop_back();
        return p;
    }

private:
    std::vector<parcel> held_;
};

/// Gives the processor away now and then, so that threads meet in places where they seldom would.
void stumble(random_source& random) {
    const std::size_t dice = random.below(64);
    if (dice == 0) {
        std::this_thread::yield();
    } else if (dice < 4) {
        for (std::size_t i = random.below(200); i != 0; --i) {
            LINN_DETAIL_SPIN_PAUSE();
        }
    }
}

/// What a program does now and then besides allocating.
void housekeeping(random_source& random) {
    switch (random.below(7)) {
    case 0: {
        const std::vector<linn::pool_statistics> all = linn::statistics();
        for (const linn::pool_statistics& s : all) {
            CHECK(s.live < 100'000'000 && s.cached < 100'000'000); // never negative
        }
        CHECK(!linn::to_json(all).empty() && !linn::to_table(all).empty());
        break;
    }
    case 1:
        linn::pool<content<300>>::trim();
        break;
    case 2:
        common().resource.trim();
        CHECK(common().resource.statistics().size() < 1000);
        linn::default_pool_resource()->trim();
        break;
    case 3:
        common().buffers.trim();
        CHECK(common().buffers.statistics().live < 1'000'000);
        break;
    case 4:
        records().trim();
        CHECK(records().statistics().idle <= records().capacity());
        break;
    case 5: {
        linn::pool_resource brief;
        for (std::size_t i = random.below(100); i != 0; --i) {
            static_cast<void>(brief.allocate(1 + random.below(3000)));
        }
        linn::local_pool<record> local;
        local.destroy(local.create());
        break;
    }
    default:
        CHECK(linn::check_pools() == 0);
    }
}

void live(std::size_t number) {
    random_source random{chosen.seed * 1'000'003 + number};
    if (random.below(2) == 0) {
        drop(make_any(random, 1)); // the thread's caches are there before its pocket, and go after it
    }
    static thread_local pocket mine;
    const std::size_t room = chosen.objects / chosen.threads + 1;
    const std::size_t steps = random.below(10) == 0 ? random.below(10) : random.below(most_steps);
    const serial_number first = static_cast<serial_number>(number) << 24;
    for (std::size_t step = 0; step < steps && !stop.load(std::memory_order_relaxed); ++step) {
        operations.fetch_add(1, std::memory_order_relaxed);
        if (chosen.chaos != 0) {
            stumble(random);
        }
        const std::size_t dice = random.below(1000);
        if (dice < 480 && mine.size() < room) {
            mine.add(make_any(random, first + step));
        } else if (dice < 700) {
            if (!mine.empty()) {
                drop(mine.remove(random.below(mine.size())));
            }
        } else if (dice < 998) {
            parcel given = mine.empty() ? parcel{} : mine.remove(random.below(mine.size()));
            parcel got = (*places)[random.below(places->size())].exchange(std::move(given));
            if (!std::holds_alternative<std::monostate>(got)) {
                mine.add(std::move(got));
            }
        } else if (random.below(4) == 0) {
            housekeeping(random);
        }
    }
    // Most of it lives on with others.
    for (std::size_t i = mine.size() * 3 / 4; i != 0; --i) {
        parcel got = (*places)[random.below(places->size())].exchange(mine.remove(mine.size() - 1));
        if (!std::holds_alternative<std::monostate>(got)) {
            drop(std::move(got));
        }
    }
}

// --- memory --------------------------------------------------------------------------------------

struct memory_use {
    std::size_t resident = 0; ///< of all components, as they say
    std::size_t process = 0;  ///< as the system says

    static memory_use now() {
        memory_use m;
        for (const linn::pool_statistics& s : linn::statistics()) {
            m.resident += s.resident_bytes;
        }
        for (const auto* resource : {&common().resource, linn::default_pool_resource()}) {
            for (const linn::pool_statistics& s : resource->statistics()) {
                m.resident += s.resident_bytes;
            }
        }
        m.resident += common().buffers.statistics().resident_bytes;
        m.process = linn_test::rss_bytes();
        return m;
    }
    void raise(const memory_use& m) {
        resident = std::max(resident, m.resident);
        process = std::max(process, m.process);
    }
};

/// Waits until `done`, and gives the peak meanwhile.
template <class F>
memory_use watch(const char* what, F&& done) {
    memory_use peak;
    do {
        peak.raise(memory_use::now());
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    } while (!done());
    std::printf("%-12s %12zu operations, %8zu threads, %6zu KiB in pools, %6zu KiB in memory\n", what,
                operations.load(), births.load(), peak.resident / 1024, peak.process / 1024);
    std::fflush(stdout);
    return peak;
}

/// Waits for a third of the work, which is enough to refill all places many times.
memory_use watch_a_third(const char* what) {
    const auto end = clock_type::now() + std::chrono::milliseconds{chosen.seconds * 1000 / 3};
    const std::size_t least = chosen.operations != 0 ? chosen.operations / 3 : 20 * chosen.objects;
    const std::size_t goal = operations + least;
    return watch(what,
                 [&] { return operations >= goal && (chosen.operations != 0 || clock_type::now() >= end); });
}

void check_nothing_is_left() {
    linn::pool<content<300>>::trim();
    common().resource.trim();
    common().buffers.trim();
    records().trim();
    linn::default_pool_resource()->trim();
    CHECK(records().live() == 0);
    CHECK(common().buffers.statistics().live == 0);
    if (!linn_test::in_slabs()) {
        return; // the checker counts
    }
    for (const linn::pool_statistics& s : linn::statistics()) {
        if (s.live != 0) {
            std::fprintf(stderr, "soak: %zu objects were lost: %s\n", s.live, linn::to_json(s).c_str());
            std::_Exit(1);
        }
    }
    for (const auto* resource : {&common().resource, linn::default_pool_resource()}) {
        for (const linn::pool_statistics& s : resource->statistics()) {
            CHECK(s.live == 0);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    chosen = settings::parse(argc, argv);
    std::vector<place> all(chosen.objects);
    places = &all;
    static_cast<void>(common());
    static_cast<void>(records());

    // One after the other they live at each post.
    std::vector<std::thread> posts;
    for (std::size_t i = 0; i < chosen.threads; ++i) {
        posts.emplace_back([] {
            while (!stop) {
                const std::size_t number = ++births;
                std::thread{[number] { live(number); }}.join();
            }
        });
    }
    // Memory grows to its size first.
    watch("filling", [&] { return operations >= 40 * chosen.objects; });
    const memory_use first = watch_a_third("first third");
    watch_a_third("second third");
    const memory_use last = watch_a_third("last third");
    stop = true;
    for (std::thread& post : posts) {
        post.join();
    }
    for (place& each : all) {
        drop(each.exchange({}));
    }

    const std::size_t slack = chosen.slack_mib * linn_test::mib;
    if (linn_test::in_slabs()) {
        CHECK_AT_MOST(last.resident, first.resident + slack);
    }
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(last.process, first.process + slack);
    }
    check_nothing_is_left();
    std::printf("%zu objects were checked when they were given back\n", drops.load());
}
