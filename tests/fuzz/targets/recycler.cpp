// SPDX-License-Identifier: Apache-2.0
// linn::recycler against a model: every object is out, held back by a weak_ptr, idle, or destroyed, and the counts say so;
// an object keeps what it owns between uses; never more than the capacity is idle, and never more than the limit exist; what
// `create` or `reset` throws changes nothing else; recyclers go before their objects; threads come and go. One operation after
// the other, an object that is idle is found on whichever thread, and destroyed only where there is no room.
#include "../support/crew.hpp"
#include "../support/expect.hpp"
#include "../support/operations.hpp"

#include <linn/recycler.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace linn_fuzz;

struct refused {};

std::size_t objects_alive = 0;
bool creation_fails = false;
bool reset_fails = false;

/// Knows whether it is constructed, and owns memory.
struct item {
    static constexpr std::uint32_t constructed = 0x600d600d;

    item() : own(4) {
        if (creation_fails) {
            throw refused{};
        }
        ++objects_alive;
    }
    ~item() {
        verify();
        state = 0;
        --objects_alive;
    }
    void verify() const {
        expect(state == constructed, "an object that is not constructed");
        expect(own.size() == 4 && own[3] == written, "an object lost what it owned");
    }
    void write(std::uint32_t number) {
        verify();
        written = own[3] = number;
    }

    std::uint32_t state = constructed;
    std::uint32_t written = 0;
    std::uint32_t uses = 0; ///< since the last reset
    std::vector<std::uint32_t> own;
};

using item_recycler = linn::recycler<item>;

/// One that holds an object.
struct holder {
    item_recycler::handle handle;
    item* plain = nullptr;
    std::shared_ptr<item> shared;
    bool is_in_slot = false; ///< the control block of `shared`, which a weak_ptr holds back
    std::size_t home = 0;    ///< the recycler, and which one of those that were in its place
    std::uint32_t number = 0;

    [[nodiscard]] item* get() const {
        return handle ? handle.get() : plain != nullptr ? plain : shared.get();
    }
};

struct recycler_model {
    std::unique_ptr<item_recycler> recycler;
    std::size_t generation = 0;
    std::size_t capacity = 0;
    std::size_t limit = 0;
    bool resets = false;
    std::size_t out = 0;    ///< objects that are out
    std::size_t held = 0;   ///< of a weak_ptr alone
    std::size_t hollow = 0; ///< of these, slots whose object is destroyed
    std::size_t idle = 0;
    std::size_t created = 0;
    item* last = nullptr; ///< the last thing that happened is that this came back

    /// How many more objects may be made.
    [[nodiscard]] std::size_t places() const {
        return limit == 0 ? SIZE_MAX : limit - (out + idle + held - hollow);
    }
    /// A thread that acquires now waits.
    [[nodiscard]] bool is_exhausted() const { return idle == 0 && places() == 0; }
};

constexpr std::size_t recycler_count = 2;
constexpr std::size_t most_out = 300;

struct recycler_state {
    std::array<recycler_model, recycler_count> models;
    std::vector<holder> out;
    struct observer {
        std::weak_ptr<item> weak;
        std::size_t home;
        bool is_hollow = false; ///< its object is destroyed, not idle
    };
    std::vector<observer> observers; ///< of objects whose shared_ptrs are gone, and of others
    crew threads;
    std::uint32_t serial = 0;

    void make(std::size_t i, std::size_t kind) {
        recycler_model& m = models[i];
        const std::size_t generation = m.generation + 1;
        m.recycler.reset();
        m = recycler_model{};
        m.generation = generation;
        m.capacity = std::array<std::size_t, 8>{0, 1, 3, 4, 17, 64, 150, 1024}[kind % 8];
        m.resets = kind / 8 % 2 != 0;
        item_recycler::options o;
        o.capacity = m.capacity;
        o.limit = m.limit = std::array<std::size_t, 4>{0, 5, 0, 40}[generation % 4];
        o.prefill = kind / 16 % 8;
        if (m.resets) {
            o.reset = [](item& x) {
                if (reset_fails) {
                    throw refused{};
                }
                x.verify();
                x.uses = 0;
            };
        }
        m.recycler = std::make_unique<item_recycler>(o);
        m.idle = m.created = std::min({o.prefill, o.capacity, m.places()});
        check(i);
    }

    /// Takes note of an object that was acquired.
    void add(std::size_t i, holder h) {
        recycler_model& m = models[i];
        item* object = h.get();
        const std::size_t created = m.recycler->statistics().created;
        if (created != m.created) {
            expect_equal(created, m.created + 1, "objects made by one acquisition");
            expect(m.idle == 0, "an object was made although one is idle");
            m.created = created;
        } else {
            expect(m.idle != 0, "an object came from nowhere");
            --m.idle;
            expect(m.last == nullptr || object == m.last, "the object that came back last goes out first");
        }
        m.last = nullptr;
        ++m.out;
        expect(
            std::none_of(out.begin(), out.end(), [&](const holder& other) { return other.get() == object; }),
            "an object that is out was handed out again");
        expect(!m.resets || object->uses == 0, "reset was not called");
        ++object->uses;
        object->write(++serial);
        h.home = i + m.generation * recycler_count;
        h.number = serial;
        out.push_back(std::move(h));
        check(i);
    }

