// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"
#include "team.hpp"

#include <linn/allocator.hpp>
#include <linn/recycler.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace linn::tool::worker {
namespace {

/// What a request, a row or a packet with its parsed fields looks like: it owns two buffers.
template <std::size_t Bytes>
struct message {
    std::vector<unsigned char> payload;
    std::string from;

    void fill() {
        payload.assign(Bytes, 7);
        from.assign(100, 'x');
    }
    void clear() noexcept {
        payload.clear();
        from.clear();
    }
};

/// A message as a program makes it without a recycler.
template <std::size_t Bytes>
struct filled_message : message<Bytes> {
    filled_message() { this->fill(); }
};

/// The scenario recycled for one way: `Way<Bytes>` makes a message and lets it go, with `operator()`. In a process with one
/// thread, with an idle one next to it, and on two: the standard library counts without locked instructions until there is a second.
template <template <std::size_t> class Way>
outcome run_recycled(const options& o) {
    const std::size_t operations = o.scaled(40'000);
    outcome result;
    result.work_check = operations;
    const auto add = [&](const char* state, unsigned threads) {
        const auto measure = [&]<std::size_t Bytes> {
            add_passes(result, std::string{state} + '_' + std::to_string(Bytes), threads, operations, [] {
                return [way = Way<Bytes>{}](std::size_t n) mutable {
                    for (std::size_t i = 0; i != n; ++i) {
                        way();
                    }
                };
            });
        };
        measure.template operator()<1500>();
        measure.template operator()<400>();
    };
    add("single", 1);
    const idle_thread second;
    add("multi", 1);
    add("two", 2);
    return result;
}

template <std::size_t Bytes>
struct make_shared_message {
    void operator()() const { escape(std::make_shared<filled_message<Bytes>>().get()); }
};

/// Room for one control block, without a check whether it is free.
template <class Block>
struct one_block {
    using value_type = Block;

    one_block() noexcept = default;
    template <class Other>
    one_block(const one_block<Other>& /* stateless */) noexcept {}

    Block* allocate(std::size_t) noexcept {
        alignas(std::max_align_t) static thread_local std::byte room[sizeof(Block)];
        return reinterpret_cast<Block*>(room);
    }
    void deallocate(Block*, std::size_t) noexcept {}
    friend bool operator==(const one_block&, const one_block&) noexcept { return true; }
};

/// What the standard library itself does to make and release a shared_ptr.
template <std::size_t Bytes>
struct control_block {
    void operator()() const {
        static thread_local filled_message<Bytes> object;
        const auto keep = [](filled_message<Bytes>*) {};
        escape(
            std::shared_ptr<filled_message<Bytes>>{&object, keep, one_block<filled_message<Bytes>>{}}.get());
    }
};

/// One for all threads, as a program would have it.
template <class Message>
recycler<Message>& messages() {
    static auto& all = *new recycler<Message>;
    return all;
}

template <std::size_t Bytes>
struct acquire_shared {
    recycler<filled_message<Bytes>>& from = messages<filled_message<Bytes>>();
    void operator()() const { escape(from.acquire_shared().get()); }
};

template <std::size_t Bytes>
struct acquire {
    recycler<filled_message<Bytes>>& from = messages<filled_message<Bytes>>();
    void operator()() const { escape(from.acquire().get()); }
};

/// Clears the message when it comes back, and fills it at each use.
template <std::size_t Bytes>
struct acquire_and_fill {
    static recycler<message<Bytes>>& empty_messages() {
        static auto& all = *new recycler<message<Bytes>>{{.reset = [](message<Bytes>& m) { m.clear(); }}};
        return all;
    }

    recycler<message<Bytes>>& from = empty_messages();
    void operator()() const {
        const std::shared_ptr<message<Bytes>> m = from.acquire_shared();
        m->fill();
        escape(m.get());
    }
};

template <std::size_t Bytes>
struct allocate_shared_message {
    void operator()() const {
        using type = filled_message<Bytes>;
        escape(std::allocate_shared<type>(allocator<type>{}).get());
    }
};

constexpr variant all[] = {
    {"recycled", "make_shared", &run_recycled<make_shared_message>},
    {"recycled", "control_block", &run_recycled<control_block>},
    {"recycled", "linn_recycler_shared", &run_recycled<acquire_shared>},
    {"recycled", "linn_recycler_filled", &run_recycled<acquire_and_fill>},
    {"recycled", "linn_recycler", &run_recycled<acquire>},
    {"recycled", "linn_allocate_shared", &run_recycled<allocate_shared_message>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
