// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/event.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace replay_test {

/// Random requests of several threads as a trace has them, with a heap that reuses addresses at once: blocks that other
/// threads release or reallocate, threads that begin late, and everything that an allocation can be asked for.
struct random_events {
    unsigned threads = 4;
    std::size_t events = 20'000;
    std::uint64_t seed = 1;
    double remote = 0.3; ///< share of releases by another thread than the one that allocated
    std::uint64_t most_bytes = 3000;

    std::vector<linn::tool::event> make() const {
        using namespace linn::tool;
        std::mt19937_64 random{seed};
        const auto below = [&](std::uint64_t n) { return random() % n; };
        struct block {
            std::uint64_t address;
            unsigned thread;
            bool is_new;
        };
        std::vector<block> live;
        std::vector<std::uint64_t> free_addresses;
        std::uint64_t next_address = 0x5000'0000;
        const auto take_address = [&] {
            if (free_addresses.empty()) {
                return next_address += 4096;
            }
            const std::uint64_t address = free_addresses.back();
            free_addresses.pop_back();
            return address;
        };
        std::vector<event> list;
        while (list.size() < events) {
            event e;
            e.time = list.size() * 10;
            // Threads come one after another.
            const unsigned known =
                1 + static_cast<unsigned>(list.size() * 2 * threads / (events + 1)) % (threads + 1);
            const unsigned begun =
                std::min(threads, std::max(known, list.size() * 2 > events ? threads : known));
            e.thread = static_cast<std::uint32_t>(below(begun));
            e.stack = static_cast<std::uint32_t>(1 + below(5));
            e.bytes = below(100) == 0  ? below(most_bytes * 40)
                      : below(10) == 0 ? below(most_bytes)
                                       : below(120);
            const std::uint64_t what = below(100);
            if (what < 48 || live.empty()) {
                e.address = take_address();
                constexpr allocation_call calls[] = {allocation_call::malloc,
                                                     allocation_call::calloc,
                                                     allocation_call::aligned,
                                                     allocation_call::operator_new,
                                                     allocation_call::operator_new,
                                                     allocation_call::operator_new_array,
                                                     allocation_call::operator_new_aligned,
                                                     allocation_call::operator_new_array_aligned};
                e.call = calls[below(std::size(calls))];
                const bool is_aligned = e.call == allocation_call::aligned ||
                                        e.call == allocation_call::operator_new_aligned ||
                                        e.call == allocation_call::operator_new_array_aligned;
                e.alignment_log2 = is_aligned ? static_cast<std::uint8_t>(4 + below(6)) : std::uint8_t{0};
                const bool is_new = e.call >= allocation_call::operator_new;
                live.push_back({e.address, e.thread, is_new});
            } else {
                const std::size_t i = below(live.size());
                block& b = live[i];
                if (static_cast<double>(below(1000)) >= remote * 1000) {
                    e.thread = b.thread;
                }
                if (what < 56 && !b.is_new) {
                    e.kind = event_kind::reallocation;
                    e.call = allocation_call::realloc;
                    e.old_address = b.address;
                    free_addresses.push_back(b.address);
                    e.address = below(2) == 0 ? b.address : take_address();
                    if (e.address == b.address) {
                        std::erase(free_addresses, b.address);
                    }
                    b.address = e.address;
                    b.thread = e.thread;
                } else {
                    e.kind = event_kind::release;
                    e.call = b.is_new ? allocation_call::operator_delete : allocation_call::free;
                    e.address = b.address;
                    e.bytes = 0;
                    free_addresses.push_back(b.address);
                    live[i] = live.back();
                    live.pop_back();
                }
            }
            list.push_back(e);
        }
        return list;
    }
};

} // namespace replay_test
