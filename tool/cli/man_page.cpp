// SPDX-License-Identifier: Apache-2.0
#include "../report/version.hpp"
#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <sstream>
#include <string_view>

namespace linn::tool {
namespace {

/// The text as troff prints it: no line begins with a request, and a hyphen is the one that is typed.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (out.empty() || out.back() == '\n') {
            out += c == '.' || c == '\'' ? "\\&" : "";
        }
        out += c == '\\' ? std::string{"\\e"} : c == '-' ? std::string{"\\-"} : std::string{c};
    }
    return out;
}

std::string upper(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string page_name(const command_help& cmd) {
    return cmd.name.empty() ? "linn" : "linn-" + cmd.name;
}

/// "Examples:" and the indented lines below it, as a section; each heading of the help text is one.
std::string sections(const std::string& footer) {
    std::string out;
    std::istringstream in{footer};
    bool is_open = false;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.front() != ' ' && line.back() == ':') {
            out += is_open ? ".fi\n" : "";
            line.pop_back();
            out += fmt::format(".SH {}\n.nf\n", upper(plain(line)));
            is_open = true;
        } else if (!line.empty()) {
            out += is_open ? "" : ".SH DESCRIPTION\n.nf\n";
            is_open = true;
            out += plain(line) + '\n';
        }
    }
    return out + (is_open ? ".fi\n" : "");
}

} // namespace

std::string man_page(const command_help& cmd, const std::vector<command_help>& all) {
    const std::string name = page_name(cmd);
    std::string options;
    for (const option_words& option : cmd.options) {
        if (option.is_argument()) {
            options += fmt::format(".TP\n\\fI{}\\fR\n{}\n", plain(option.argument), plain(option.text));
            continue;
        }
        const std::string value =
            option.kind == value_kind::none ? "" : fmt::format(" \\fI{}\\fR", plain(option.value));
        options +=
            fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(fmt::format("{}", fmt::join(option.names, ", "))),
                        value, plain(option.text));
    }
    std::string text = fmt::format(".TH {} 1 \"\" \"linn {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n"
                                   ".SH SYNOPSIS\n\\fBlinn {}\\fR{}\n",
                                   upper(plain(name)), plain(version_text()), plain(name), plain(cmd.text),
                                   cmd.name, plain(synopsis_of(cmd)));
    if (cmd.name.empty()) {
        text += ".SH COMMANDS\n";
        for (const command_help& one : all) {
            if (!one.name.empty()) {
                text += fmt::format(".TP\n\\fBlinn\\-{}\\fR(1)\n{}\n", one.name, plain(one.text));
            }
        }
    }
    text += fmt::format(".SH OPTIONS\n{}", options) + sections(cmd.footer);
    return text + ".SH EXIT STATUS\n0: done; 1: it failed, or found what it looks for; 2: the arguments are "
                  "wrong.\n";
}

} // namespace linn::tool
