// SPDX-License-Identifier: Apache-2.0
#include "recycler.hpp"

#include <cstddef>

namespace linn::bench::recycling {
namespace {

/// One object and room for one control block, and nobody asks whether they are free: what the standard library
/// itself does to make and release a shared_ptr.
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

template <class T>
void share_same() {
    static thread_local T object;
    escape(std::shared_ptr<T>{&object, [](T*) {}, one_block<T>{}}.get());
}

} // namespace

void run_floor(sampler& s) {
    measure(s, share_same<filled_message<large>>, share_same<filled_message<small>>);
}

} // namespace linn::bench::recycling
