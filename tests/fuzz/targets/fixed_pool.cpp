// SPDX-License-Identifier: Apache-2.0
// linn::fixed_pool of several capacities: what pool_operations.hpp checks of every pool.
#include "../support/operations.hpp"
#include "../support/pool_operations.hpp"

#include <linn/fixed_pool.hpp>

namespace {

using namespace linn_fuzz;

struct fixed_state : pools_state {
    static constexpr std::size_t pool_count = 1;
    static constexpr bool visits_by_address = true;

    template <class T, std::size_t N, linn::pool_options O = linn::pool_options{}>
    void make() {
        pools.push_back(std::make_unique<pool_as<linn::fixed_pool<T, N, O>>>(N));
    }
    void finish() { free_all(); }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    fixed_state state;
    switch (in.below(6)) {
    case 0:
        state.make<object<8, 8>, 0>();
        break;
    case 1:
        state.make<object<1, 1>, 1>();
        break;
    case 2:
        state.make<object<24, 8>, 64>();
        break;
    case 3:
        state.make<object<37, 1>, 100, linn::pool_options{.cache_line_padding = true}>();
        break;
    case 4:
        state.make<object<96, 32>, 256>();
        break;
    default:
        state.make<object<4, 4>, 300>();
    }
    static constexpr operation<fixed_state> all[] = {
        {&allocate, 16}, {&deallocate, 14}, {&allocate_many},        {&deallocate_many, 2},
        {&release},      {&visit_live},     {&throw_in_constructor}, {&look},
        {&renew},        {&verify_all}};
    perform_all(all, state, in);
    state.finish();
    return 0;
}
