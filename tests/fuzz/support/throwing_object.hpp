// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_THROWING_OBJECT_HPP
#define LINN_TESTS_FUZZ_THROWING_OBJECT_HPP

#include "expect.hpp"
#include "input.hpp"

#include <cstddef>
#include <new>

namespace linn_fuzz {

struct refused_object {};

/// An object whose constructor may throw.
template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) object {
    object() noexcept {} // leaves the bytes alone
    explicit object(bool throws) {
        if (throws) {
            throw refused_object{};
        }
    }
    unsigned char bytes[Bytes];
};

/// An operation of a state whose `pool` is full only when nobody can tell beforehand.
template <class State>
struct throw_in_constructor {
    explicit throw_in_constructor(input&) {}
    void perform(State& s) const {
        bool thrown = false;
        try {
            static_cast<void>(s.pool->create(true));
        } catch (const refused_object&) {
            thrown = true;
        } catch (const std::bad_alloc&) {
            thrown = true; // there was no room for it
        }
        expect(thrown, "the constructor's exception arrives");
        s.check();
    }
};

} // namespace linn_fuzz

#endif
