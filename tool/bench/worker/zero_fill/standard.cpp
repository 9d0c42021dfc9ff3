// SPDX-License-Identifier: Apache-2.0
#include "zero_fill.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

template <template <std::size_t> class Block, class Line>
struct make_shared_way {
    static auto small() {
        return [] { return std::make_shared<Block<small_bytes>>(); };
    }
    static auto large() {
        return [] { return std::make_shared<Block<large_bytes>>(); };
    }
    static auto line() {
        return [] { return std::make_shared<Line>(); };
    }
};

struct for_overwrite_way {
    static auto small() {
        return [] { return std::make_shared_for_overwrite<plain_block<small_bytes>>(); };
    }
    static auto large() {
        return [] { return std::make_shared_for_overwrite<plain_block<large_bytes>>(); };
    }
    static auto line() {
        return [] { return std::make_shared_for_overwrite<plain_line>(); };
    }
};

constexpr variant all[] = {
    {"zero-fill", "make_shared", &run_zero_fill<make_shared_way<plain_block, plain_line>>},
    {"zero-fill", "make_shared_constructor",
     &run_zero_fill<make_shared_way<constructed_block, constructed_line>>},
    {"zero-fill", "make_shared_for_overwrite", &run_zero_fill<for_overwrite_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
