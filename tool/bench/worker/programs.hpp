// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>

namespace linn::tool::worker {

/// Each thread picks one of its places at random, where it frees the block, if there is one, and allocates another. How frequent a
/// size is falls with its square. Each frees its own. Without `Refills`, a place whose block was freed stays empty until it is
/// picked again.
template <std::uint32_t Places, std::uint32_t Least, std::uint32_t Most, bool Refills>
struct random_places {
    static constexpr std::size_t usual_operations = Refills ? 4'000'000 : 3'000'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * Places};
        const std::size_t steps = plan.operations * (Refills ? 1 : 2);
        return run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            block* const own = &blocks[std::size_t{index} * Places];
            for (std::size_t i = 0; i != steps; ++i) {
                block& b = own[random.below(Places)];
                const std::uint32_t bytes = random.inverse_square(Least, Most);
                const bool is_full = b.at != nullptr;
                if (is_full) {
                    user.give(b);
                }
                b = Refills || !is_full ? user.take(bytes) : block{};
            }
            user.give_all({own, Places});
        });
    }
};

/// @source glibc: benchtests, bench-malloc-thread, as described
using glibc_thread = random_places<1'024, 4, 32'768, true>;
/// @source Ignatchenko: testing memory allocators (alloc-test), as described
using alloc_test = random_places<16'384, 8, 1'024, false>;

/// The main thread makes an object of one byte for each thread, which frees it, and then allocates such an object again and
/// again, writes it many times and frees it. An allocator that gives two threads neighbours makes them fight for a cache line.
/// @source Berger, McKinley, Blumofe, Wilson: Hoard, ASPLOS 2000
struct cache_scratch {
    static constexpr std::size_t usual_operations = 100'000'000; ///< writes
    static constexpr std::size_t objects = 100;

    template <class Memory>
    static tally run(const work_plan& plan) {
        memory_user<Memory> main;
        mapped_array<block> first{plan.threads};
        for (block& b : first) {
            b = main.take(1);
        }
        const std::size_t writes = std::max<std::size_t>(1, plan.operations / objects);
        tally all = run_users<Memory>(plan.threads, [&](auto& user, random_numbers&, unsigned index) {
            user.give(first[index]);
            for (std::size_t i = 0; i != objects; ++i) {
                const block b = user.take(1);
                auto* const byte = static_cast<volatile unsigned char*>(b.at);
                const unsigned char mark = *byte;
                for (std::size_t w = 0; w != writes; ++w) {
                    *byte = static_cast<unsigned char>(*byte + 1);
                }
                user.counts.damaged += *byte != static_cast<unsigned char>(mark + writes) ? 1U : 0U;
                *byte = mark;
                user.give(b);
            }
            user.counts.operations = objects * writes;
        });
        return all += main.counts;
    }
};

/// How sh6bench and sh8bench allocate: step by step 64 blocks of one size, small ones more often than large ones.
struct sh_steps {
    static constexpr std::size_t a_step = 64;
    static constexpr std::size_t kept =
        a_step / 2; ///< of a step; the others are freed at once, the last one first

    /// 1 to 1000 bytes, half of them less than 250.
    static std::uint32_t size(random_numbers& random) noexcept {
        const std::uint64_t u = random.below(1'000);
        return static_cast<std::uint32_t>(1 + u * u / 1'000);
    }

    /// Allocates a step and frees its second half; `first[0 … kept)` stay.
    template <class Memory>
    static void allocate(memory_user<Memory>& user, std::uint32_t bytes, block* first) {
        block rest[a_step - kept];
        for (std::size_t i = 0; i != kept; ++i) {
            first[i] = user.take(bytes);
        }
        for (block& b : rest) {
            b = user.take(bytes);
        }
        for (std::size_t i = std::size(rest); i != 0; --i) {
            user.give(rest[i - 1]);
        }
    }
};

/// Steps of small blocks: half of each are freed at once in reverse order, the others later in the order of allocation, when
/// 128 steps have passed. Each thread frees what it allocated itself.
/// @source MicroQuill: sh6bench, as described
struct sh6bench {
    static constexpr std::size_t usual_operations = 5'000'000;
    static constexpr std::size_t window = 128; ///< steps

    template <class Memory>
    static tally run(const work_plan& plan) {
        constexpr std::size_t held = window * sh_steps::kept;
        mapped_array<block> blocks{plan.threads * held};
        const std::size_t steps = std::max<std::size_t>(1, plan.operations / sh_steps::a_step);
        return run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            block* const own = &blocks[index * held];
            for (std::size_t step = 0; step != steps; ++step) {
                block* const oldest = own + step % window * sh_steps::kept;
                user.give_all({oldest, sh_steps::kept});
                sh_steps::allocate(user, sh_steps::size(random), oldest);
            }
            user.give_all({own, held});
        });
    }
};

