// SPDX-License-Identifier: Apache-2.0
#include "recycled.hpp"

#include <cstddef>
#include <memory>

namespace linn::tool::worker {
namespace {

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

constexpr variant all[] = {
    {"recycled", "make_shared", &run_recycled<make_shared_message>},
    {"recycled", "control_block", &run_recycled<control_block>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
