// SPDX-License-Identifier: Apache-2.0
#include "linn_sources.hpp"
#include "measure.hpp"
#include "team.hpp"

#include <linn/buffer_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace linn::tool::worker {
namespace {

constexpr std::size_t size_count = 20; // 1, 2, 4 … 524 288 bytes
constexpr std::size_t published_pairs = 1'048'576;
/// What one size may take at the usual work: some allocators need milliseconds a pair for large blocks.
constexpr double most_ns = 100e6;
/// Smaller blocks are written within the noise.
constexpr std::size_t least_touched = 4'096;

/// Takes a block, writes every byte of it and gives it back at once.
template <class Source>
void touched_loop(Source& source, std::size_t pairs, std::size_t bytes) {
    for (std::size_t i = 0; i != pairs; ++i) {
        void* p = source.take();
        escape(p);
        std::memset(p, static_cast<int>(i % 255) + 1, bytes);
        escape(p);
        source.give(p);
    }
}

/// One run of the scenario sizes: collects the phases of one way.
template <class Way>
class sizes_run {
public:
    explicit sizes_run(const options& o)
        : wanted_{std::max<std::size_t>(1, o.scaled(published_pairs) / passes{}.count)},
          bound_{rough_ticks(o, most_ns)} {
        result_.work_check = wanted_;
    }

    outcome perform() {
        all_sizes<1>(std::make_index_sequence<size_count>{});
        all_sizes<2>(std::make_index_sequence<size_count>{});
        // A mean: an interrupt in one of many short phases is no disturbance of the sample.
        result_.cpu_share = measured_ == 0 ? 1 : shares_ / measured_;
        return std::move(result_);
    }

private:
    template <unsigned Threads, std::size_t... Log2>
    void all_sizes(std::index_sequence<Log2...>) {
        (one_size<Threads, std::size_t{1} << Log2>(), ...);
    }

    template <unsigned Threads, std::size_t Bytes>
    void one_size() {
        std::string name = std::to_string(Bytes) + (Threads == 1 ? "" : "_two");
        if constexpr (Bytes < Way::least || Bytes > Way::most) {
            result_.phases.push_back({std::move(name), 0, 0, {}});
        } else {
            using source = typename Way::template source<Bytes>;
            const auto pairs = [] { return [s = source{}](std::size_t n) mutable { pair_loop(s, n); }; };
            phase p = measure(std::move(name), Threads, bound_, pairs);
            if constexpr (Threads == 1 && Bytes >= least_touched) {
                const auto touched = [] {
                    return [s = source{}](std::size_t n) mutable { touched_loop(s, n, Bytes); };
                };
                const phase t = measure({}, 1, bound_ / 4, touched);
                p.metrics.emplace_back("touched_cycles", t.cycles_per_operation);
                p.metrics.emplace_back("touched_faults", t.faults_per_operation);
            }
            result_.phases.push_back(std::move(p));
        }
    }

    template <class Make>
    phase measure(std::string name, unsigned threads, double bound, const Make& make) {
        double share = 1;
        const std::size_t pairs = fitting_pairs(threads, wanted_, bound, make);
        phase p = measure_passes(std::move(name), threads, pairs, share, make);
        shares_ += share;
        ++measured_;
        return p;
    }

    std::size_t wanted_; // pairs of a pass
    double bound_;       // ticks that a size may take
    outcome result_;
    double shares_ = 0;
    double measured_ = 0;
};

/// The scenario sizes for one way: `Way::least` and `Way::most` are the sizes that it serves, `Way::source<Bytes>`
/// hands out blocks of one size.
template <class Way>
outcome run_sizes(const options& o) {
    return sizes_run<Way>{o}.perform();
}

/// As published: an array of char, of a size that the compiler does not know.
struct new_array {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    struct source {
        std::size_t bytes = Bytes;

        source() noexcept { asm volatile("" : "+r"(bytes)); }
        void* take() const { return new char[bytes]; }
        static void give(void* p) noexcept { delete[] static_cast<char*>(p); }
    };
};

struct object_pool {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    using source = pool_source<Bytes>;
};

/// Larger blocks it passes on.
struct resource {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{128} << 10;

    template <std::size_t Bytes>
    using source = resource_source<Bytes>;
};

/// A pool of buffers of that size.
struct buffers {
    static constexpr std::size_t least = std::size_t{64} << 10;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    struct source {
        buffer_pool* from = &shared();
        buffer held{};

        static buffer_pool& shared() {
            static buffer_pool& pool = *new buffer_pool{Bytes};
            return pool;
        }
        void* take() {
            held = from->acquire();
            return held.data();
        }
        void give(void*) noexcept { held.reset(); }
    };
};

constexpr variant all[] = {
    {"sizes", "new_delete", &run_sizes<new_array>},
    {"sizes", "linn_pool", &run_sizes<object_pool>},
    {"sizes", "linn_pool_resource", &run_sizes<resource>},
    {"sizes", "linn_buffer_pool", &run_sizes<buffers>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
