// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

bool can_be_preloaded(const std::string& path) {
    return path.find_first_of(" :;$\t\n") == std::string::npos;
}

fs::path preloadable_parent() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    return error || !folder.is_absolute() || !can_be_preloaded(folder.string()) ? fs::path{"/tmp"} : folder;
}

} // namespace

run_folder::run_folder() : folder_{preloadable_parent(), "linn-run-"} {
    ::chmod(folder_.path().c_str(), 0711); // to be passed through, not to be listed
    const int fd = ::open(records().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::fchmod(fd, 0622);
        ::close(fd);
    }
}

std::string run_folder::preloadable(const fs::path& library) {
    if (can_be_preloaded(library.string())) {
        return library.string();
    }
    for (int i = 0;; ++i) {
        const fs::path link = folder_.path() / (std::to_string(i) + ".so");
        std::error_code error;
        fs::create_symlink(library, link, error);
        if (error != std::errc::file_exists) {
            return link.string();
        }
    }
}

std::string tail(std::string_view all, std::size_t lines, std::size_t bytes) {
    while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) {
        all.remove_suffix(1);
    }
    std::size_t begin = all.size();
    for (std::size_t left = lines; begin != 0 && all.size() - begin < bytes; --begin) {
        if (all[begin - 1] == '\n' && --left == 0) {
            break;
        }
    }
    all.remove_prefix(begin);
    // Not from the middle of a character.
    while (!all.empty() && begin != 0 && (static_cast<unsigned char>(all.front()) & 0xc0u) == 0x80u) {
        all.remove_prefix(1);
    }
    std::string clean;
    for (const char c : all) {
        if (const auto u = static_cast<unsigned char>(c);
            c == '\n' || c == '\t' || (u >= 0x20 && u != 0x7f)) {
            clean += c;
        }
    }
    return clean;
}

namespace {

/// A line for a message: short, and nothing in it that moves a cursor.
std::string shown(std::string_view line) {
    constexpr std::size_t most = 60;
    std::string text;
    for (const char c : line.substr(0, most)) {
        text += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? '?' : c;
    }
    return line.size() > most ? text + "..." : text;
}

} // namespace

double observation::value(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
}

const process_proof* main_proof(const observation& o) noexcept {
    const auto last =
        std::find_if(o.proofs.rbegin(), o.proofs.rend(), [](const process_proof& p) { return p.is_main; });
    return last == o.proofs.rend() ? nullptr : &*last;
}

double seconds_of(const observation& o) {
    double ns = o.value("wall_ns");
    if (const process_proof* const proof = main_proof(o)) {
        ns += static_cast<double>(proof->littered.wall_ns);
    }
    return ns * 1e-9;
}

std::string refute_run(const observation& o, const fs::path& library, const fs::path& behind,
                       const std::string& own_provider) {
    const process_proof* proof = main_proof(o);
    if (proof == nullptr) {
        return "the program did not say which file provides its memory";
    }
    if (library.empty()) {
        for (const char* function : {"malloc", "free"}) {
            if (!is_same_file(proof->file_of(function), own_provider)) {
                return fmt::format("{}, not by {}", proof->told(function), own_provider);
            }
        }
        return {};
    }
    if (std::string problem = refute(*proof, library, proof->executable); !problem.empty()) {
        return problem;
    }
    if (!behind.empty() && !is_same_file(proof->next_malloc, behind.string())) {
        return fmt::format("the preload did not take effect: malloc behind {} is provided by {}",
                           library.filename().string(),
                           proof->next_malloc.empty() ? "no file" : proof->next_malloc);
    }
    return {};
}

