// SPDX-License-Identifier: Apache-2.0
// The reader of plans of pools, which runs in the user's program before anything else: it takes a text or refuses it, with
// a line, whatever is in it; what it takes has no name out of the text, no index out of range and no size that the index of
// sites could not hold. The input is either a text or changes to a good one.
#include "../support/expect.hpp"
#include "../support/input.hpp"
#include "../support/operations.hpp"
#include "../support/target.hpp"
#include "../support/text_changes.hpp"
#include "pools/plan_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;

constexpr std::string_view good = R"(# A plan.
linn_plan = 1
program = "shop \"new\" \u00e9"
max_bytes = 1_000_000
children = false

[[module]]
name = "shop"
build_id = "1f9c0e8b1a7d44f0"
[[module]]
name = 'libold.so.1'

[[pool]]
name = "order"
[[pool]]
name = "std::map<int, \"x\">"
align = 64
padding = true
huge_pages = true
max_waste = 0
size = 48
note = "for people"

[[site]]
pool = "order"
size = 72
module = "shop"
offset = 0x4f2a
code = "48 89 c5 bf 48 00 00 00 e8 d1 f0 ff ff"
note = "order_book::add"
[[site]]
pool = "order"
size = 1008
token = 7
[[site]]
pool = "std::map<int, \"x\">"
size = 1
align = 64
module = "libold.so.1"
offset = 8192
code = "0102030405060708"
stack = 24
caller_module = "shop"
caller_offset = 0x5000
caller_code = "00112233445566778899aabbccddeeff"
)";

/// What a changed plan may hold more of.
constexpr std::string_view words[] = {"[[site]]\n", "[[pool]]\n", "[[module]]\n", "0x",         "999999",
                                      "name",       "size = 1\n", "token = 1\n",  "stack = 8\n"};

void check_name(std::string_view name, const std::string& text) {
    expect(name.empty() ||
               (name.data() >= text.data() && name.data() + name.size() <= text.data() + text.size()),
           "a name that lies outside of the text");
}

void check_call(const planned_call& call, const plan_tables& plan) {
    expect(call.module < plan.module_count, "a call's module is out of range");
    expect(call.offset >= most_code_bytes && call.offset < std::uint64_t{1} << 47, "an offset out of range");
    expect(call.code_bytes == 0 ||
               (call.code_bytes >= least_code_bytes && call.code_bytes <= most_code_bytes),
           "a number of bytes of code");
}

void check_plan(const plan_tables& plan, const std::string& text) {
    expect(plan.module_count <= most_planned_modules && plan.pool_count <= most_planned_pools &&
               plan.site_count <= most_planned_sites,
           "more than there is room for");
    for (std::size_t i = 0; i != plan.module_count; ++i) {
        check_name(plan.modules[i].name, text);
        expect(plan.modules[i].build_id_bytes <= most_build_id_bytes, "a long build id");
    }
    for (std::size_t i = 0; i != plan.pool_count; ++i) {
        const planned_pool& p = plan.pools[i];
        check_name(p.name, text);
        expect(!p.name.empty() && p.object_bytes <= largest_planned_size, "a pool's name or size");
        expect(p.align >= 16 && p.align <= 128 && (p.align & (p.align - 1)) == 0, "a pool's alignment");
    }
    for (std::size_t i = 0; i != plan.site_count; ++i) {
        const planned_site& s = plan.sites[i];
        check_name(s.note, text);
        expect(s.pool < plan.pool_count && s.size >= 1 && s.size <= plan.pools[s.pool].object_bytes,
               "a site's pool is out of range, or too small");
        expect(s.stack <= largest_stack_offset && s.stack % 8 == 0, "a stack offset");
        if (!s.has_token) {
            check_call(s.call, plan);
        }
        if (s.is_behind) {
            expect(!s.has_token, "a token behind a wrapper");
            check_call(s.caller, plan);
        }
    }
}

void check_error(const plan_error& error, const std::string& text) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2;
    expect(error.line <= lines, "a line that is not there");
    const std::size_t length = ::strnlen(error.what, sizeof error.what);
    expect(length != 0 && length != sizeof error.what, "a reason is missing");
    expect(std::none_of(error.what, error.what + length,
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
           "a reason of more than one line");
}

void read(const std::string& original) {
    static const auto plan = std::make_unique<plan_tables>();
    std::string text = original;
    plan_error error{};
    const bool is_plan = read_plan(text.data(), text.size(), *plan, error);
    if (is_plan) {
        check_plan(*plan, text);
    } else {
        check_error(error, original);
    }
    std::string again = original;
    expect(read_plan(again.data(), again.size(), *plan, error) == is_plan && again == text,
           "the same text is read in another way");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 9 && std::memcmp(data, "linn_plan", 9) == 0) {
        ++operations_performed;
        read(std::string{reinterpret_cast<const char*>(data), size});
        return 0;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    while (!in.empty()) {
        const std::string text = changed_text(good, words, in);
        read(text);
    }
    return 0;
}
