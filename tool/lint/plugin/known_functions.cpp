// SPDX-License-Identifier: Apache-2.0
#include "known_functions.hpp"

namespace clang::tidy::linn {

namespace {

constexpr unsigned none = ~0U;
constexpr auto in_bytes = amount_unit::bytes;
constexpr auto in_elements = amount_unit::elements;

constexpr known_function_facts all_facts[] = {
    {"memset", 0, false, 2, in_bytes},         {"memcpy", 0, false, 2, in_bytes},
    {"memmove", 0, false, 2, in_bytes},        {"bzero", 0, false, 1, in_bytes},
    {"strncpy", 0, false, 2, in_bytes},        {"read", 1, false, 2, in_bytes},
    {"pread", 1, false, 2, in_bytes},          {"pread64", 1, false, 2, in_bytes},
    {"recv", 1, false, 2, in_bytes},           {"recvfrom", 1, false, 2, in_bytes},
    {"getrandom", 0, false, 1, in_bytes},      {"fread", 0, false, none, in_bytes},
    {"fgets", 0, false, none, in_bytes},       {"snprintf", 0, false, none, in_bytes},
    {"vsnprintf", 0, false, none, in_bytes},   {"sprintf", 0, false, none, in_bytes},
    {"strcpy", 0, false, none, in_bytes},      {"getcwd", 0, false, none, in_bytes},
    {"gethostname", 0, false, none, in_bytes}, {"copy", 2, false, none, in_elements},
    {"copy_n", 2, false, 1, in_elements},      {"fill", 0, false, 1, amount_unit::end},
    {"fill_n", 0, false, 1, in_elements},      {"generate", 0, false, 1, amount_unit::end},
    {"generate_n", 0, false, 1, in_elements},  {"iota", 0, false, 1, amount_unit::end},
    {"strcat", 0, true, none, in_bytes},       {"strncat", 0, true, none, in_bytes},
    {"strlen", 0, true, none, in_bytes},       {"strdup", 0, true, none, in_bytes},
    {"puts", 0, true, none, in_bytes},
};

} // namespace

const known_function_facts* facts_about(StringRef name) {
    for (const known_function_facts& one : all_facts) {
        if (name == one.name) {
            return &one;
        }
    }
    return nullptr;
}

} // namespace clang::tidy::linn