std::string describe_difference(std::string_view expected, std::string_view actual) {
    if (expected == actual) {
        return {};
    }
    const auto parts = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    const auto at = static_cast<std::size_t>(parts.first - expected.begin());
    const auto line = 1 + std::count(expected.begin(), parts.first, '\n');
    const std::size_t newline = at == 0 ? std::string_view::npos : expected.rfind('\n', at - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const auto line_of = [&](std::string_view text) {
        return shown(text.substr(begin, text.find('\n', begin) - begin)); // empty at the end
    };
    return fmt::format("line {} is '{}', not '{}'", line, line_of(actual), line_of(expected));
}

std::string last_words(const observation& o) {
    constexpr std::size_t lines = 5;
    std::string text = tail(o.errors, lines);
    return text.empty() ? tail(o.output, lines) : text;
}

namespace {

/// The file behind the name that the loader knows, which may be a symbolic link.
std::string resolved(std::string_view name) {
    if (name.empty()) {
        return {};
    }
    std::error_code error;
    const fs::path path = fs::canonical(name, error);
    return error ? std::string{name} : path.string();
}

process_proof read_record(const probe::record& head, std::string_view rest) {
    std::string_view pieces[probe::piece_count];
    for (std::size_t i = 0; i != probe::piece_count; ++i) {
        pieces[i] = rest.substr(0, head.lengths[i]);
        rest.remove_prefix(pieces[i].size());
    }
    process_proof p;
    p.is_main = head.is_main != 0;
    p.name.assign(head.name, ::strnlen(head.name, sizeof head.name));
    p.executable = pieces[probe::executable];
    p.arguments = strings_of(pieces[probe::arguments]);
    p.directory = pieces[probe::directory];
    p.environment = strings_of(pieces[probe::environment]);
    for (std::size_t i = 0; i != probe::function_count; ++i) {
        p.files[probe::functions[i]] = resolved(pieces[probe::first_function + i]);
    }
    p.next_malloc = resolved(pieces[probe::next_malloc_piece]);
    p.littered = head.littered;
    p.preload_mapped = head.preload_mapped != 0;
    return p;
}

} // namespace

std::vector<process_proof> read_proofs(const fs::path& file) {
    const std::string all = read_file(file).value_or("");
    std::vector<process_proof> proofs;
    for (std::string_view rest = all; rest.size() >= sizeof(probe::record);) {
        probe::record head;
        std::memcpy(&head, rest.data(), sizeof head);
        std::size_t needed = sizeof head;
        for (const std::uint32_t length : head.lengths) {
            needed += length;
        }
        if (head.magic != probe::record::right_magic || needed != head.bytes || needed > rest.size()) {
            break;
        }
        proofs.push_back(read_record(head, rest.substr(sizeof head, needed - sizeof head)));
        rest.remove_prefix(needed);
    }
    return proofs;
}

void set_variable(std::vector<std::string>& environment, const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(environment, [&](const std::string& e) { return e.starts_with(name); });
    environment.push_back(variable);
}

std::string describe_ending(const observation& o, const launch_spec& spec) {
    using ending = observation::ending;
    const std::string more = o.detail.empty() ? std::string{} : fmt::format(": {}", o.detail);
    switch (o.how) {
    case ending::exited:
        return fmt::format("exit status {}{}", o.code, more);
    case ending::signalled:
        return fmt::format("killed by {}{}{}", signal_name(o.code), o.core_dumped ? " (core dumped)" : "",
                           more);
    case ending::timed_out:
        return fmt::format("timed out after {:g} s", std::chrono::duration<double>(spec.timeout).count());
    case ending::interrupted:
        return "interrupted";
    case ending::not_started:
        return fmt::format("could not start: {}{}", o.detail.empty() ? "" : o.detail + ": ",
                           std::strerror(o.code));
    case ending::too_much_output:
        return fmt::format("wrote more than {} MiB", spec.most_output_bytes >> 20);
    case ending::never_ready:
        return o.code != 0 ? o.detail
                           : fmt::format("was not ready in {:g} s{}",
                                         std::chrono::duration<double>(spec.timeout).count(), more);
    case ending::client_failed:
        return fmt::format("its client failed with exit status {}{}", o.code, more);
    }
    return {};
}

} // namespace linn::tool
