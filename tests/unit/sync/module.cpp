// SPDX-License-Identifier: Apache-2.0
// What a module record does at a fork and at the end of its module, by itself; tests/dso unloads real modules.
#include "unit.hpp"

#include <linn/detail/os/module_image.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/registry.hpp>
#include <linn/detail/sync/thread_exit.hpp>
#include <linn/memory_resource.hpp>
#include <linn/misuse.hpp>
#include <linn/pool.hpp>

namespace sync_module_tests {

using linn::detail::module_event;
using linn::detail::module_image;
using linn::detail::module_part;
using linn::detail::module_record;

int installed = 0;

struct counting_part {
    explicit counting_part(module_record& m) : part{m, this, &on_event} {}
    static void on_event(void* self, module_event e) noexcept {
        static_cast<counting_part*>(self)->events.push_back(e);
    }
    std::vector<module_event> events;
    module_part part;
};

struct member : linn::detail::in_fork_registry<member> {
    void lock_for_fork() noexcept {}
    void unlock_in_parent() noexcept {}
    void unlock_in_child() noexcept {}
};
using members = linn::detail::fork_registry<member>;
member in_this_module;

void no_handler(const linn::misuse&) noexcept {}

int ran = 0;
void note_run() noexcept {
    ++ran;
}

struct counted {
    counted() noexcept { ++made; }
    static inline int made = 0;
};

TEST_CASE("module: a part is stopped once for a fork, however often handlers were installed, and let go of") {
    installed = 0;
    module_record m{[]() noexcept { ++installed; }};
    counting_part one{m};
    counting_part late{m};
    one.part.join();
    one.part.join();
    CHECK(installed == 1);
    m.before_fork();
    m.before_fork();
    late.part.join(); // from a fork handler of the program
    m.after_fork(module_event::after_fork_in_parent);
    m.after_fork(module_event::after_fork_in_parent);
    CHECK(one.events == std::vector{module_event::before_fork, module_event::after_fork_in_parent});
    CHECK(late.events.empty());
    m.before_fork();
    CHECK(late.events.size() == 1);
    m.after_fork(module_event::after_fork_in_child);
    m.before_fork(); // a child may fork
    m.after_fork(module_event::after_fork_in_child);
    CHECK(one.events.size() == 6);
}

TEST_CASE("module: the end waits for a fork, and is told once") {
    module_record m{[]() noexcept {}};
    counting_part one{m};
    one.part.join();
    m.before_fork();
    std::thread unloading{[&] { m.end(); }};
    linn_test::wait_until(m.ending);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    CHECK(one.events.size() == 1);
    m.after_fork(module_event::after_fork_in_parent);
    unloading.join();
    m.end();
    CHECK(one.events ==
          std::vector{module_event::before_fork, module_event::after_fork_in_parent, module_event::end});
}

TEST_CASE("module_image: what lies in the module, and what does not") {
    const module_image here = module_image::here();
#if defined(__ELF__)
    static int in_bss;
    CHECK(here.contains(&in_bss));
    CHECK(here.contains(&installed));
    CHECK(here.contains(reinterpret_cast<std::uintptr_t>(&no_handler)));
#endif
    const int on_stack = 0;
    CHECK_FALSE(here.contains(&on_stack));
    CHECK_FALSE(here.contains(std::make_unique<int>().get()));
    CHECK_FALSE(here.contains(nullptr));
    CHECK_FALSE(module_image{}.contains(&installed));
}

#if defined(__ELF__)
TEST_CASE("fork_registry: what lies in a module leaves when that ends; the rest stays, until the list ends") {
    members list;
    member elsewhere[2];
    list.enter(elsewhere[0]);
    list.enter(in_this_module);
    list.enter(in_this_module);
    list.enter(elsewhere[1]);
    list.leave_if([](const member& m) { return module_image::here().contains(&m); });
    CHECK(in_this_module.registered_in == 0);
    CHECK(elsewhere[0].registered_in == reinterpret_cast<std::uintptr_t>(&list));
    int found = 0;
    list.any([&](const member& m) {
        ++found;
        return &m == &in_this_module;
    });
    CHECK(found == 2);
    members::leave(in_this_module); // in none
    members::leave(elsewhere[0]);
    CHECK_FALSE(list.empty());
    list.leave_if([](const member&) { return true; });
    CHECK(list.empty());
    members::leave(elsewhere[1]);
}

TEST_CASE("misuse: a handler that lies in the module goes with it") {
    linn::set_misuse_handler(&no_handler);
    linn::detail::take_along<linn::detail::current_misuse_handler>();
    const auto now = linn::set_misuse_handler(nullptr);
    CHECK((now != &no_handler));
    CHECK((linn::set_misuse_handler(now) == now)); // the default one
    CHECK((linn::detail::current_misuse_handler.load() == nullptr));
}
#endif

TEST_CASE("late_thread_exit: runs until its module ends, and not after") {
    ran = 0;
    static constinit module_record m{[]() noexcept {}};
    static constinit linn::detail::late_thread_exit<&note_run> late{m};
    std::thread{[] { late.arm(); }}.join();
    CHECK(ran == 1);
    std::thread{[] {
        late.arm();
        m.end();
    }}.join();
    CHECK(ran == 1);
    std::thread{[] { late.arm(); }}.join();
    CHECK(ran == 1);
}

TEST_CASE("immortal: one object for all threads, made once") {
    static constinit linn::detail::immortal<counted> one{linn::detail::this_module};
    counted* seen[4];
    linn_test::in_threads(std::size(seen), [&](std::size_t i) { seen[i] = one.get(); });
    CHECK(counted::made == 1);
    CHECK(seen[0] == seen[3]);
}

/// As if `dlclose` ran the static destructors of this program.
struct ending {
    ending() { linn::detail::this_module.ending.store(true); }
    ~ending() { linn::detail::this_module.ending.store(false); }
};

struct item {
    long words[3];
};

struct exchanged {
    long words[4];
};

constinit linn::detail::module_record another_module{[]() noexcept {}};
constinit linn::detail::registry<linn::detail::platform> its_pools{another_module};
constinit linn::detail::module_record third_module{[]() noexcept {}};
constinit linn::detail::registry<linn::detail::platform> third_pools{third_module};

TEST_CASE(
    "a thread that first uses pools while its module ends leaves nothing behind that would call it back") {
    using pool = linn::pool<item>;
    using indices = linn::detail::thread_index_table<linn::detail::platform>;
    linn::pool_resource resource;
    std::size_t cached = 1;
    std::size_t live = 0;
    std::uint32_t index = 0;
    {
        const ending now;
        std::thread{[&] {
            item* one = pool::create();
            item* two = pool::create();
            live = pool::statistics().live;
            pool::destroy(one);
            pool::destroy(two);
            void* block = resource.allocate(100);
            resource.deallocate(block, 100);
            cached = pool::statistics().cached;
            index = linn::detail::thread_index<linn::detail::platform>();
        }}.join();
    }
    CHECK(live == 2);
    CHECK(cached == 0);
    CHECK(index == indices::most);
    CHECK(pool::statistics().live == 0);

    std::thread{[&] { index = linn::detail::thread_index<linn::detail::platform>(); }}.join();
    CHECK((index < indices::most) == linn::detail::thread_locals_last); // and it was only for that time
}

// Else the child of a fork waits for ever in the depot of a plugin that is gone, when another thread was there.
TEST_CASE("forks go on to stop a depot whose module has ended, by the module that frees its objects") {
    using pool = linn::pool<exchanged>;
    using namespace linn::detail;
    pool::destroy(pool::create());
    static constinit registry<platform>::slot_type slot{0};
    auto* d = its_pools.depot_in(
        slot, {.sizes = pool_geometry<sizeof(exchanged), alignof(exchanged), linn::pool_options{}>::sizes,
               .type = linn::detail::label_of(pool_name<exchanged>)});
    REQUIRE(d != nullptr);
    if (d->mode() == service::bypass) {
        return;
    }
    const auto free_one = [&] {
        pool::destroy(static_cast<exchanged*>(d->take_one()));
        pool::trim();
        return d->statistics().live;
    };
    const auto stopped_by = [&](module_record& m) {
        m.before_fork();
        const bool held = d->lock().held_for_fork();
        m.after_fork(module_event::after_fork_in_parent);
        CHECK_FALSE(d->lock().held_for_fork());
        return held;
    };
    CHECK(free_one() == 0);
    CHECK(stopped_by(another_module));
    CHECK_FALSE(stopped_by(this_module));
    another_module.end();
    CHECK(stopped_by(another_module)); // its static objects may still use it
    CHECK(stopped_by(another_module));
    CHECK(free_one() == 0);
    CHECK_FALSE(stopped_by(another_module));
    CHECK(stopped_by(this_module));
    CHECK(free_one() == 0); // and once is enough
    CHECK(stopped_by(this_module));

    // The handlers of a module that has ended may still be there.
    another_module.before_fork();
    this_module.before_fork();
    CHECK(d->lock().held_for_fork());
    another_module.after_fork(module_event::after_fork_in_parent);
    this_module.after_fork(module_event::after_fork_in_parent);
    CHECK_FALSE(d->lock().held_for_fork());

    // The module that stops it ends too, and another one takes it over.
    its_pools.enter(*d); // which is nothing, unless its module has ended
    third_pools.enter(*d);
    CHECK_FALSE(stopped_by(third_module));
    registry<platform>::leave(*d);
    third_pools.enter(*d);
    CHECK(stopped_by(third_module));
    third_module.end();
    CHECK(d->registered_in == 0);
}

} // namespace sync_module_tests
