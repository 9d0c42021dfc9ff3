// SPDX-License-Identifier: Apache-2.0
// The reader of compiled plans of pools, which runs in the user's program before anything else: it takes bytes or refuses them,
// whatever is in them; what it takes has no name out of the bytes, no index out of range and no size that the index of sites
// could not hold. The input is bytes behind the magic, or changes to a good plan.
#include "pools/plan.hpp"

#include "../support/expect.hpp"
#include "../support/input.hpp"
#include "../support/operations.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;

std::string good_plan() {
    const planned_module modules[] = {{{0, 4}, {0x1f, 0x9c}, 2, {}}, {{4, 11}, {}, 0, {}}};
    const planned_pool pools[] = {{{15, 5}, 16, 0, 1008, 0, 0}, {{20, 18}, 64, 48, 48, 1, 1}};
    planned_site sites[3] = {};
    sites[0].size = 72;
    sites[0].call = {0x4f2a, 0, 8, {}, {0x48, 0x89}};
    sites[1].size = 1008;
    sites[1].call = {0x4f2a, 0, 0, {}, {}};
    sites[2] = {{8192, 1, 8, {}, {}}, {0x5000, 0, 16, {}, {}}, 1, 24, 1, 1, {}};
    std::string plan = compiled_bytes({}, sites, modules, pools, "shoplibold.so.1orderstd::map<int, int>");
    plan_tables tables;
    expect(read_compiled_plan(plan, tables), "the good plan is refused");
    return plan;
}

void check_call(const planned_call& call, const plan_tables& plan) {
    expect(call.module < plan.module_count, "a call's module is out of range");
    expect(call.offset >= most_code_bytes && call.offset < std::uint64_t{1} << 47, "an offset out of range");
    expect(call.code_bytes == 0 ||
               (call.code_bytes >= least_code_bytes && call.code_bytes <= most_code_bytes),
           "a number of bytes of code");
}

void check_plan(const plan_tables& plan, std::string_view bytes) {
    const auto check_name = [&](const planned_text& of) {
        const std::string_view name = plan.text(of);
        expect(name.empty() ||
                   (name.data() >= bytes.data() && name.data() + name.size() <= bytes.data() + bytes.size()),
               "a name that lies outside of the bytes");
    };
    expect(plan.module_count <= most_planned_modules && plan.pool_count <= most_planned_pools &&
               plan.site_count <= most_planned_sites,
           "more than there is room for");
    for (std::size_t i = 0; i != plan.module_count; ++i) {
        check_name(plan.modules[i].name);
        expect(plan.modules[i].build_id_bytes <= most_build_id_bytes, "a long build id");
    }
    for (std::size_t i = 0; i != plan.pool_count; ++i) {
        const planned_pool& p = plan.pools[i];
        check_name(p.name);
        expect(p.name.length != 0 && p.object_bytes <= largest_planned_size, "a pool's name or size");
        expect(p.align >= 16 && p.align <= 128 && (p.align & (p.align - 1)) == 0, "a pool's alignment");
    }
    for (std::size_t i = 0; i != plan.site_count; ++i) {
        const planned_site& s = plan.sites[i];
        expect(s.pool < plan.pool_count && s.size >= 1 && s.size <= plan.pools[s.pool].object_bytes,
               "a site's pool is out of range, or too small");
        expect(s.stack <= largest_stack_offset && s.stack % 8 == 0, "a stack offset");
        check_call(s.call, plan);
        if (s.is_behind != 0) {
            check_call(s.caller, plan);
        }
    }
}

void read(const std::string& bytes) {
    plan_tables plan;
    if (read_compiled_plan(bytes, plan)) {
        check_plan(plan, bytes);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string good = good_plan();
    const std::string_view given{reinterpret_cast<const char*>(data), size};
    if (is_compiled_plan(given)) {
        ++operations_performed;
        read(std::string{given});
        return 0;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    while (!in.empty()) {
        ++operations_performed;
        std::string bytes = good;
        for (std::size_t changes = 1 + in.below(4); changes != 0; --changes) {
            const std::size_t at =
                sizeof plan_header::magic + in.below(bytes.size() - sizeof plan_header::magic);
            switch (in.below(3)) {
            case 0:
                bytes[at] = static_cast<char>(in.below(256));
                break;
            case 1:
                bytes.erase(at, 1 + in.below(8));
                break;
            default:
                bytes.insert(at, 1 + in.below(8), static_cast<char>(in.below(256)));
            }
            if (bytes.size() <= sizeof plan_header::magic) {
                break;
            }
        }
        read(bytes);
    }
    return 0;
}
