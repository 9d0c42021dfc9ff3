// SPDX-License-Identifier: Apache-2.0
// The parser of type names. They come out of debug information, symbol tables and RTTI, which may be damaged or of a compiler
// that nobody has seen: each text ends as a name, in proportion to its length; a readable name stays as it is when it is
// read again, since types are keys of the whole advice; and names are shortened to the width that was asked for.
#include "../support/expect.hpp"
#include "../support/operations.hpp"
#include "symbols/cxx_name.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;

constexpr std::size_t most_bytes = 600;

struct name_state {
    std::string text;
    std::vector<std::string> table; ///< names of one table, as advise shows them

    std::size_t place(std::size_t n) const { return text.empty() ? 0 : n % text.size(); }
};

/// A piece of a name, as compilers and demanglers write them.
void insert_word(name_state& s, input& in) {
    const std::size_t where = in.below(1 << 10);
    const std::size_t which = in.byte();
    const bool at_end = in.flag();
    static constexpr std::string_view words[] = {
        "std::",
        "std::__cxx11::",
        "basic_string<char, std::char_traits<char>, std::allocator<char> >",
        "vector<int, std::allocator<int> >",
        "map<",
        "pmr::polymorphic_allocator<",
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "::",
        ":",
        " const",
        "const ",
        " volatile",
        "*",
        "&",
        "&&",
        "int",
        "unsigned",
        "long unsigned int",
        "10ul",
        "operator<",
        "operator<<",
        "operator()",
        "operator->",
        "operator bool",
        "[abi:cxx11]",
        "(anonymous namespace)::",
        "{anonymous}::",
        "{lambda(int)#1}",
        "<lambda(int)>",
        "(lambda at /a b/c.cpp:1:2)",
        "$_0",
        "decltype",
        " [clone .cold]",
        "void (*)(int)",
        "[10]",
        "struct ",
        "class ",
        "nlohmann::json_abi_v3_11_2::basic_json<>",
        "_ZN1a1bE",
        "_Z",
        "-",
        ">>",
        "\xc3\xa9"};
    if (s.text.size() < most_bytes) {
        s.text.insert(at_end ? s.text.size() : s.place(where), words[which % std::size(words)]);
    }
}

void insert_byte(name_state& s, input& in) {
    const std::size_t where = in.below(1 << 10);
    const std::size_t value = in.byte();
    if (s.text.size() < most_bytes) {
        s.text.insert(s.place(where), 1, static_cast<char>(value));
    }
}

void remove_bytes(name_state& s, input& in) {
    const std::size_t where = in.below(1 << 10);
    const std::size_t count = in.below(64);
    s.text.erase(s.place(where), count);
}

/// The whole becomes an argument.
void wrap(name_state& s, input& in) {
    const std::size_t which = in.below(4);
    static constexpr std::string_view begins[] = {"std::vector<", "std::map<int, ", "geo::node<", "f("};
    if (s.text.size() < most_bytes) {
        s.text = std::string{begins[which]} + s.text + (which == 3 ? ")" : ">");
    }
}

void begin_again(name_state& s, input&) {
    s.text.clear();
}

void expect_proportion(std::string_view made, std::string_view from) {
    // "$_0" becomes "{lambda #1}", and a comma gets a space.
    expect(made.size() <= 6 * from.size() + 16, "a name that is out of proportion");
}

void check_reading(const std::string& text) {
    const std::string type = readable_type(text);
    expect_proportion(type, text);
    expect_proportion(readable_name(scopes_of(text)), text);
    expect_proportion(readable_name(scopes_of(text)), text);
    expect(without_parameters(text).size() <= text.size(), "more is left than there was");
    expect(plain_name(scopes_of(text)).size() <= 6 * text.size() + 16, "a plain name out of proportion");
    for (const std::string& argument : template_arguments(text)) {
        expect(argument.size() <= text.size(), "an argument that is longer than the type");
    }
    const std::string_view bare = without_qualifiers(text);
    expect(bare.empty() ||
               (bare.data() >= text.data() && bare.data() + bare.size() <= text.data() + text.size()),
           "a part that lies outside of the text");
    for (std::size_t at = 0; at < text.size(); ++at) {
        expect(skip_bracket(text, at) <= text.size(), "a bracket that closes behind the end");
    }
    demangle_type(text);
    demangle(text);
}

void check_shortening(const name_state& s) {
    for (const std::size_t width : {0U, 1U, 3U, 4U, 12U, 30U, 80U}) {
        const std::string made = short_type(s.text, width);
        expect(made.size() <= std::max(width, std::size_t{0}) || made.size() <= width,
               "wider than was asked for");
        expect(s.text.size() > width || made == s.text, "what is short enough was changed");
    }
    expect(template_family(s.text).size() <= 4 * s.text.size(), "a family out of proportion");
    for (const std::size_t width : {12U, 40U}) {
        const std::vector<std::string> made = short_types(s.table, width);
        expect_equal(made.size(), s.table.size(), "short names");
        for (std::size_t i = 0; i != made.size(); ++i) {
            expect(made[i].size() <= width, "wider in a table than was asked for");
            for (std::size_t j = 0; j != i; ++j) {
                expect(s.table[i] == s.table[j] || made[i] != made[j], "two types with one name");
            }
        }
    }
}

/// The name as it is becomes a row of the table, and everything is read.
void check(name_state& s, input&) {
    check_reading(s.text);
    if (s.table.size() == 8) {
        s.table.erase(s.table.begin());
    }
    s.table.push_back(s.text);
    check_shortening(s);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    name_state state;
    if (size != 0 && data[0] >= ' ') { // a name as it is
        state.text.assign(reinterpret_cast<const char*>(data), std::min(size, most_bytes));
        std::span<const std::uint8_t> none;
        input in{none.data(), none.size()};
        check(state, in);
        ++operations_performed;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    static constexpr operation<name_state> all[] = {{&insert_word, 12}, {&insert_byte}, {&remove_bytes},
                                                    {&wrap, 2},         {&begin_again}, {&check, 4}};
    perform_all(all, state, in);
    return 0;
}
