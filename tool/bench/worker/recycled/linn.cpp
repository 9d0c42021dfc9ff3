// SPDX-License-Identifier: Apache-2.0
#include "recycled.hpp"

#include <linn/allocator.hpp>
#include <linn/recycler.hpp>

#include <memory>

namespace linn::tool::worker {
namespace {

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
    {"recycled", "linn_recycler_shared", &run_recycled<acquire_shared>},
    {"recycled", "linn_recycler_filled", &run_recycled<acquire_and_fill>},
    {"recycled", "linn_recycler", &run_recycled<acquire>},
    {"recycled", "linn_allocate_shared", &run_recycled<allocate_shared_message>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
