// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// What the value of an option must be. They have no description: the value's name says enough in the help.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
CLI::Validator number(double least, double most);
CLI::Validator one_of(std::vector<std::string> words);
/// Accepts everything; completion offers the words, as it does those of `one_of`.
CLI::Validator offered(const std::vector<std::string>& words);

/// Adds an option that takes a value. `called` is the value's name in the help: "COUNT".
template <class Value>
CLI::Option* add_value(CLI::App& app, const char* names, Value& into, const char* called,
                       const std::string& help) {
    return app.add_option(names, into, help)->type_name(called);
}

/// Likewise for a value that must be something.
template <class Value>
CLI::Option* add_value(CLI::App& app, const char* names, Value& into, const char* called,
                       const std::string& help, const CLI::Validator& must_be) {
    return add_value(app, names, into, called, help)->check(must_be);
}

/// A file to write that is not standard output.
CLI::Validator named_file();

/// A folder that is there.
CLI::Validator existing_folder();

/// Every use of the option counts, each with one word: the next word is the command's.
CLI::Option* repeatable(CLI::Option* option);

/// The parser's complaint as a sentence: "--rounds must be a whole number from 1 to 100000, not 'abc'".
std::string sentence_of(const CLI::ParseError& error);

/// Reads `--seed`; without one (empty text) the seed is random. Returns what is wrong, or an empty string.
std::string read_seed(const std::string& text, std::uint64_t& seed);

/// Takes the program and its arguments, which stand behind a command's options, with or without "--" before them.
/// Returns an empty string, or what is wrong with them.
std::string take_program_words(const CLI::App& app, std::vector<std::string>& words);

} // namespace linn::tool
