// SPDX-License-Identifier: Apache-2.0
#include "known_functions.hpp"

namespace linn_tidy {

namespace {

constexpr unsigned none = ~0U;
constexpr auto bytes = amount_unit::bytes;
constexpr auto elements = amount_unit::elements;

constexpr known_function_facts known[] = {
    {"memset", 0, false, 2, bytes},         {"memcpy", 0, false, 2, bytes},
    {"memmove", 0, false, 2, bytes},        {"bzero", 0, false, 1, bytes},
    {"strncpy", 0, false, 2, bytes},        {"read", 1, false, 2, bytes},
    {"pread", 1, false, 2, bytes},          {"pread64", 1, false, 2, bytes},
    {"recv", 1, false, 2, bytes},           {"recvfrom", 1, false, 2, bytes},
    {"getrandom", 0, false, 1, bytes},      {"fread", 0, false, none, bytes},
    {"fgets", 0, false, none, bytes},       {"snprintf", 0, false, none, bytes},
    {"vsnprintf", 0, false, none, bytes},   {"sprintf", 0, false, none, bytes},
    {"strcpy", 0, false, none, bytes},      {"getcwd", 0, false, none, bytes},
    {"gethostname", 0, false, none, bytes}, {"copy", 2, false, none, elements},
    {"copy_n", 2, false, 1, elements},      {"fill", 0, false, 1, amount_unit::end},
    {"fill_n", 0, false, 1, elements},      {"generate", 0, false, 1, amount_unit::end},
    {"generate_n", 0, false, 1, elements},  {"iota", 0, false, 1, amount_unit::end},
    {"strcat", 0, true, none, bytes},       {"strncat", 0, true, none, bytes},
    {"strlen", 0, true, none, bytes},       {"strdup", 0, true, none, bytes},
    {"puts", 0, true, none, bytes},
};

} // namespace

const known_function_facts* facts_about(llvm::StringRef name) {
    for (const known_function_facts& one : known) {
        if (name == one.name) {
            return &one;
        }
    }
    return nullptr;
}

} // namespace linn_tidy
