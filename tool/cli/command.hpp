// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_code.hpp"

#include <string_view>

namespace CLI {
class App;
}

namespace linn::tool {

/// Stands for the first "--" in the arguments of a verb that takes a program, because the parser would swallow it.
inline constexpr const char* separator_word = "\x1f--";

/// One verb of the program. Its constructor adds the verb and its options to the program's arguments.
class command {
public:
    explicit command(CLI::App& verb) noexcept : verb_{&verb} {}
    command(const command&) = delete;
    command& operator=(const command&) = delete;
    virtual ~command() = default;

    /// Does what the verb says, after parsing; returns the exit status.
    virtual int run() = 0;

    /// Says something on standard error, after the name of the verb.
    void say(std::string_view what) const;

    /// Likewise for a result that may surprise the user; changes no exit status.
    void warn(std::string_view what) const;

    /// Likewise for an error; returns `status`.
    int refuse(std::string_view problem, int status = exit_failure) const;

    /// Likewise for wrong arguments, with the help page to read; returns `exit_usage`.
    int refuse_arguments(std::string_view problem) const;

    /// The verb among the program's arguments.
    CLI::App& verb() const noexcept { return *verb_; }

private:
    CLI::App* verb_;
};

} // namespace linn::tool
