// SPDX-License-Identifier: Apache-2.0
// linn::fixed_pool of several capacities: what pool_operations.hpp checks of every pool, and that a free of what is not out
// is reported and changes nothing.
#include "../support/operations.hpp"
#include "../support/pool_operations.hpp"
#include "misuse_recorder.hpp"

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

/// Frees something that is not out: what is free, what lies inside an object, what is elsewhere.
void misuse(fixed_state& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    const std::size_t kind = in.below(3);
    const bool destroys = in.flag();
    alignas(64) static std::byte elsewhere[128];
    any_pool& pool = *s.pools[0];
    std::byte* p = elsewhere;
    linn::misuse_kind wanted = linn::misuse_kind::foreign_pointer;
    if (kind != 0 && s.shadow.empty()) {
        return;
    }
    if (kind == 1) {
        p = s.shadow.remove(which % s.shadow.size()).data;
        pool.deallocate(p);
        wanted = linn::misuse_kind::double_free;
    } else if (kind == 2) {
        if (pool.bytes == 1) {
            return;
        }
        p = s.shadow.blocks()[which % s.shadow.size()].data + 1 + which % (pool.bytes - 1);
        const bool misaligned = reinterpret_cast<std::uintptr_t>(p) % pool.align != 0;
        if (misaligned && destroys) {
            return; // no program could have made such a reference
        }
        wanted = misaligned ? linn::misuse_kind::misaligned_pointer : linn::misuse_kind::interior_pointer;
    }
    linn_test::misuse_recorder recorder;
    if (destroys) {
        pool.destroy(p);
    } else {
        pool.deallocate(p);
    }
    const auto seen = recorder.take();
    expect_equal(seen.size(), 1, "reports of a misuse");
    expect(seen[0].kind == wanted && seen[0].address == p, "the report of a misuse");
    s.check(0);
}

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
    static constexpr operation<fixed_state> all[] = {{&allocate, 16},
                                                     {&deallocate, 14},
                                                     {&allocate_many},
                                                     {&deallocate_many, 2},
                                                     {&release},
                                                     {&visit_live},
                                                     {&throw_in_constructor},
                                                     {&misuse},
                                                     {&look},
                                                     {&renew},
                                                     {&verify_all}};
    perform_all(all, state, in);
    state.finish();
    return 0;
}
