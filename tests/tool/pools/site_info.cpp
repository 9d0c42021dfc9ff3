// SPDX-License-Identifier: Apache-2.0
// What the tool knows of a return address: `site_info FILE OFFSET` prints a [[module]] and what a [[site]] says of its
// call, and `stack`, if it lies in a function whose frame has a constant size.
#include "pools/plan.hpp"

#include <fmt/format.h>

#include <cstdlib>

int main(int argc, char** argv) {
    using namespace linn::tool;
    if (argc != 3) {
        return 2;
    }
    const auto offset = std::strtoull(argv[2], nullptr, 0);
    const auto module = plan_module_of(argv[1]);
    const auto call = plan_call_of(argv[1], offset);
    if (!module || !call) {
        return 1;
    }
    const auto stack = stack_offset_of(argv[1], offset);
    fmt::print("{{\"name\": \"{}\", \"build_id\": \"{:02x}\", \"code\": \"{:02x}\", \"stack\": {}}}\n",
               module->name, fmt::join(module->build_id, ""), fmt::join(call->code, " "),
               stack ? std::to_string(*stack) : "null");
    return 0;
}