/// A server whose threads come and go: each owns 5000 blocks, of which it frees one at random and allocates another of 8 to
/// 1000 bytes. After 500 000 rounds it ends, and a successor inherits its blocks. So threads free what threads
/// allocated that are gone, and in the beginning what the main thread allocated.
/// @source Larson, Krishnan: Memory Allocation for Long-Running Server Applications, ISMM 1998
struct larson {
    static constexpr std::size_t usual_operations = 2'500'000;
    static constexpr std::uint32_t slots = 5'000;
    static constexpr std::size_t rounds_of_a_life = 500'000;
    static constexpr std::uint32_t least = 8;
    static constexpr std::uint32_t most = 1'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * slots};
        memory_user<Memory> main;
        random_numbers first{0};
        for (block& b : blocks) {
            b = main.take(first.between(least, most));
        }
        tally all = run_crew(plan.threads, [&](unsigned index) {
            tally sum;
            std::uint64_t life = 0;
            for (std::size_t left = plan.operations; left != 0; ++life) {
                const std::size_t rounds = std::min(left, rounds_of_a_life);
                std::thread{[&] {
                    sum += live<Memory>(&blocks[std::size_t{index} * slots], rounds, index, life);
                }}.join();
                left -= rounds;
            }
            return sum;
        });
        for (const block& b : blocks) {
            main.give(b);
        }
        return all += main.counts;
    }

private:
    template <class Memory>
    static tally live(block* own, std::size_t rounds, unsigned index, std::uint64_t life) {
        memory_user<Memory> user;
        random_numbers random{(life << 32) + index + 1};
        for (std::size_t i = 0; i != rounds; ++i) {
            block& b = own[random.below(slots)];
            user.give(b);
            b = user.take(random.between(least, most));
        }
        user.counts.operations = rounds;
        return user.counts;
    }
};

/// Rounds of threads that allocate blocks of 1 to 128 words, one in a hundred a hundred times as large, and fill them. A
/// quarter is kept until the thread ends; of the others it frees one at random in two steps of three, and swaps one
/// in four steps with a place of an array that all threads share: any thread may free it.
/// @source Leijen: test-stress of mimalloc, as described
struct mstress {
    static constexpr std::size_t usual_operations = 600'000;
    static constexpr std::size_t blocks_of_a_life = 20'000;
    static constexpr std::uint32_t transfers = 1'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        shared_places shared{transfers};
        mapped_array<std::uint64_t*> places{plan.threads * blocks_of_a_life * 2};
        memory_user<Memory> main;
        tally all;
        for (std::size_t left = plan.operations, life = 0; left != 0; ++life) {
            const std::size_t blocks = std::min(left, blocks_of_a_life);
            all += run_crew(plan.threads, [&](unsigned index) {
                return live<Memory>(&places[index * blocks_of_a_life * 2], shared, blocks,
                                    (life << 32) + index);
            });
            for (auto& place : shared) {
                free_words(main, place.exchange(nullptr, std::memory_order_relaxed)); // the threads are gone
            }
            left -= blocks;
        }
        return all += main.counts;
    }

