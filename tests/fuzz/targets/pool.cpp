// SPDX-License-Identifier: Apache-2.0
// linn::pool, several types at once: what pool_operations.hpp checks of every pool, in threads that begin and end between
// operations and may free what others allocated; and when all is freed all memory goes back.
#include "../support/crew.hpp"
#include "../support/failing_memory.hpp"
#include "../support/operations.hpp"
#include "../support/pool_operations.hpp"
#include "process_pool.hpp"

#include <linn/misuse.hpp>

namespace {

using namespace linn_fuzz;

struct pool_state : pools_state {
    static constexpr std::size_t pool_count = 9;
    static constexpr bool reserves_for_one = false;
    static constexpr bool visits_by_address = false;
    using failing = failing_scope;

    crew threads;

    pool_state() {
        linn::set_misuse_handler(
            [](const linn::misuse&) noexcept { expect(false, "a misuse that nobody committed"); });
        make<object<1, 1>>();
        make<object<24, 8>>();
        make<object<37, 1>, linn::pool_options{.magazine_slots = 1}>();
        make<object<48, 16>, linn::pool_options{.magazine_slots = 5, .retain_bytes = 0}>();
        make<object<8, 8>, linn::pool_options{.slab_bytes = 1 << 16, .cache_line_padding = true}>();
        make<object<1000, 8>, linn::pool_options{.slab_bytes = 1 << 12, .retain_bytes = 1 << 14}>();
        make<object<4096, 4096>>();
        make<object<40000, 64>>();
        make<object<56, 8>, linn::pool_options{.max_objects = 300}>();
        expect_equal(pools.size(), pool_count, "pools");
    }

    /// Frees what is left, ends the threads, and looks whether everything is back.
    void finish() {
        free_all();
        for (std::size_t i = 0; i != crew::most; ++i) {
            threads.dismiss(i);
        }
        for (std::size_t i = 0; i != pool_count; ++i) {
            pools[i]->trim();
            check(i);
            const linn::pool_statistics& s = pools[i]->before();
            expect_equal(s.cached, 0, "objects cached after a trim");
            expect_equal(s.resident_bytes, s.slabs * linn::detail::page_bytes,
                         "resident after a trim of nothing but slab headers");
        }
    }

private:
    template <class T, linn::pool_options O = linn::pool_options{}>
    void make() {
        pools.push_back(std::make_unique<pool_as<linn_test::process_pool<T, O>>>(
            O.max_objects != 0 ? O.max_objects : SIZE_MAX));
    }
};

void trim(pool_state& s, input& in) {
    const std::size_t pool = in.below(pool_state::pool_count);
    const std::size_t returned = s.pools[pool]->statistics().returned_bytes;
    const std::size_t bytes = s.pools[pool]->trim();
    s.check(pool);
    expect_equal(s.pools[pool]->before().returned_bytes - returned, bytes, "bytes that a trim gave back");
    expect(s.pools[pool]->before().threads <= crew::most + 1, "more caches than threads");
}

void one(pool_state& s, input& in) {
    static constexpr operation<pool_state> all[] = {
        {&allocate, 16}, {&deallocate, 16}, {&allocate_many}, {&deallocate_many, 2},   {&reserve},
        {&trim},         {&look},           {&visit_live},    {&throw_in_constructor}, {&run_out},
        {&elsewhere, 2}, {&end_thread},     {&verify_all}};
    perform_one(all, s, in);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    pool_state state;
    while (!in.empty()) {
        one(state, in);
    }
    state.finish();
    return 0;
}
