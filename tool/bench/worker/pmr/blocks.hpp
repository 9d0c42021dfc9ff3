// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pmr.hpp"

#include <cstddef>
#include <random>

namespace linn::tool::worker {

/// Sizes as programs with nodes and strings have them: most below 100 bytes, some up to 2 KiB.
class program_sizes {
public:
    program_sizes() {
        std::mt19937_64 random{5};
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        for (std::size_t& bytes : bytes_) {
            const std::size_t kind = below(20);
            bytes = kind < 14 ? 8 + below(88) : kind < 19 ? 96 + below(400) : 500 + below(1'548);
        }
    }
    std::size_t operator[](std::size_t i) const noexcept { return bytes_[i % bytes_.size()]; }

private:
    std::array<std::size_t, 1'024> bytes_{};
};

/// Allocates `n` blocks and frees them in the same order, until `operations` went through.
[[gnu::noinline]] inline void fill_and_free(std::pmr::memory_resource& r, void** live, std::size_t n,
                                            std::size_t operations) {
    static const program_sizes sizes;
    for (std::size_t done = 0, k = 0; done < operations; done += n, ++k) {
        for (std::size_t i = 0; i != n; ++i) {
            live[i] = r.allocate(sizes[i + k], alignof(void*));
            escape(live[i]);
        }
        for (std::size_t i = 0; i != n; ++i) {
            r.deallocate(live[i], sizes[i + k], alignof(void*));
            escape(live);
        }
    }
}

/// The scenario pmr-blocks for one resource: blocks of mixed sizes by the number live, on one thread and on two. And a
/// resource that lives for one map: `Source::make()` returns a pointer to a new one.
template <class Source>
outcome run_pmr_blocks(const options& o) {
    struct load {
        const char* name;
        std::size_t live;
        std::size_t operations; // at the usual work
    };
    outcome result;
    for (const unsigned threads : {1u, 2u}) {
        for (const load& l :
             {load{"one", 1, 200'000}, load{"1000", 1'000, 200'000}, load{"100k", 100'000, 200'000}}) {
            const std::size_t alive = o.alive(l.live);
            const std::size_t operations = (o.scaled(l.operations) + alive - 1) / alive * alive;
            result.phases.push_back(measure_passes(
                l.name + std::string{threads == 1 ? "" : "_two"}, threads, operations, result.cpu_share,
                [alive] {
                    return [source = std::make_unique<Source>(),
                            live = std::make_unique<mapped_array<void*>>(alive)](std::size_t n) {
                        fill_and_free(source->get(), live->begin(), live->size(), n);
                        source->end_pass();
                    };
                }));
            result.work_check += operations;
        }
    }
    constexpr int elements_of_one = 100;
    result.phases.push_back(measure_passes(
        "short_lived", 1, o.scaled(50'000) / elements_of_one * elements_of_one + elements_of_one,
        result.cpu_share, [] {
            return [](std::size_t n) {
                for (std::size_t done = 0; done < n; done += elements_of_one) {
                    auto mine = Source::make();
                    std::pmr::map<int, int> c{&*mine};
                    for (int key = 0; key != elements_of_one; ++key) {
                        c.emplace(key, key);
                    }
                }
            };
        }));
    return result;
}

} // namespace linn::tool::worker
