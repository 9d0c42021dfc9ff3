// SPDX-License-Identifier: Apache-2.0
#include "budgets.hpp"

#include "../pools/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace linn::tool {
namespace {

constexpr std::size_t most_budgets = 10'000;

struct text_key {
    std::string_view name;
    std::string budget::* into;
};
constexpr text_key text_keys[] = {{"name", &budget::name},
                                  {"program", &budget::program},
                                  {"type", &budget::type},
                                  {"function", &budget::function},
                                  {"file", &budget::file}};

std::string key_of_limit(std::size_t limit) {
    std::string key = limit_name(limit);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

bool is_of_bytes(std::size_t limit) {
    return limit == peak_limit || limit == static_cast<std::size_t>(profile_measure::bytes) ||
           limit == static_cast<std::size_t>(profile_measure::live_bytes);
}

/// "64 KiB" in bytes; nothing where it is no size.
std::optional<std::uint64_t> size_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit{stop, static_cast<std::size_t>(text.data() + text.size() - stop)};
    if (error != std::errc{}) {
        return std::nullopt;
    }
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const unsigned shift = unit == "B"     ? 0
                           : unit == "KiB" ? 10
                           : unit == "MiB" ? 20
                           : unit == "GiB" ? 30
                                           : 64;
    if (shift == 64 || value > (std::uint64_t{1} << 62) >> shift) {
        return std::nullopt;
    }
    return value << shift;
}

std::string usual_name(const budget& b) {
    std::string name = b.type.empty() ? "all allocations" : b.type;
    name += b.function.empty() ? "" : " under " + b.function;
    name += b.file.empty() ? "" : " in " + b.file;
    return name;
}

std::uint64_t limit_in(const toml_table& t, const std::string& key, std::size_t limit) {
    if (is_of_bytes(limit) && t.is_text(key)) {
        if (const std::optional<std::uint64_t> bytes = size_in(t.text(key))) {
            return *bytes;
        }
        t.fail(fmt::format("'{}' must be a whole number of bytes, or a size such as \"64 KiB\"", key), key);
    }
    return t.number(key, 0, INT64_MAX, 0);
}

budget budget_in(const toml_table& t) {
    budget b;
    b.line = t.line();
    for (const text_key& k : text_keys) {
        b.*k.into = t.name(k.name);
    }
    for (std::size_t limit = 0; limit != budget_limits; ++limit) {
        if (const std::string key = key_of_limit(limit); t.has(key)) {
            b.most[limit] = limit_in(t, key, limit);
        }
    }
    if (std::none_of(b.most.begin(), b.most.end(), [](const auto& m) { return m.has_value(); })) {
        t.fail("a [[budget]] without a limit: give allocations, bytes or another one");
    }
    if (b.name.empty()) {
        b.name = usual_name(b);
    }
    return b;
}

std::vector<budget> budgets_in(std::string_view text) {
    const toml::table document = parse_toml(text);
    const toml_table top{document, "a file of budgets, outside of [[budget]]", {"linn_budgets", "budget"}};
    if (!top.has("linn_budgets")) {
        top.fail("no budgets: linn_budgets = 1 is missing");
    }
    if (top.number("linn_budgets", 0, INT64_MAX, 0) != 1) {
        top.fail("linn_budgets must be 1: this version of linn knows no other", "linn_budgets");
    }
    std::vector<std::string> keys;
    for (const text_key& k : text_keys) {
        keys.emplace_back(k.name);
    }
    for (std::size_t limit = 0; limit != budget_limits; ++limit) {
        keys.push_back(key_of_limit(limit));
    }
    const std::vector<toml_table> tables = top.tables("budget", keys);
    if (tables.empty()) {
        top.fail("no budgets: there is no [[budget]]");
    }
    if (tables.size() > most_budgets) {
        tables[most_budgets].fail(fmt::format("a file has {} budgets at most", most_budgets));
    }
    std::vector<budget> budgets;
    for (const toml_table& t : tables) {
        budgets.push_back(budget_in(t));
    }
    return budgets;
}

} // namespace

const char* limit_name(std::size_t limit) noexcept {
    return limit == peak_limit ? "peak-bytes" : to_string(static_cast<profile_measure>(limit));
}

const char* limit_words(std::size_t limit) noexcept {
    return limit == peak_limit ? "bytes live at once" : words_of(static_cast<profile_measure>(limit));
}

figures::quantity figure_of_limit(std::size_t limit, std::uint64_t value) {
    return figure_of(limit == peak_limit ? profile_measure::bytes : static_cast<profile_measure>(limit),
                     static_cast<double>(value));
}

std::vector<budget> read_budgets(std::string_view text, const std::string& name) {
    try {
        return budgets_in(text);
    } catch (const toml_problem& problem) {
        throw unusable_budgets{fmt::format("{}:{}: {}", name, problem.line(), problem.what())};
    }
}

std::vector<budget> read_budget_file(const std::filesystem::path& file) {
    return read_budgets(text_of_file<unusable_budgets>(file), file.string());
}

bool matches(std::string_view pattern, std::string_view text) noexcept {
    // Goes back to the last '*' alone: what the ones before it took is enough.
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t from = 0;
    while (t != text.size()) {
        if (p != pattern.size() && pattern[p] == '*') {
            star = p++;
            from = t;
        } else if (p != pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

} // namespace linn::tool
