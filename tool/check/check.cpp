// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include "../measure/suggest.hpp"
#include "../pools/toml_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

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
    std::string key = to_string(static_cast<profile_measure>(limit));
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
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
    if (is_of_bytes(static_cast<profile_measure>(limit)) && t.is_text(key)) {
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
    for (std::size_t limit = 0; limit != profile_measures; ++limit) {
        if (const std::string key = key_of_limit(limit); t.has(key)) {
            b.most[limit] = limit_in(t, key, limit);
        }
    }
    if (std::ranges::none_of(b.most, [](const auto& m) { return m.has_value(); })) {
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
    for (std::size_t limit = 0; limit != profile_measures; ++limit) {
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

std::vector<budget> read_budget_file(const std::filesystem::path& file) {
    const std::string text = text_of_file(file);
    if (text.starts_with("\x89LINNTR")) {
        throw unusable_input{
            fmt::format("{} is a trace: the budgets come first, linn check BUDGETS TRACE", file.string())};
    }
    try {
        return budgets_in(text);
    } catch (const toml_problem& problem) {
        throw unusable_input{fmt::format("{}:{}: {}", file.string(), problem.line(), problem.what())};
    }
}

namespace {

/// Whether a text is what a pattern says: '*' stands for any letters, all else for itself.
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

constexpr std::size_t most_stacks = 3;

bool is_in_file(const symbol_frame& place, const std::string& pattern) {
    return matches(pattern, place.file) || matches("*/" + pattern, place.file);
}

/// Whether a budget is about a site. Where a name is missing that would tell, it may be.
enum class relation : std::uint8_t { no, maybe, yes };

relation type_relation(const budget& b, const profile_site& s) {
    const auto is_type = [&](const std::string& name) { return !name.empty() && matches(b.type, name); };
    if (b.type.empty() || is_type(s.label) || is_type(s.named.type) || is_type(s.named.container) ||
        is_type(s.named.allocated)) {
        return relation::yes;
    }
    return s.lacks.empty() ? relation::no : relation::maybe;
}

relation file_relation(const budget& b, const profile_site& s) {
    if (b.file.empty() || is_in_file(s.named.place, b.file)) {
        return relation::yes;
    }
    const auto lacks_file = [](const symbol_frame& f) { return f.is_own && f.file.empty(); };
    return s.named.place.file.empty() && std::ranges::any_of(s.named.frames, lacks_file) ? relation::maybe
                                                                                         : relation::no;
}

relation function_relation(const budget& b, const profile_site& s) {
    const auto is_it = [&](const symbol_frame& f) { return matches(b.function, function_name(f)); };
    if (b.function.empty() || std::ranges::any_of(s.named.frames, is_it)) {
        return relation::yes;
    }
    const auto is_unnamed = [](const symbol_frame& f) { return f.is_own && f.function.empty(); };
    return std::ranges::any_of(s.named.frames, is_unnamed) ? relation::maybe : relation::no;
}

relation relation_of(const budget& b, const profile_site& s) {
    return std::min({type_relation(b, s), file_relation(b, s), function_relation(b, s)});
}

class checker {
public:
    checker(const trace_profile& profile, check_result& result) : profile_{profile}, result_{result} {}

    void check(const budget& b) {
        std::vector<bool> sites;
        std::vector<bool> possible; // those, and what may belong to them
        for (const profile_site& s : profile_.sites) {
            const relation r = relation_of(b, s);
            sites.push_back(r == relation::yes);
            possible.push_back(r != relation::no);
        }
        if (std::find(sites.begin(), sites.end(), true) == sites.end()) {
            warn_of_nothing(b);
        }
        if (!b.function.empty()) {
            warn_of_depth();
        }
        for (std::size_t limit = 0; limit != profile_measures; ++limit) {
            if (b.most[limit]) {
                check_limit(b, limit, sites, possible);
            }
        }
    }

private:
    void check_limit(const budget& b, std::size_t limit, const std::vector<bool>& sites,
                     const std::vector<bool>& possible) {
        checked_limit c;
        c.of = b;
        c.limit = static_cast<profile_measure>(limit);
        c.most = *b.most[limit];
        c.used = used_by_all(b, limit, sites);
        c.used_at_most = possible == sites ? c.used : used_by_all(b, limit, possible);
        if (c.is_broken()) {
            c.stacks = largest_stacks(limit, sites);
        } else if (c.is_unknown()) {
            tell_unknown(c, sites, possible);
        }
        result_.limits.push_back(std::move(c));
    }

    std::uint64_t used_by_all(const budget& b, std::size_t limit, const std::vector<bool>& sites) const {
        if (static_cast<profile_measure>(limit) == profile_measure::peak_bytes) {
            return b.is_of_all() ? profile_.analysis.all.peak_live_bytes : peak_of_sites(profile_, sites);
        }
        std::uint64_t used = 0;
        for (std::size_t i = 0; i != sites.size(); ++i) {
            used += sites[i] ? profile_.sites[i].counts.of[limit] : 0;
        }
        return used;
    }

    void tell_unknown(const checked_limit& c, const std::vector<bool>& sites,
                      const std::vector<bool>& possible) {
        std::set<std::string> reasons;
        for (std::size_t i = 0; i != sites.size(); ++i) {
            if (possible[i] && !sites[i] && !profile_.sites[i].lacks.empty()) {
                reasons.insert(profile_.sites[i].lacks);
            }
        }
        result_.incomplete.push_back(fmt::format("{}: {} {} are known, and {} more may belong to it, because "
                                                 "their types, functions or files have no names{}{}",
                                                 c.of.name, c.figure(c.used).text(), words_of(c.limit),
                                                 c.figure(c.used_at_most - c.used).text(),
                                                 reasons.empty() ? "" : ": ", fmt::join(reasons, "; ")));
    }

    /// Stacks that look alike are one: of copies of a loop, and of malloc() and realloc().
    std::vector<counted_stack> largest_stacks(std::size_t limit, const std::vector<bool>& sites) const {
        std::map<std::string, counted_stack> alike;
        for (std::size_t i = 0; i != sites.size(); ++i) {
            const profile_site& s = profile_.sites[i];
            const std::uint64_t used = s.counts.of[limit];
            if (sites[i] && used != 0) {
                alike
                    .try_emplace(s.label + s.callers_key(),
                                 counted_stack{{s.label, s.named.place, s.named.frames}, 0})
                    .first->second.used += used;
            }
        }
        std::vector<counted_stack> stacks = sorted_rows(std::move(alike), &counted_stack::used);
        stacks.resize(std::min(stacks.size(), most_stacks));
        return stacks;
    }

    /// No allocation is what many budgets ask for; a name that was mistyped asks for it too.
    void warn_of_nothing(const budget& b) {
        if (b.type.empty() || b.type.find('*') != std::string::npos) {
            return;
        }
        std::set<std::string> names;
        for (const profile_site& s : profile_.sites) {
            names.insert(s.label);
            names.insert(s.named.type);
        }
        if (const std::string guess = did_you_mean(b.type, {names.begin(), names.end()}); !guess.empty()) {
            result_.warnings.push_back(
                fmt::format("line {}: nothing is allocated of type '{}'{}", b.line, b.type, guess));
        }
    }

    void warn_of_depth() {
        const unsigned depth = profile_.analysis.info.depth;
        const auto& stacks = profile_.analysis.info.stacks;
        if (is_depth_told_ ||
            std::ranges::none_of(stacks, [&](const auto& s) { return depth != 0 && s.size() >= depth; })) {
            return;
        }
        is_depth_told_ = true;
        result_.warnings.push_back(
            fmt::format("stacks of {} and more were cut off: a budget with 'function' does not see what is "
                        "further out; record with a larger --depth",
                        figures::counted(depth, "call")));
    }

    const trace_profile& profile_;
    check_result& result_;
    bool is_depth_told_ = false;
};

std::string no_budget_for(const std::string& program, const std::vector<budget>& budgets) {
    std::set<std::string> names;
    for (const budget& b : budgets) {
        names.insert(b.program);
    }
    return fmt::format("no budget is for the program '{}': there are some for '{}'", program,
                       fmt::join(names, "', '"));
}

std::string verdict_of(const check_result& r) {
    const std::size_t broken = r.broken();
    if (broken != 0) {
        return fmt::format("{} of {} broken", broken, figures::counted(r.limits.size(), "limit"));
    }
    const auto unknown =
        std::ranges::count_if(r.limits, [](const checked_limit& c) { return c.is_unknown(); });
    if (static_cast<std::size_t>(unknown) != r.incomplete.size()) {
        return "The recording is not whole, so nothing is proven";
    }
    if (unknown != 0) {
        return fmt::format("Names are missing for {} of {}, so nothing is proven", unknown,
                           figures::counted(r.limits.size(), "limit"));
    }
    return r.limits.size() == 1 ? "The limit is kept"
                                : fmt::format("All {} limits are kept", r.limits.size());
}

} // namespace

std::size_t check_result::broken() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(limits, [](const checked_limit& c) { return c.is_broken(); }));
}

check_result check_budgets(const std::vector<budget>& budgets, const trace_profile& profile) {
    check_result result;
    result.trace = profile.path.string();
    result.command = profile.analysis.info.command;
    result.incomplete = why_incomplete(profile.analysis.info);
    const std::string program = result.command.empty() ? "" : program_name(result.command.front());
    checker all{profile, result};
    for (const budget& b : budgets) {
        if (b.program.empty() || matches(b.program, program)) {
            all.check(b);
        } else {
            ++result.others;
        }
    }
    if (result.limits.empty()) {
        result.problem = no_budget_for(program, budgets);
    }
    result.verdict = verdict_of(result);
    return result;
}

} // namespace linn::tool