    [[nodiscard]] bool is_current(std::size_t home) const {
        return models[home % recycler_count].generation == home / recycler_count;
    }

    /// An object is on its way back: what must become of it.
    void gone(std::size_t home, item* object, std::size_t alive_before) {
        recycler_model& m = models[home % recycler_count];
        if (!is_current(home)) {
            expect_equal(objects_alive, alive_before - 1, "objects alive after one outlived its recycler");
            return;
        }
        const std::size_t idle = m.recycler->idle();
        if (objects_alive == alive_before) {
            expect_equal(idle, m.idle + 1, "idle objects after one came back");
            m.last = object;
        } else {
            expect_equal(objects_alive, alive_before - 1, "objects alive after one came back");
            expect_equal(idle, m.idle, "idle objects after one was destroyed");
            const bool refused_it = m.resets && reset_fails;
            expect(refused_it || m.idle == m.capacity, "an object was destroyed although there is room");
        }
        m.idle = idle;
    }

    holder take(std::size_t which) {
        std::swap(out[which % out.size()], out.back());
        holder h = std::move(out.back());
        out.pop_back();
        h.get()->verify();
        expect(h.get()->written == h.number, "an object that is out changed");
        if (is_current(h.home)) {
            --models[h.home % recycler_count].out;
        }
        return h;
    }

    void forget_last() {
        for (recycler_model& m : models) {
            m.last = nullptr;
        }
    }

    void check(std::size_t i) const {
        const recycler_model& m = models[i];
        const linn::recycler_statistics s = m.recycler->statistics();
        expect_equal(s.capacity, m.capacity, "the capacity");
        expect_equal(s.idle, m.idle, "idle objects");
        expect_equal(s.live, m.out + m.held, "objects out or held back");
        expect_equal(s.created, m.created, "objects made");
        expect(s.idle <= s.capacity, "more idle objects than the capacity");
        expect_equal(s.limit, m.limit, "the limit");
        expect(m.limit == 0 || m.out + m.idle + m.held - m.hollow <= m.limit, "more objects than the limit");
    }
};

void acquire(recycler_state& s, input& in) {
    const std::size_t which = in.below(recycler_count);
    const std::size_t how = in.below(7);
    if (s.out.size() == most_out) {
        return;
    }
    recycler_model& m = s.models[which];
    if (m.is_exhausted()) {
        expect(m.recycler->try_acquire() == nullptr && m.recycler->try_acquire_shared() == nullptr &&
                   m.recycler->acquire_for(std::chrono::nanoseconds{how}) == nullptr,
               "more objects than the limit");
        s.check(which);
        return;
    }
    holder h;
    switch (how) {
    case 0:
        h.shared = m.recycler->acquire_shared();
        h.is_in_slot = true;
        break;
    case 1:
        h.shared = m.recycler->acquire();
        break;
    case 2:
        h.plain = m.recycler->acquire().release();
        break;
    case 3:
        h.handle = m.recycler->try_acquire();
        break;
    case 4:
        h.shared = m.recycler->acquire_shared_for(std::chrono::hours{1});
        h.is_in_slot = true;
        break;
    default:
        h.handle = m.recycler->acquire();
    }
    s.add(which, std::move(h));
}

void give_back(recycler_state& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    if (s.out.empty()) {
        return;
    }
    const std::size_t n = s.out.size();
    holder h = s.take(which % 4 == 0 ? n - 1 : which / 4 % n);
    item* object = h.get();
    const std::size_t home = h.home;
    const auto observer = std::find_if(s.observers.begin(), s.observers.end(), [&](const auto& o) {
        return h.shared != nullptr && o.weak.lock() == h.shared;
    });
    const bool is_watched = observer != s.observers.end();
    const std::size_t alive = objects_alive;
    if (h.plain != nullptr) {
        item_recycler::recycle(h.plain);
    }
    h.handle.reset();
    h.shared.reset();
    recycler_model& m = s.models[home % recycler_count];
    m.last = nullptr;
    if (is_watched) {
        if (s.is_current(home)) {
            ++m.held;
            observer->is_hollow = m.resets && reset_fails;
            m.hollow += observer->is_hollow ? 1U : 0U;
        }
    } else {
        s.gone(home, object, alive);
    }
    s.check(home % recycler_count);
}

