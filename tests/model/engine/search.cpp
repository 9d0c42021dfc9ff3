// SPDX-License-Identifier: Apache-2.0
// Depth-first search over schedules: threads are fibers, an execution starts again for each schedule, and
// dynamic partial-order reduction with sleep sets leaves out what differs only in the order of independent
// operations.
// Source: Flanagan, Godefroid: Dynamic partial-order reduction for model checking software, POPL 2005;
// Godefroid: Partial-order methods for the verification of concurrent systems, 1996, chapter 5
#include "engine.hpp"
#include "fiber.hpp"

#include <cstdio>
#include <cstdlib>
#include <unordered_set>

namespace model::engine {

thread* current = nullptr;
thread threads[most_threads];

bool operation::depends_on(const operation& other) const noexcept {
    const auto is_load = [](kind k) { return k == kind::load || k == kind::load_in_order; };
    if (what == kind::none || other.what == kind::none) {
        return false;
    }
    if (what == kind::barrier || other.what == kind::barrier) {
        return (what == kind::barrier && other.by == target) ||
               (other.what == kind::barrier && by == other.target);
    }
    if (object != other.object) {
        return false;
    }
    // Loads in the single order of seq_cst also say how new the next one must be.
    return !(is_load(what) && is_load(other.what)) ||
           (what == kind::load_in_order && other.what == kind::load_in_order);
}

bool operation::excludes(const operation& other) const noexcept {
    const auto pair = [](kind a, kind b) { return a == kind::unlock && b == kind::lock; };
    return pair(what, other.what) || pair(other.what, what);
}

namespace {

struct node {
    unsigned enabled = 0; ///< sets of threads, a bit each
    unsigned wanted = 0;
    unsigned done = 0;
    unsigned asleep = 0;
    unsigned chosen = 0;
    unsigned choice = 0;
    unsigned choices = 1;
    operation next[most_threads];
    clocks past; ///< of the operation, in numbers of steps
};

struct forced_step {
    unsigned thread;
    unsigned choice;
};

scenario* running = nullptr;
unsigned count = 0;
std::vector<node> steps;
std::size_t depth = 0; ///< steps of this execution
std::size_t known = 0; ///< steps that this execution repeats from the last one
std::unordered_set<const void*> visible;
bool learned = false;
bool starting = false;
bool abandoned = false;
bool replaying = false;
std::vector<forced_step> forced;
limits bound;
void* main_stack_pointer = nullptr;

constexpr unsigned bit(unsigned thread) {
    return 1U << thread;
}

struct local_range {
    std::byte* at;
    std::size_t bytes;
    std::vector<std::byte> start;
};
std::vector<local_range>& local_ranges() {
    static std::vector<local_range> all;
    return all;
}

void save_locals(thread& t) {
    std::size_t done = 0;
    for (const local_range& r : local_ranges()) {
        copy_bytes(t.locals.data() + done, r.at, r.bytes);
        done += r.bytes;
    }
}
void load_locals(const thread& t) {
    std::size_t done = 0;
    for (const local_range& r : local_ranges()) {
        copy_bytes(r.at, t.locals.data() + done, r.bytes);
        done += r.bytes;
    }
}
void begin_locals(thread& t) {
    const own_memory guard;
    t.locals.clear();
    for (const local_range& r : local_ranges()) {
        t.locals.insert(t.locals.end(), r.start.begin(), r.start.end());
    }
}

void resume(void** save, thread* t) {
    if (current != nullptr) {
        save_locals(*current);
    }
    current = t;
    load_locals(*t);
    switch_stack(save, t->stack_pointer);
}

void back_to_main(void** save) {
    save_locals(*current);
    switch_stack(save, main_stack_pointer);
}

bool happened_before(std::size_t step, const thread& t) {
    return t.last_step >= 0 &&
           steps[static_cast<std::size_t>(t.last_step)].past.at[steps[step].chosen] >= step + 1;
}

/// Finds the last operation that could have come after this one instead, and wants that tried too.
void note_races(std::size_t at) {
    node& now = steps[at];
    thread& t = threads[now.chosen];
    const operation& o = now.next[now.chosen];
    clocks past{};
    if (t.last_step >= 0) {
        past = steps[static_cast<std::size_t>(t.last_step)].past;
    }
    bool found = false;
    for (std::size_t j = at; j-- != 0;) {
        node& earlier = steps[j];
        if (earlier.chosen == now.chosen || !o.depends_on(earlier.next[earlier.chosen])) {
            continue;
        }
        if (!found && !o.excludes(earlier.next[earlier.chosen]) && !happened_before(j, t)) {
            found = true;
            if ((earlier.enabled & bit(now.chosen)) != 0) {
                earlier.wanted |= bit(now.chosen);
            } else {
                unsigned instead = 0;
                for (std::size_t k = j + 1; k < at && instead == 0; ++k) {
                    if ((earlier.enabled & bit(steps[k].chosen)) != 0 && happened_before(k, t)) {
                        instead = bit(steps[k].chosen);
                    }
                }
                earlier.wanted |= instead != 0 ? instead : earlier.enabled;
            }
        }
        past.join(earlier.past);
    }
    past.at[now.chosen] = static_cast<std::uint32_t>(at + 1);
    now.past = past;
}

/// The state that is reached now. @returns false if there is nothing new to see from here
bool add_step() {
    node n;
    for (unsigned i = 1; i <= count; ++i) {
        n.next[i] = threads[i].next;
        if (!threads[i].finished && may_go(threads[i])) {
            n.enabled |= bit(i);
        }
    }
    if (n.enabled == 0) {
        fail("deadlock: every thread waits");
    }
    if (!steps.empty()) {
        const node& before = steps.back();
        const operation& o = before.next[before.chosen];
        const unsigned still = (before.asleep | before.done) & ~bit(before.chosen);
        for (unsigned i = 1; i <= count; ++i) {
            if ((still & bit(i)) != 0 && !before.next[i].depends_on(o)) {
                n.asleep |= bit(i);
            }
        }
    }
    if (replaying && depth < forced.size()) {
        n.chosen = forced[depth].thread;
        n.choice = forced[depth].choice;
        if ((n.enabled & bit(n.chosen)) == 0) {
            fail("the schedule does not fit: its next thread waits");
        }
    } else {
        const unsigned candidates = replaying ? n.enabled : n.enabled & ~n.asleep;
        if (candidates == 0) {
            return false;
        }
        // To stay is cheapest; a thread that spins only goes on when somebody else did something.
        n.chosen = (candidates & bit(current->id)) != 0 ? current->id
                                                        : static_cast<unsigned>(__builtin_ctz(candidates));
    }
    n.wanted = bit(n.chosen);
    steps.push_back(n);
    return true;
}

void print_step(std::size_t at) {
    const own_memory guard;
    const node& n = steps[at];
    const operation& o = n.next[n.chosen];
    std::printf("%4zu  %c  %-10s %s\n", at, static_cast<char>('a' + n.chosen - 1), o.name,
                name_of_address(o.object).c_str());
    if (verbose) {
        print_frames(threads[n.chosen]);
    }
}

/// The next thread to go on; null when the execution is over.
thread* next_thread() {
    bool all_finished = true;
    for (unsigned i = 1; i <= count; ++i) {
        all_finished = all_finished && threads[i].finished;
    }
    if (all_finished) {
        return nullptr;
    }
    if (depth == steps.size() && !add_step()) {
        abandoned = true;
        return nullptr;
    }
    if (depth >= bound.steps) {
        fail("livelock, or the scenario is too long: too many steps");
    }
    if (depth >= known) {
        note_races(depth);
    }
    thread& t = threads[steps[depth].chosen];
    t.last_step = static_cast<int>(depth);
    if (replaying) {
        print_step(depth);
    }
    ++depth;
    return &t;
}

/// On the stack of a fiber, which has said what it wants to do next, or has finished.
void dispatch() {
    thread* self = current;
    thread* next = next_thread();
    if (next == self) {
        return;
    }
    if (next != nullptr) {
        resume(&self->stack_pointer, next);
    } else {
        back_to_main(&self->stack_pointer);
    }
}

[[noreturn]] void run_fiber() {
    running->run(current->id - 1);
    current->finished = true;
    current->next = {};
    if (starting) {
        back_to_main(&current->stack_pointer);
    }
    dispatch();
    std::abort();
}

void run_once(scenario& s) {
    depth = 0;
    abandoned = false;
    reset_shadow();
    restore_shared();
    reset_orders();
    thread& creator = threads[0];
    begin_locals(creator);
    current = &creator;
    load_locals(creator);
    s.setup();
    save_locals(creator);
    for (unsigned i = 1; i <= count; ++i) {
        begin_locals(threads[i]);
        order_after(threads[i], creator);
        threads[i].stack_pointer = new_stack(threads[i].stack, &run_fiber);
    }
    creator.seen.at[0]++;
    starting = true;
    for (unsigned i = 1; i <= count && !abandoned; ++i) {
        current = nullptr;
        resume(&main_stack_pointer, &threads[i]);
    }
    starting = false;
    current = &creator;
    if (thread* first = abandoned ? nullptr : next_thread(); first != nullptr) {
        resume(&main_stack_pointer, first);
    }
    current = &creator;
    if (!abandoned) {
        for (unsigned i = 1; i <= count; ++i) {
            order_after(creator, threads[i]);
        }
        load_locals(creator);
        s.finish();
    }
    current = nullptr;
}

/// To the next schedule. @returns false when there is none
bool advance() {
    while (!steps.empty()) {
        node& n = steps.back();
        if (n.choice + 1 < n.choices) {
            ++n.choice;
            known = steps.size() - 1;
            return true;
        }
        n.done |= bit(n.chosen);
        const unsigned left = n.wanted & ~n.done & ~n.asleep;
        if (left != 0) {
            n.chosen = static_cast<unsigned>(__builtin_ctz(left));
            n.choice = 0;
            n.choices = 1;
            known = steps.size() - 1;
            return true;
        }
        steps.pop_back();
    }
    return false;
}

void begin(scenario& s) {
    running = &s;
    count = s.threads;
    for (unsigned i = 0; i <= count; ++i) {
        threads[i].id = i;
        if (threads[i].stack == nullptr) {
            threads[i].stack = allocate_stack();
        }
    }
    steps.reserve(bound.steps + 1);
    remember_shared();
}

} // namespace

void visit(const operation& o) noexcept {
    if (current == nullptr || current->id == 0) {
        return;
    }
    current->next = o;
    if (starting) {
        back_to_main(&current->stack_pointer);
    } else {
        dispatch();
    }
}

unsigned choose(unsigned n) noexcept {
    if (n <= 1 || current->id == 0 || depth == 0) {
        return 0;
    }
    node& now = steps[depth - 1];
    now.choices = n;
    return now.choice < n ? now.choice : n - 1;
}

void becomes_visible(const void* object) noexcept {
    {
        const own_memory guard;
        visible.insert(object);
    }
    learned = true;
    abandoned = true;
    back_to_main(&current->stack_pointer);
}
bool is_visible(const void* object) noexcept {
    return visible.contains(object);
}

outcome explore(scenario& s, const limits& l) {
    bound = l;
    begin(s);
    outcome o;
    for (;;) {
        run_once(s);
        ++o.schedules;
        o.pruned += abandoned ? 1U : 0U;
        o.longest = o.longest < depth ? depth : o.longest;
        if (learned) {
            learned = false;
            steps.clear();
            known = 0;
            o = {};
            continue;
        }
        if (!advance()) {
            o.exhausted = true;
            break;
        }
        if (o.schedules >= l.schedules) {
            break;
        }
    }
    o.points = static_cast<unsigned>(visible.size());
    return o;
}

std::string schedule_so_far() {
    std::string text;
    for (const void* object : visible) {
        text += text.empty() ? "" : ",";
        text += name_of_address(object);
    }
    text += ':';
    for (std::size_t i = 0; i < depth; ++i) {
        text += static_cast<char>('a' + steps[i].chosen - 1);
        text += steps[i].choices > 1 && steps[i].choice != 0 ? std::to_string(steps[i].choice) : "";
    }
    return text;
}

void replay(scenario& s, const std::string& schedule) {
    bound = {};
    begin(s);
    replaying = true;
    const std::size_t colon = schedule.find(':');
    for (std::size_t i = 0; i < colon && colon != std::string::npos;) {
        const std::size_t end = schedule.find_first_of(",:", i);
        visible.insert(address_of_name(schedule.substr(i, end - i)));
        i = end + 1;
    }
    for (std::size_t i = colon == std::string::npos ? 0 : colon + 1; i < schedule.size();) {
        forced_step f{static_cast<unsigned>(schedule[i] - 'a') + 1, 0};
        if (f.thread < 1 || f.thread > count) {
            fail("the schedule does not fit: no such thread");
        }
        for (++i; i < schedule.size() && schedule[i] >= '0' && schedule[i] <= '9'; ++i) {
            f.choice = f.choice * 10 + static_cast<unsigned>(schedule[i] - '0');
        }
        forced.push_back(f);
    }
    run_once(s);
}

} // namespace model::engine

namespace model {

void make_local(void* object, std::size_t bytes) noexcept {
    auto* at = static_cast<std::byte*>(object);
    engine::local_ranges().push_back({at, bytes, {at, at + bytes}});
}

unsigned thread_count() noexcept {
    return engine::count;
}

[[noreturn]] void fail(const char* why) noexcept {
    using namespace engine;
    const own_memory guard;
    std::printf("%s: %s\n", expects_failure ? "caught" : "FAILED", why);
    if (current != nullptr) {
        if (current->id != 0) {
            std::printf("  thread %c, in\n", static_cast<char>('a' + current->id - 1));
        }
        print_frames(*current);
    }
    std::printf("  --schedule=%s\n", schedule_so_far().c_str());
    std::fflush(stdout);
    std::_Exit(expects_failure ? (control_was_used() ? 0 : 3) : 1);
}

} // namespace model
