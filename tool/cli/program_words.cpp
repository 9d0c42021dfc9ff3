// SPDX-License-Identifier: Apache-2.0
#include "program_words.hpp"

#include "../measure/suggest.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {

std::string take_program_words(const CLI::App& app, std::vector<std::string>& words) {
    words = app.remaining();
    bool is_separated = false;
    if (const auto mark = std::find(words.begin(), words.end(), separator_word); mark == words.begin()) {
        if (mark != words.end()) {
            words.erase(mark);
            is_separated = true;
        }
    } else if (mark != words.end()) {
        *mark = "--"; // the program's own
    }
    if (words.empty()) {
        return fmt::format("missing program: linn {} [options] -- PROG ARGS...", app.get_name());
    }
    if (words.front().empty()) {
        return "the program's name is empty";
    }
    if (const std::string& word = words.front(); !is_separated && word.starts_with('-')) {
        std::vector<std::string> candidates;
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) {
                candidates.push_back("--" + name);
            }
        }
        return fmt::format("unknown option '{}'{}", word,
                           did_you_mean(word.substr(0, word.find('=')), candidates));
    }
    return {};
}

} // namespace linn::tool
