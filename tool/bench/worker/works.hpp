// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace linn::tool::worker {

/// A network packet's buffer of 1.5 KB. The empty constructor keeps `make_shared` from filling it with zeros.
struct packet {
    std::uint64_t length;
    std::byte data[1'528];
    packet() noexcept {} // not defaulted: that would make value-initialisation write zeros
};

/// The same without a constructor, which is how most programs write it: for the `_for_overwrite` functions, and for what the
/// others cost then.
struct plain_packet {
    std::uint64_t length;
    std::byte data[1'528];
};

static_assert(sizeof(packet) == 1'536 && sizeof(plain_packet) == 1'536);

/// Packets that live at once in a burst, and a network card's usual share of work.
inline constexpr std::size_t burst = 256;

/// Creates one, writes its first word and destroys it, again and again.
/// `Way` is a class with `handle create()` and, unless the handle's destructor does it, `void destroy(handle&)`.
template <class Way>
void hot_loop(Way& way, std::size_t operations) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = way.create();
        h->length = i;
        escape(&*h);
        way.destroy(h);
    }
}

/// Creates a burst, then destroys it in the order of creation.
template <class Way>
void burst_loop(Way& way, std::size_t operations) {
    std::array<decltype(way.create()), burst> live{};
    for (std::size_t i = 0; i < operations; i += burst) {
        for (auto& h : live) {
            h = way.create();
            h->length = i;
            escape(&*h);
        }
        for (auto& h : live) {
            way.destroy(h);
        }
    }
}

/// For ways whose handle owns: destroying is letting go.
struct owning_way {
    template <class Handle>
    static void destroy(Handle& h) {
        h = Handle{};
    }
};

struct make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
};

struct linn_make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return linn::make_shared<packet>(); }
};

/// What happens to a buffer between acquire and release.
enum class use { untouched, first_page, filled };

/// Acquires a buffer, uses it and releases it, again and again. `Source` has a `handle acquire()` whose destructor
/// releases; `data(handle)` is its memory.
template <use Use, class Source>
void buffer_loop(Source& source, std::size_t operations, std::size_t bytes) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = source.acquire();
        void* p = Source::data(h);
        escape(p); // also keeps a hidden fill from merging with the one below
        const int value = static_cast<int>(i % 255) + 1;
        if constexpr (Use == use::first_page) {
            std::memset(p, value, 4'096);
        }
        if constexpr (Use == use::filled) {
            std::memset(p, value, bytes);
        }
        escape(p);
    }
}

template <use Use, class Source>
void add_buffers(outcome& result, std::string name, std::size_t operations) {
    add_passes(result, std::move(name), 1, operations, [] {
        return [source = Source{}](std::size_t n) mutable { buffer_loop<Use>(source, n, Source::bytes); };
    });
}

/// The three uses of buffers of one size.
template <class Source>
void run_size(const options& o, outcome& result, const std::string& name) {
    const std::size_t operations = o.scaled((std::size_t{64} << 20) / Source::bytes) + 2;
    add_buffers<use::untouched, Source>(result, name, operations);
    add_buffers<use::first_page, Source>(result, name + "_page", operations);
    add_buffers<use::filled, Source>(result, name + "_filled", operations);
    result.work_check += operations;
}

/// The scenario buffers for one way; `Source<Bytes>` hands out buffers of that size.
template <template <std::size_t> class Source>
outcome run_buffers(const options& o) {
    outcome result;
    run_size<Source<std::size_t{64} << 10>>(o, result, "64k");
    run_size<Source<std::size_t{1} << 20>>(o, result, "1m");
    run_size<Source<std::size_t{8} << 20>>(o, result, "8m");
    return result;
}

/// The usual handle of a buffer.
template <std::size_t Bytes>
struct array_source {
    static constexpr std::size_t bytes = Bytes;
    static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
};

template <std::size_t Bytes>
struct new_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::unique_ptr<char[]>(new char[Bytes]); }
};

template <std::size_t Bytes>
struct make_shared_object {
    struct line {
        char data[Bytes];
    };
    static constexpr std::size_t bytes = Bytes;
    static std::shared_ptr<line> acquire() { return std::make_shared<line>(); }
    static void* data(const std::shared_ptr<line>& h) { return h->data; }
};

/// The process's one pool of buffers of that size.
template <std::size_t Bytes>
struct buffer_pool_source {
    static constexpr std::size_t bytes = Bytes;
    linn::buffer_pool& pool = shared();

    static linn::buffer_pool& shared() {
        static linn::buffer_pool& all = *new linn::buffer_pool{Bytes};
        return all;
    }
};