private:
    using shared_places =
        mapped_array<std::atomic<std::uint64_t*>>; // null in the beginning, as mapped pages are
    static constexpr std::uint64_t cookie = 0xbf58476d1ce4e5b9u;

    template <class Memory>
    static tally live(std::uint64_t** places, shared_places& shared, std::size_t blocks, std::uint64_t seed) {
        memory_user<Memory> user;
        random_numbers random{seed + 1};
        std::uint64_t** const kept = places + blocks_of_a_life;
        std::size_t kept_count = 0;
        std::size_t count = 0;
        std::size_t to_keep = blocks / 4;
        for (std::size_t to_use = blocks - to_keep; to_use + to_keep != 0;) {
            // Every step draws as often, regardless of the other threads.
            const std::uint64_t choice = random.next();
            const std::uint32_t words = random.between(1, 128) * (choice % 100 == 0 ? 100 : 1);
            const std::uint32_t which = random.below(1u << 30);
            if (to_keep == 0 || (to_use != 0 && choice >> 63 != 0)) {
                places[count++] = filled(user, words);
                --to_use;
            } else {
                kept[kept_count++] = filled(user, words);
                --to_keep;
            }
            if ((choice >> 32) % 100 < 66 && count != 0) {
                std::uint64_t*& freed = places[which % count];
                free_words(user, freed);
                freed = places[--count];
            }
            if ((choice >> 16) % 4 == 0 && count != 0) {
                std::uint64_t*& own = places[(which >> 10) % count];
                // acq_rel: what the other thread wrote in the block is visible to the one that frees it
                own = shared[(choice >> 8) % transfers].exchange(own, std::memory_order_acq_rel);
                if (own == nullptr) {
                    own = places[--count];
                }
            }
        }
        while (count != 0) {
            free_words(user, places[--count]);
        }
        while (kept_count != 0) {
            free_words(user, kept[--kept_count]);
        }
        user.counts.operations = blocks;
        return user.counts;
    }

    /// A block with its size in the first word and a pattern in the others.
    template <class Memory>
    static std::uint64_t* filled(memory_user<Memory>& user, std::uint32_t words) {
        auto* p = reinterpret_cast<std::uint64_t*>(user.take_unmarked(words * 8).at);
        p[0] = words ^ cookie;
        for (std::uint32_t i = 1; i != words; ++i) {
            p[i] = (words - i) ^ cookie;
        }
        return p;
    }

    template <class Memory>
    static void free_words(memory_user<Memory>& user, std::uint64_t* p) {
        if (p == nullptr) {
            return;
        }
        const auto words = static_cast<std::uint32_t>(p[0] ^ cookie);
        bool whole = words <= 12'800;
        for (std::uint32_t i = 1; whole && i != words; ++i) {
            whole = p[i] == ((words - i) ^ cookie);
        }
        if (!whole) { // its size cannot be believed: better lost than freed
            ++user.counts.damaged;
            return;
        }
        p[0] = 0;
        user.give_unmarked({reinterpret_cast<unsigned char*>(p), words * 8});
    }
};

/// Each thread holds 1000 blocks of 8 to 16 000 bytes, the larger the rarer. In a loop it frees 100 of them, scattered, and
/// allocates as many again; in every second loop it hands 100 more to another thread, which frees them. So a third of
/// the blocks is freed by others.
/// @source Jansson: rpmalloc-benchmark, as described
struct rptest {
    static constexpr std::size_t usual_operations = 1'200'000;
    static constexpr std::uint32_t slots = 1'000;
    static constexpr std::uint32_t a_loop = 100;
    static constexpr std::uint32_t stride = 37; ///< has no factor in common with `slots`
    static constexpr std::uint32_t least = 8;
    static constexpr std::uint32_t most = 16'000;

    template <class Memory>
    static tally run(const work_plan& plan) {
        mapped_array<block> blocks{std::size_t{plan.threads} * slots};
        mapped_array<mailbox> mail{plan.threads};
        // Two loops allocate three hundred blocks, and the memory of a parcel.
        const std::size_t loops = std::max<std::size_t>(2, 2 * plan.operations / (3 * a_loop));
        tally all = run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            work(user, random, &blocks[std::size_t{index} * slots], mail, index, loops);
        });
        memory_user<Memory> main;
        for (mailbox& box : mail) {
            empty(main, box);
        }
        return all += main.counts;
    }