void watch(recycler_state& s, input& in) {
    const std::size_t which = in.below(256);
    if (s.out.empty()) {
        return;
    }
    const holder& h = s.out[which % s.out.size()];
    // One observer an object.
    if (!h.is_in_slot || std::any_of(s.observers.begin(), s.observers.end(),
                                     [&](const auto& o) { return o.weak.lock() == h.shared; })) {
        return;
    }
    s.observers.push_back({h.shared, h.home, false});
}

void stop_watching(recycler_state& s, input& in) {
    const std::size_t which = in.below(256);
    if (s.observers.empty()) {
        return;
    }
    std::swap(s.observers[which % s.observers.size()], s.observers.back());
    recycler_state::observer o = std::move(s.observers.back());
    s.observers.pop_back();
    recycler_model& m = s.models[o.home % recycler_count];
    const bool holds = o.weak.expired();
    o.weak.reset();
    if (holds && s.is_current(o.home)) {
        --m.held;
        m.hollow -= o.is_hollow ? 1U : 0U;
        m.idle = m.recycler->idle();
        m.last = nullptr;
    }
    s.check(o.home % recycler_count);
}

void refuse_creation(recycler_state& s, input& in) {
    const std::size_t which = in.below(recycler_count);
    const std::size_t how = in.below(3);
    recycler_model& m = s.models[which];
    if (s.out.size() == most_out || m.is_exhausted()) {
        return;
    }
    creation_fails = true;
    holder h;
    bool threw = false;
    try {
        if (how == 0) {
            h.handle = m.recycler->try_acquire();
        } else if (how == 1) {
            h.handle = m.recycler->acquire();
        } else {
            h.shared = m.recycler->acquire_shared();
            h.is_in_slot = true;
        }
    } catch (const refused&) {
        threw = true;
    }
    creation_fails = false;
    expect(h.get() == nullptr || !threw, "an object and an exception");
    expect(h.get() != nullptr || threw == (how != 0), "the exception arrives where it is promised");
    if (h.get() != nullptr) {
        s.add(which, std::move(h));
    } else {
        expect(m.idle == 0, "an idle object was not found");
        s.check(which);
    }
}

/// What `reset` throws on costs that object, and nothing else.
void refuse_reset(recycler_state& s, input& in) {
    reset_fails = true;
    give_back(s, in);
    reset_fails = false;
}

void prefill(recycler_state& s, input& in) {
    const std::size_t which = in.below(recycler_count);
    const std::size_t count = in.below(200);
    recycler_model& m = s.models[which];
    const std::size_t goal = std::min(count, m.capacity);
    const std::size_t wanted = std::min(goal > m.idle ? goal - m.idle : 0, m.places());
    const std::size_t made = m.recycler->prefill(count);
    expect_equal(made, wanted, "objects made beforehand");
    m.created += made;
    m.idle += made;
    m.last = nullptr;
    s.check(which);
}

void trim(recycler_state& s, input& in) {
    const std::size_t which = in.below(recycler_count);
    recycler_model& m = s.models[which];
    const std::size_t alive = objects_alive;
    const std::size_t n = m.recycler->trim();
    expect_equal(n, m.idle, "objects that a trim destroyed");
    // A hollow slot, whose object reset refused, is idle no more.
    expect_equal(objects_alive, alive - n, "objects alive after a trim");
    m.idle = 0;
    m.last = nullptr;
    s.check(which);
}

/// The recycler goes; its objects stay, and are destroyed when they come back.
void renew(recycler_state& s, input& in) {
    const std::size_t which = in.below(recycler_count);
    const std::size_t kind = in.below(128);
    const std::size_t alive = objects_alive;
    const std::size_t idle = s.models[which].idle;
    s.models[which].recycler.reset();
    expect_equal(objects_alive, alive - idle, "objects alive after their recycler is gone");
    s.make(which, kind);
    for (const holder& h : s.out) {
        h.get()->verify();
    }
}

/// The next operations on another thread.
void elsewhere_forgetting(recycler_state& s, input& in) {
    s.forget_last();
    elsewhere(s, in);
    s.forget_last();
}

void one(recycler_state& s, input& in) {
    static constexpr operation<recycler_state> all[] = {
        {&acquire, 16},     {&give_back, 15},        {&watch, 2},  {&stop_watching, 2},
        {&refuse_creation}, {&refuse_reset},         {&prefill},   {&trim},
        {&renew},           {&elsewhere_forgetting}, {&end_thread}};
    perform_one(all, s, in);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    {
        input in{data, size};
        recycler_state state;
        for (std::size_t i = 0; i != recycler_count; ++i) {
            state.make(i, in.below(128));
        }
        while (!in.empty()) {
            one(state, in);
        }
        state.models[0].recycler.reset(); // one before its objects, one after
        for (holder& h : state.out) {
            if (h.plain != nullptr) {
                item_recycler::recycle(h.plain);
            }
        }
    }
    expect_equal(objects_alive, 0, "objects alive after all recyclers and all owners are gone");
    return 0;
}
