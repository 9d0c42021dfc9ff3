// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"
#include "team.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>
#include <linn/zero_fill.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>

namespace linn::tool::worker {
namespace {

/// The object of the published table, without and with a constructor that does nothing.
template <std::size_t Bytes>
struct plain_block {
    char data[Bytes];
};
template <std::size_t Bytes>
struct constructed_block {
    char data[Bytes];
    constructed_block() {} // not defaulted: a user-provided constructor ends the zero fill
};

constexpr std::size_t small_bytes = 100;
constexpr std::size_t large_bytes = 100'000'000;
constexpr std::size_t line_bytes = std::size_t{8} << 20;

/// The published cache line of a database: room for a download, and what guards it.
struct plain_line {
    char data[line_bytes];
    std::mutex guard;
    std::atomic<std::size_t> size{0};
};
struct constructed_line {
    char data[line_bytes];
    std::mutex guard;
    std::atomic<std::size_t> size{0};
    constructed_line() {} // as above
};

/// What creates an object and lets it go, again and again; so many bytes of it are written in between. The escape stands between
/// the hidden fill and the wanted one, since compilers make one of two that follow each other.
template <class Way, class T, std::size_t Filled = 0>
auto creates() {
    return [create = Way::template maker<T>()](std::size_t operations) mutable {
        for (std::size_t i = 0; i != operations; ++i) {
            auto h = create();
            void* p = h.get();
            escape(p);
            if constexpr (Filled != 0) {
                std::memset(p, static_cast<int>(i % 255) + 1, Filled);
                escape(p);
            }
        }
    };
}

/// Threads for "all cores": each has an object of 100 MB, and half of the free memory must do.
unsigned threads_for_large() {
    const auto fitting =
        static_cast<unsigned>(proc_bytes("/proc/meminfo", "MemAvailable:") / 2 / large_bytes);
    return std::max(1u, std::min(usable_cpus(), fitting));
}

/// The scenario zero-fill for one way: `Way::maker<T>()` returns what makes an object of one of the types and returns what holds
/// it. A pool of pages has no business with 100 bytes: `Way::has_small` is false.
template <class Way, template <std::size_t> class Block = plain_block, class Line = plain_line>
outcome run_zero_fill(const options& o) {
    const std::size_t small_count = o.scaled(200'000);
    const std::size_t large_count = o.scaled(4);
    const std::size_t line_count = o.scaled(8);
    outcome result;
    result.work_check = small_count + line_count;

    if constexpr (Way::has_small) {
        using small = Block<small_bytes>;
        add_passes(result, "small", 1, small_count, creates<Way, small>);
        add_passes(result, "small_memset", 1, small_count, creates<Way, small, small_bytes>);
    } else {
        result.phases.push_back({"small", 0, 0, {}});
        result.phases.push_back({"small_memset", 0, 0, {}});
    }
    // One pass over fresh objects, as published: one that warms up would only take longer.
    using large = Block<large_bytes>;
    const unsigned threads = threads_for_large();
    add_passes(result, "large", 1, large_count, creates<Way, large>, one_cold_pass);
    add_passes(result, "large_memset", 1, large_count, creates<Way, large, large_bytes>, one_cold_pass);
    add_passes(result, "large_all_cores", threads, large_count, creates<Way, large, large_bytes>,
               one_cold_pass);
    result.phases.back().metrics.emplace_back("threads", threads);

    add_passes(result, "line", 1, line_count, creates<Way, Line>);
    add_passes(result, "line_memset", 1, line_count, creates<Way, Line, line_bytes>);
    return result;
}

struct make_shared_way {
    static constexpr bool has_small = true;
    template <class T>
    static auto maker() {
        return [] { return std::make_shared<T>(); };
    }
};

struct for_overwrite_way {
    static constexpr bool has_small = true;
    template <class T>
    static auto maker() {
        return [] { return std::make_shared_for_overwrite<T>(); };
    }
};

struct linn_for_overwrite_way {
    static constexpr bool has_small = true;
    template <class T>
    static auto maker() {
        return [] { return linn::make_shared_for_overwrite<T>(); };
    }
};

/// Objects that stay constructed; one recycler a type for all threads.
struct linn_recycler_way {
    static constexpr bool has_small = true;
    template <class T>
    static auto maker() {
        static linn::recycler<T>& source = *new linn::recycler<T>{{.capacity = 64}};
        return [] { return source.acquire_shared(); };
    }
};

/// Raw buffers of the same sizes.
struct linn_buffer_pool_way {
    static constexpr bool has_small = false;
    template <class T>
    static auto maker() {
        static linn::buffer_pool& source = *new linn::buffer_pool{sizeof(T::data)};
        return [] { return source.acquire_shared(); };
    }
};

/// The first variant also says what the library finds in the types.
outcome run_for_overwrite(const options& o) {
    outcome result = run_zero_fill<linn_for_overwrite_way>(o);
    for (phase& p : result.phases) {
        if (p.name == "line") {
            p.metrics = {{"fill_bytes", static_cast<double>(linn::value_initialization_fill<plain_line>())},
                         {"fill_bytes_constructor",
                          static_cast<double>(linn::value_initialization_fill<constructed_line>())}};
        }
    }
    return result;
}

constexpr variant all[] = {
    {"zero-fill", "make_shared", &run_zero_fill<make_shared_way>},
    {"zero-fill", "make_shared_constructor",
     &run_zero_fill<make_shared_way, constructed_block, constructed_line>},
    {"zero-fill", "make_shared_for_overwrite", &run_zero_fill<for_overwrite_way>},
    {"zero-fill", "linn_make_shared_for_overwrite", &run_for_overwrite},
    {"zero-fill", "linn_recycler", &run_zero_fill<linn_recycler_way>},
    {"zero-fill", "linn_buffer_pool", &run_zero_fill<linn_buffer_pool_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
