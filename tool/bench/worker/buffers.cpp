// SPDX-License-Identifier: Apache-2.0
#include "buffers.hpp"

#include "team.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace linn::tool::worker {
namespace {

/// Acquires `Held` buffers and releases them, again and again.
template <std::size_t Held, bool Fill, class Source>
[[gnu::noinline]] void held_loop(Source& source, std::size_t operations) {
    const auto use = [](auto& buffer) {
        escape(Source::data(buffer));
        if constexpr (Fill) {
            std::memset(Source::data(buffer), 0x5a, Source::bytes);
            escape(Source::data(buffer));
        }
    };
    for (std::size_t i = 0; i < operations; i += Held) {
        auto a = source.acquire();
        use(a);
        if constexpr (Held == 4) {
            auto b = source.acquire();
            use(b);
            auto c = source.acquire();
            use(c);
            auto d = source.acquire();
            use(d);
        }
    }
}

/// What a phase of buffers-held has: buffers of a thread in a pass, but not more than fit into so many ticks.
struct held_work {
    std::size_t buffers;
    double most_ticks;
};

template <std::size_t Held, class Source>
void add_held(outcome& result, const held_work& work, unsigned threads, const char* bytes) {
    const auto make = [] {
        return [source = Source{}](std::size_t n) mutable { held_loop<Held, false>(source, n); };
    };
    const std::size_t n = fitting_pairs(threads, work.buffers, work.most_ticks, make);
    const std::string name = std::string{Held == 4 ? "four" : "one"} + (threads == 2 ? "_two_" : "_") + bytes;
    add_passes(result, name, threads, (n + Held - 1) / Held * Held, make);
}

template <std::size_t Held, template <std::size_t> class Source>
void add_held_sizes(outcome& result, const held_work& work, unsigned threads) {
    add_held<Held, Source<std::size_t{64} << 10>>(result, work, threads, "64k");
    add_held<Held, Source<std::size_t{128} << 10>>(result, work, threads, "128k");
    add_held<Held, Source<std::size_t{256} << 10>>(result, work, threads, "256k");
    add_held<Held, Source<std::size_t{512} << 10>>(result, work, threads, "512k");
    add_held<Held, Source<std::size_t{1} << 20>>(result, work, threads, "1m");
    add_held<Held, Source<std::size_t{8} << 20>>(result, work, threads, "8m");
}

/// The scenario buffers-held for one way. Nothing is written except in the last phase: what is measured is the allocator, not
/// the memory.
template <template <std::size_t> class Source>
outcome run_held(const options& o) {
    const held_work work{o.scaled(50'000), rough_ticks(o, 12e6)};
    const idle_thread second; // or the C library leaves its locks out
    outcome result;
    result.work_check = work.buffers;
    for (const unsigned threads : {1u, 2u}) {
        add_held_sizes<1, Source>(result, work, threads);
        add_held_sizes<4, Source>(result, work, threads);
    }
    constexpr std::size_t lines = 16;
    add_passes(result, "four_filled_8m", 1, lines, [] {
        return [source = Source<std::size_t{8} << 20>{}](std::size_t n) mutable {
            held_loop<4, true>(source, n);
        };
    });
    return result;
}

template <std::size_t Bytes>
struct make_unique_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::make_unique<char[]>(Bytes); }
};

template <std::size_t Bytes>
struct for_overwrite_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::make_unique_for_overwrite<char[]>(Bytes); }
};

template <std::size_t Bytes>
struct unmap {
    void operator()(void* p) const noexcept { ::munmap(p, Bytes); }
};

/// What an allocator does that returns every large block to the system.
template <std::size_t Bytes>
struct mapping {
    using handle = std::unique_ptr<void, unmap<Bytes>>;
    static constexpr std::size_t bytes = Bytes;

    static handle acquire() {
        void* p = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        return handle{p};
    }
    static void* data(const handle& h) { return h.get(); }
};

constexpr variant all[] = {
    {"buffers", "new_array", &run_buffers<new_array>},
    {"buffers", "make_unique", &run_buffers<make_unique_array>},
    {"buffers", "make_unique_for_overwrite", &run_buffers<for_overwrite_array>},
    {"buffers", "make_shared", &run_buffers<make_shared_object>},
    {"buffers-held", "new_array", &run_held<new_array>},
    {"buffers", "mmap", &run_buffers<mapping>},
    {"buffers", "linn_buffer_pool", &run_buffers<pool_handle>},
    {"buffers", "linn_buffer_pool_shared", &run_buffers<pool_shared>},
    {"buffers-held", "linn_buffer_pool", &run_held<pool_handle>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