template <std::size_t Bytes>
struct pool_handle : buffer_pool_source<Bytes> {
    auto acquire() { return this->pool.acquire(); }
    static void* data(const auto& h) { return h.data(); }
};

template <std::size_t Bytes>
struct pool_shared : buffer_pool_source<Bytes> {
    auto acquire() { return this->pool.acquire_shared(); }
    static void* data(const auto& h) { return h.get(); }
};

/// What a process says to its parent of the steps of one structure.
template <std::size_t Steps>
struct step_report {
    double cycles[Steps]; ///< an operation
    double faults[Steps];
    std::uint64_t peak_bytes;
    std::size_t elements; ///< what every contender must agree on
};

/// Runs `work(report)` in a process of its own, so that it finds no memory that another one left, and adds a phase for each step.
/// The work returns whether it ended well.
template <std::size_t Steps, class Work>
void add_steps_apart(outcome& result, const std::string& name, const char* const (&steps)[Steps],
                     const Work& work) {
    mapped_array<step_report<Steps>> shared{1, MAP_SHARED};
    step_report<Steps>& report = shared[0];
    if (std::string problem = run_apart([&] { return work(report); }); result.error.empty()) {
        result.error = std::move(problem);
    }
    for (std::size_t step = 0; step != Steps; ++step) {
        result.phases.push_back({name + '_' + steps[step], report.cycles[step], report.faults[step], {}});
    }
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, report.peak_bytes);
    result.work_check += report.elements;
}

/// The timed steps of a round, and the three together.
inline constexpr const char* reuse_steps[] = {"build", "walk", "free", "sum"};

struct list_node {
    list_node* next;
    long value[5];
};
static_assert(sizeof(long) != 8 || sizeof(list_node) == 48);

/// A list as C programs write it.
template <class Allocator>
class node_list {
public:
    node_list(std::size_t n, Allocator allocator) : nodes_{n}, allocator_{allocator} {}

    void build() {
        long i = 0;
        for (list_node*& place : nodes_) {
            auto* const p = ::new (static_cast<void*>(traits::allocate(allocator_, 1))) list_node;
            p->next = head_;
            p->value[0] = i++;
            head_ = place = p;
        }
    }
    std::size_t walk() const {
        std::size_t total = 0;
        for (const list_node* p = head_; p != nullptr; p = p->next) {
            total += static_cast<std::size_t>(p->value[0]);
        }
        return total;
    }
    void release() {
        for (list_node* const p : nodes_) {
            traits::deallocate(allocator_, p, 1);
        }
        head_ = nullptr;
    }

    void shuffle(std::mt19937_64& random) { std::shuffle(nodes_.begin(), nodes_.end(), random); }
    bool empty() const noexcept { return head_ == nullptr; }

private:
    using traits = std::allocator_traits<Allocator>;

    mapped_array<list_node*> nodes_;
    [[no_unique_address]] Allocator allocator_;
    list_node* head_ = nullptr;
};

/// Builds the structure, walks it four times and frees its nodes in random order; again and again in the same memory. Keeps the
/// least of each step, without the first round, which takes fresh memory. @returns whether all nodes were freed
template <class Structure>
bool measure_reuse(std::size_t n, std::size_t rounds, Structure structure,
                   step_report<std::size(reuse_steps)>& report) {
    constexpr std::size_t walks = 4;
    constexpr std::size_t sum = std::size(reuse_steps) - 1;
    std::mt19937_64 random{11};
    std::size_t total = 0;
    for (std::size_t round = 0; round <= rounds; ++round) {
        const auto time = [&](std::size_t step, std::size_t operations, auto work) {
            const stopwatch watch;
            work();
            const phase p = watch.finish({}, operations);
            if (round <= 1 || p.cycles_per_operation < report.cycles[step]) {
                report.cycles[step] = p.cycles_per_operation;
                report.faults[step] = p.faults_per_operation;
            }
        };
        time(0, n, [&] { structure.build(); });
        time(1, walks * n, [&] {
            for (std::size_t i = 0; i != walks; ++i) {
                total += structure.walk();
                escape(&total);
            }
        });
        structure.shuffle(random);
        time(2, n, [&] { structure.release(); });
    }
    for (std::size_t step = 0; step != sum; ++step) {
        report.cycles[sum] += report.cycles[step];
        report.faults[sum] += report.faults[step];
    }
    report.elements = total;
    report.peak_bytes = peak_rss_bytes();
    return structure.empty();
}

} // namespace linn::tool::worker
