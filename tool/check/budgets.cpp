// SPDX-License-Identifier: Apache-2.0
#include "budgets.hpp"

#include "../measure/files.hpp"
#include "../measure/suggest.hpp"
#include "../pools/toml_scanner.hpp"

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

/// One reading of one text. Every function returns false once something was wrong.
class budget_reader : private toml_scanner {
public:
    budget_reader(std::string& text, plan_error& error) : toml_scanner(text.data(), text.size(), error) {}

    bool read() {
        if (end_ - at_ >= 3 && std::memcmp(at_, "\xef\xbb\xbf", 3) == 0) {
            at_ += 3;
        }
        for (line_ = 1; at_ != end_; ++line_) {
            if (!read_line()) {
                return false;
            }
        }
        if (!has_version_) {
            return fail("no budgets: linn_budgets = 1 is missing");
        }
        if (budgets_.empty()) {
            return fail("no budgets: there is no [[budget]]");
        }
        return end_budget();
    }

    std::vector<budget> take() { return std::move(budgets_); }

private:
    bool read_line() {
        skip_blanks();
        if (at_ == end_ || *at_ == '\n' || *at_ == '\r' || *at_ == '#') {
            return end_line();
        }
        return (*at_ == '[' ? read_header() : read_pair()) && end_line();
    }

    bool read_header() {
        constexpr std::string_view header = "[[budget]]";
        if (static_cast<std::size_t>(end_ - at_) < header.size() ||
            std::string_view{at_, header.size()} != header) {
            return fail("a file of budgets has no table but [[budget]]");
        }
        at_ += header.size();
        if (!has_version_) {
            return fail("no budgets: linn_budgets = 1 must come first");
        }
        if (budgets_.size() == most_budgets) {
            return fail("a file has %zu budgets at most", most_budgets);
        }
        if (!budgets_.empty() && !end_budget()) {
            return false;
        }
        seen_.clear();
        budgets_.emplace_back().line = line_;
        return true;
    }

    bool read_pair() {
        const std::string name{word()};
        if (name.empty()) {
            return fail("a name is missing");
        }
        if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) {
            return fail("'%.*s' is given twice", length(name), name.data());
        }
        seen_.push_back(name);
        value v{};
        return read_value_of(name, v) && (budgets_.empty() ? take_version(name, v) : take_key(name, v));
    }

    bool take_version(const std::string& name, const value& v) {
        if (name != "linn_budgets") {
            return has_version_ ? fail("'%.*s' belongs below a [[budget]]", length(name), name.data())
                                : fail("no budgets: linn_budgets = 1 must come first");
        }
        if (v.what != value::number || v.integer != 1) {
            return fail("linn_budgets must be 1: this version of linn knows no other");
        }
        has_version_ = true;
        return true;
    }

    bool take_key(const std::string& name, const value& v) {
        for (const text_key& k : text_keys) {
            if (k.name == name) {
                return take_text(name, v, budgets_.back().*k.into);
            }
        }
        for (std::size_t limit = 0; limit != budget_limits; ++limit) {
            if (key_of_limit(limit) == name) {
                return take_limit(name, v, limit);
            }
        }
        return fail_unknown(name);
    }

    bool fail_unknown(const std::string& name) {
        std::vector<std::string> keys;
        for (const text_key& k : text_keys) {
            keys.emplace_back(k.name);
        }
        for (std::size_t limit = 0; limit != budget_limits; ++limit) {
            keys.push_back(key_of_limit(limit));
        }
        return fail("'%.*s' is not a key of [[budget]]%s", length(name), name.data(),
                    did_you_mean(name, keys).c_str());
    }

    bool take_text(const std::string& name, const value& v, std::string& into) {
        if (v.what != value::text || v.string.empty()) {
            return fail("'%.*s' must be a string that is not empty", length(name), name.data());
        }
        into = v.string;
        return true;
    }

    bool take_limit(const std::string& name, const value& v, std::size_t limit) {
        std::optional<std::uint64_t>& most = budgets_.back().most[limit];
        if (v.what == value::number) {
            most = v.integer;
        } else if (v.what == value::text && is_of_bytes(limit)) {
            most = size_in(v.string);
        }
        return most ? true
               : is_of_bytes(limit)
                   ? fail("'%.*s' must be a whole number of bytes, or a size such as \"64 KiB\"",
                          length(name), name.data())
                   : fail("'%.*s' must be a whole number, 0 or more", length(name), name.data());
    }

    /// What must be true of a whole table. The error names the table's line.
    bool end_budget() {
        budget& b = budgets_.back();
        const std::uint32_t here = line_;
        line_ = b.line;
        if (std::none_of(b.most.begin(), b.most.end(), [](const auto& m) { return m.has_value(); })) {
            return fail("a [[budget]] without a limit: give allocations, bytes or another one");
        }
        if (b.name.empty()) {
            b.name = usual_name(b);
        }
        line_ = here;
        return true;
    }

    static std::string usual_name(const budget& b) {
        std::string name = b.type.empty() ? "all allocations" : b.type;
        name += b.function.empty() ? "" : " under " + b.function;
        name += b.file.empty() ? "" : " in " + b.file;
        return name;
    }

    std::vector<budget> budgets_;
    std::vector<std::string> seen_;
    bool has_version_ = false;
};

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

std::vector<budget> read_budgets(std::string text, const std::string& name) {
    plan_error error{};
    budget_reader reader{text, error};
    if (!reader.read()) {
        throw unusable_budgets{fmt::format("{}:{}: {}", name, error.line, error.what)};
    }
    return reader.take();
}

std::vector<budget> read_budget_file(const std::filesystem::path& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        throw unusable_budgets{fmt::format("{} is a directory", file.string())};
    }
    const std::optional<std::string> text = read_file(file);
    if (!text) {
        throw unusable_budgets{fmt::format("{}: {}", file.string(), std::strerror(errno))};
    }
    return read_budgets(*text, file.string());
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
