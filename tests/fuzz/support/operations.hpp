// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_OPERATIONS_HPP
#define LINN_TESTS_FUZZ_OPERATIONS_HPP

#include "expect.hpp"
#include "input.hpp"

#include <array>
#include <cstddef>

namespace linn_fuzz {

/// An operation that is N times as likely as others.
template <class Op, std::size_t N>
struct often {};

/// What one kind of state can be asked to do. An operation is a small type that reads its arguments from the input
/// when it is constructed and has a `perform(state&)`.
template <class State, class... Ops>
class operations {
public:
    static void one(State& state, input& in) {
        static constexpr auto table = make_table();
        const std::size_t which = in.byte() % table.size();
        ++operations_performed;
        table[which](state, in);
    }

    static void all(State& state, input& in) {
        while (!in.empty()) {
            one(state, in);
        }
    }

private:
    using function = void (*)(State&, input&);

    template <class Op>
    struct entry {
        using op = Op;
        static constexpr std::size_t weight = 1;
    };
    template <class Op, std::size_t N>
    struct entry<often<Op, N>> {
        using op = Op;
        static constexpr std::size_t weight = N;
    };

    template <class Op>
    static void perform(State& state, input& in) {
        Op op{in};
        op.perform(state);
    }

    static constexpr auto make_table() {
        std::array<function, (entry<Ops>::weight + ...)> table{};
        static_assert(table.size() <= 256, "one byte selects the operation");
        std::size_t next = 0;
        const auto add = [&](function f, std::size_t weight) {
            for (; weight != 0; --weight) {
                table[next++] = f;
            }
        };
        (add(&perform<typename entry<Ops>::op>, entry<Ops>::weight), ...);
        return table;
    }
};

} // namespace linn_fuzz

#endif
