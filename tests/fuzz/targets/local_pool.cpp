// SPDX-License-Identifier: Apache-2.0
// linn::local_pool: what pool_operations.hpp checks of every pool, and pools that are made and destroyed again, release() of
// everything, a trim that gives all back or nothing, and a reservation that holds when the system has no more memory.
#include "../support/failing_memory.hpp"
#include "../support/operations.hpp"
#include "../support/pool_operations.hpp"

#include <linn/local_pool.hpp>

namespace {

using namespace linn_fuzz;

struct local_state : pools_state {
    static constexpr std::size_t pool_count = 1;
    static constexpr bool reserves_for_one = true;
    static constexpr bool visits_by_address = false;
    using failing = failing_scope;

    template <class T, linn::pool_options O = linn::pool_options{}>
    void make() {
        pools.push_back(std::make_unique<pool_as<linn::local_pool<T, O>>>());
    }
    void finish() {
        free_all();
        const std::size_t reserved = pools[0]->before().reserved_bytes;
        expect_equal(pools[0]->trim(), reserved, "bytes of a trim when nothing is out");
        check(0);
        expect_equal(pools[0]->before().reserved_bytes, 0, "reserved after all was freed and trimmed");
        expect_equal(pools[0]->before().slabs, 0, "slabs without memory");
    }
};

void trim(local_state& s, input&) {
    const std::size_t reserved = s.pools[0]->statistics().reserved_bytes;
    expect_equal(s.pools[0]->trim(), s.shadow.empty() ? reserved : 0, "bytes of a trim");
    s.check(0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    local_state state;
    switch (in.below(5)) {
    case 0:
        state.make<object<1, 1>>();
        break;
    case 1:
        state.make<object<24, 8>>();
        break;
    case 2:
        state.make<object<37, 1>, linn::pool_options{.magazine_slots = 1}>();
        break;
    case 3:
        state.make<object<320, 64>, linn::pool_options{.slab_bytes = 1 << 12, .magazine_slots = 7}>();
        break;
    default:
        state.make<object<4096, 4096>, linn::pool_options{.slab_bytes = 1 << 16}>();
    }
    static constexpr operation<local_state> all[] = {
        {&allocate, 24}, {&deallocate, 24}, {&allocate_many, 2}, {&deallocate_many, 4},   {&reserve},
        {&release},      {&trim},           {&visit_live},       {&throw_in_constructor}, {&run_out},
        {&renew},        {&verify_all}};
    perform_all(all, state, in);
    state.finish();
    return 0;
}
