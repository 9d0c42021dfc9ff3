// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>

namespace linn::tool::worker {

/// Producers allocate blocks of 64 bytes, consumers free them. They pass in batches of 4096 through a stack of at most 100
/// batches behind a mutex. One thread alone frees each batch itself.
/// @source Lever, Boreham: malloc() Performance in a Multithreaded Linux Environment, USENIX 2000; xmalloc-test, as described
struct xmalloc_test {
    static constexpr std::size_t usual_operations = 4'000'000;
    static constexpr std::uint32_t block_bytes = 64;
    static constexpr std::size_t blocks_of_a_batch = 4'096;
    static constexpr std::size_t most_batches = 100;

    template <class Memory>
    static tally run(const work_plan& plan) {
        const std::size_t producers = std::max(1u, plan.threads / 2);
        const std::size_t wanted = plan.operations * plan.threads / producers;
        const std::size_t batches = std::max<std::size_t>(1, wanted / blocks_of_a_batch);
        if (plan.threads == 1) {
            return run_crew(1, [&](unsigned) {
                memory_user<Memory> user;
                for (std::size_t i = 0; i != batches; ++i) {
                    consume(user, produce(user));
                }
                return user.counts;
            });
        }
        stack between{producers * batches};
        return run_crew(static_cast<unsigned>(2 * producers), [&](unsigned index) {
            memory_user<Memory> user;
            if (index % 2 == 0) {
                for (std::size_t i = 0; i != batches; ++i) {
                    between.push(produce(user));
                }
            } else {
                while (batch* b = between.pop()) {
                    consume(user, b);
                }
            }
            return user.counts;
        });
    }

private:
    struct batch {
        block blocks[blocks_of_a_batch];
        batch* next;
        block self;
    };

    /// Of batches, last in, first out.
    class stack {
    public:
        explicit stack(std::size_t batches) : to_come_{batches} {}

        void push(batch* b) {
            std::unique_lock lock{mutex_};
            not_full_.wait(lock, [this] { return size_ != most_batches; });
            b->next = top_;
            top_ = b;
            ++size_;
            not_empty_.notify_one();
        }

        /// Null when all have come.
        batch* pop() {
            std::unique_lock lock{mutex_};
            not_empty_.wait(lock, [this] { return size_ != 0 || to_come_ == 0; });
            if (size_ == 0) {
                return nullptr;
            }
            batch* const b = top_;
            top_ = b->next;
            --size_;
            not_full_.notify_one();
            if (--to_come_ == 0) {
                not_empty_.notify_all();
            }
            return b;
        }

    private:
        std::mutex mutex_;
        std::condition_variable not_full_;
        std::condition_variable not_empty_;
        batch* top_ = nullptr;
        std::size_t size_ = 0;
        std::size_t to_come_;
    };

    template <class Memory>
    static batch* produce(memory_user<Memory>& user) {
        const block memory = user.take_unmarked(sizeof(batch));
        batch* const b = new (memory.at) batch;
        b->self = memory;
        for (block& one : b->blocks) {
            one = user.take(block_bytes);
        }
        return b;
    }

    template <class Memory>
    static void consume(memory_user<Memory>& user, batch* b) {
        for (const block& one : b->blocks) {
            user.give(one);
        }
        user.counts.operations += blocks_of_a_batch;
        user.give_unmarked(b->self);
    }
};

} // namespace linn::tool::worker