private:
    using blocks_for_another = parcel<a_loop>;
    struct alignas(128) mailbox {
        std::atomic<blocks_for_another*> first;
    };

    template <class Memory>
    static void work(memory_user<Memory>& user, random_numbers& random, block* own,
                     mapped_array<mailbox>& mail, unsigned index, std::size_t loops) {
        const auto size = [&] { return random.falling(least, most); };
        for (std::uint32_t i = 0; i != slots; ++i) {
            own[i] = user.take(size());
        }
        for (std::size_t loop = 0; loop != loops; ++loop) {
            empty(user, mail[index]);
            std::uint32_t place = random.below(slots);
            for (std::uint32_t i = 0; i != a_loop; ++i, place = (place + stride) % slots) {
                user.give(own[place]);
                own[place] = user.take(size());
            }
            const std::size_t others = mail.size() - 1;
            const std::size_t to = index + (others == 0 ? 0 : 1 + random.next() % others);
            if (loop % 2 != 0) {
                send(blocks_for_another::fill(user, size), mail[to % mail.size()]);
            }
        }
        user.give_all({own, slots});
    }

    static void send(blocks_for_another* p, mailbox& to) {
        p->next = to.first.load(std::memory_order_relaxed);
        // release: pairs with the acquire in empty, publishes the parcel and what its blocks hold
        while (
            !to.first.compare_exchange_weak(p->next, p, std::memory_order_release, std::memory_order_relaxed))
            ;
    }

    template <class Memory>
    static void empty(memory_user<Memory>& user, mailbox& box) {
        // acquire: pairs with the release in send
        for (auto* p = box.first.exchange(nullptr, std::memory_order_acquire); p != nullptr;) {
            blocks_for_another* const next = p->next;
            p->empty(user);
            p = next;
        }
    }
};

/// As sh6bench, but what a thread keeps of a step it swaps for what some thread kept of an earlier one, and frees that: blocks
/// migrate between threads.
/// @source MicroQuill: sh8bench, as described
struct sh8bench {
    static constexpr std::size_t usual_operations = 5'000'000;
    static constexpr std::size_t shared_steps = 128; ///< for each thread

    template <class Memory>
    static tally run(const work_plan& plan) {
        const std::size_t places = shared_steps * plan.threads;
        mapped_array<group> groups{places + plan.threads};
        mapped_array<std::atomic<group*>> shared{places};
        for (std::size_t i = 0; i != places; ++i) {
            shared[i].store(&groups[i], std::memory_order_relaxed);
        }
        const std::size_t steps = std::max<std::size_t>(1, plan.operations / sh_steps::a_step);
        tally all = run_users<Memory>(plan.threads, [&](auto& user, random_numbers& random, unsigned index) {
            group* own = &groups[places + index];
            for (std::size_t step = 0; step != steps; ++step) {
                sh_steps::allocate(user, sh_steps::size(random), own->blocks);
                const std::size_t to = random.below(static_cast<std::uint32_t>(places));
                // acq_rel: what is in the group, and in its blocks, is visible to the thread that takes it
                own = shared[to].exchange(own, std::memory_order_acq_rel);
                user.give_all(own->blocks);
            }
        });
        memory_user<Memory> main;
        for (group& g : groups) {
            main.give_all(g.blocks);
        }
        return all += main.counts;
    }

private:
    struct alignas(128) group {
        block blocks[sh_steps::kept];
    };
};

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
        const bool is_alone = plan.threads == 1;
        stack between{producers * batches};
        return run_crew(is_alone ? 1 : static_cast<unsigned>(2 * producers), [&](unsigned index) {
            memory_user<Memory> user;
            if (index % 2 == 0) {
                for (std::size_t i = 0; i != batches; ++i) {
                    batch* const b = batch::fill(user, [] { return block_bytes; });
                    is_alone ? consume(user, b) : between.push(b);
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
    using batch = parcel<blocks_of_a_batch>;

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
    static void consume(memory_user<Memory>& user, batch* b) {
        user.counts.operations += blocks_of_a_batch;
        b->empty(user);
    }
};

} // namespace linn::tool::worker
