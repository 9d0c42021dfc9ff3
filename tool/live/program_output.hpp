// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../record/child_program.hpp"
#include "last_lines.hpp"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace linn::tool::live {

/// What a program writes to the terminal while the view is on it: a terminal of the tool's own takes it, so that the program notices
/// nothing, and keeps it in a file without a name until the view has ended. Then everything goes to the real terminal, in its
/// order, as if the view had never been there.
class program_output {
public:
    program_output() = default;
    program_output(const program_output&) = delete;
    program_output& operator=(const program_output&) = delete;
    ~program_output();

    /// Makes the terminal, like the real one, for those of standard output and error that are on it. Returns what the program gets;
    /// nothing where neither is on it, or no terminal can be made.
    child_streams open(int terminal);
    /// The program has its end: from now on it alone decides when the output is over.
    void program_runs();

    /// To be polled for input; -1: there is nothing any more.
    int source() const noexcept { return source_; }
    /// Takes what is there. True if there was something.
    bool pump();
    /// The real terminal has another size.
    void resize(std::size_t columns, std::size_t lines) const;
    /// What was written last, for the view.
    std::vector<std::string> lines() const { return last_.lines(); }

    /// Writes all that was kept to the real terminal, and what comes from now on at once.
    void pass_on();

private:
    static constexpr std::size_t shown_lines = 20;

    void write_out(const char* bytes, std::size_t count) const;

    struct closer {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    int terminal_ = -1; ///< the real one
    int source_ = -1;   ///< our end
    int end_ = -1;      ///< the program's, until it runs
    std::unique_ptr<std::FILE, closer> kept_;
    last_lines last_{shown_lines};
    bool passes_on_ = false;
};

} // namespace linn::tool::live
