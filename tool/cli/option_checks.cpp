// SPDX-License-Identifier: Apache-2.0
#include "option_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace linn::tool {
namespace {

constexpr std::string_view must_be = "must be ";

template <class Number>
std::string outside(std::string_view kind, Number least, Number most, const std::string& text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && stop == end && value >= least && value <= most)
        return {};
    return fmt::format("{}a {} from {} to {}, not '{}'", must_be, kind, least, most, text);
}

/// "A<between>B" as "A<now>B<behind>".
std::string replaced(const std::string& text, std::string_view between, std::string_view now,
                     std::string_view behind) {
    const std::size_t at = text.find(between);
    return at == std::string::npos
               ? text
               : fmt::format("{}{}{}{}", text.substr(0, at), now, text.substr(at + between.size()), behind);
}

} // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    return {[least, most](const std::string& text) { return outside("whole number", least, most, text); },
            ""};
}

CLI::Validator number(double least, double most) {
    return {[least, most](const std::string& text) { return outside("number", least, most, text); }, ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
    return {[words = std::move(words)](const std::string& text) {
                return std::find(words.begin(), words.end(), text) != words.end()
                           ? std::string{}
                           : fmt::format("{}one of {}, not '{}'", must_be, fmt::join(words, ", "), text);
            },
            ""};
}

std::string sentence_of(const CLI::ParseError& error) {
    const std::string text = error.what();
    if (error.get_name() == "ValidationError")
        return replaced(text, fmt::format(": {}", must_be), fmt::format(" {}", must_be), "");
    if (error.get_name() == "ExcludesError")
        return replaced(text, " excludes ", " and ", " cannot be combined");
    if (error.get_name() == "RequiresError")
        return replaced(text, " requires ", " needs ", "");
    if (error.get_name() == "RequiredError" && text.ends_with(" is required"))
        return "missing " + text.substr(0, text.find(' '));
    return text;
}

} // namespace linn::tool
