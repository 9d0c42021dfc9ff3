// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "../program/executable.hpp"
#include "lint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <set>

namespace linn::tool {

const std::string& source_texts::of(const std::string& file) {
    const auto [found, is_new] = files_.try_emplace(file);
    if (is_new) {
        found->second = read_file(file).value_or("");
    }
    return found->second;
}

text_place source_texts::place(const std::string& file, std::size_t offset) {
    const std::string_view text = of(file);
    if (offset > text.size() || text.empty()) {
        return {};
    }
    const std::string_view before = text.substr(0, offset);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    return {lines + 1, offset - before.rfind('\n')}; // where there is none, it is -1
}

std::string_view source_texts::line(const std::string& file, std::size_t offset) {
    const std::string_view text = of(file);
    const text_place at = place(file, offset);
    const std::string_view rest = text.substr(at.line == 0 ? text.size() : offset + 1 - at.column);
    return rest.substr(0, rest.find_first_of("\r\n"));
}

namespace {

namespace fs = std::filesystem;

/// @param directory where relative paths start
tidy_message message_of(const YAML::Node& node, const fs::path& directory) {
    const auto absolute = [&](const std::string& file) {
        return file.empty() ? file : (directory / file).lexically_normal().string();
    };
    tidy_message m;
    m.text = node["Message"].as<std::string>();
    m.file = absolute(node["FilePath"].as<std::string>(""));
    m.offset = node["FileOffset"].as<std::size_t>(0);
    for (const YAML::Node& r : node["Replacements"]) {
        m.fix.push_back({absolute(r["FilePath"].as<std::string>()), r["Offset"].as<std::size_t>(),
                         r["Length"].as<std::size_t>(), r["ReplacementText"].as<std::string>("")});
    }
    return m;
}

tidy_diagnostic diagnostic_of(const YAML::Node& node, const std::string& directory) {
    const YAML::Node folder = node["BuildDirectory"];
    const fs::path start = folder && !folder.Scalar().empty() ? folder.Scalar() : directory;
    tidy_diagnostic d;
    d.name = node["DiagnosticName"].as<std::string>();
    d.level = node["Level"].as<std::string>("Warning");
    d.message = message_of(node["DiagnosticMessage"], start);
    for (const YAML::Node& note : node["Notes"]) {
        d.notes.push_back(message_of(note, start));
    }
    return d;
}

constexpr int oldest_major = 16;
constexpr int newest_major = 40; // only as far as there are files of that name

/// Where a shell would find the program; empty when nowhere.
std::string in_path(const std::string& name) {
    const char* const path = std::getenv("PATH");
    return find_program(name, path == nullptr ? "/usr/bin:/bin" : path).string();
}

child_result call(const std::vector<std::string>& words, const interrupt_guard& guard) {
    return run_child(words, child_environment(""), std::chrono::seconds{60}, guard, [] {});
}

/// The plugins by version, the newest first.
std::map<int, std::string, std::greater<>> plugins_of(const tidy_choice& choice) {
    if (const std::string& given = choice.plugin; !given.empty()) {
        if (std::error_code error; !fs::is_regular_file(given, error)) {
            throw unusable_input{fmt::format("--plugin: there is no file {}", given)};
        }
        std::smatch match;
        static const std::regex pattern{"-(\\d+)\\.so$"};
        if (!std::regex_search(given, match, pattern)) {
            throw unusable_input{fmt::format(
                "--plugin: {} does not tell the version of its clang-tidy; name a linn-tidy-N.so", given)};
        }
        return {{std::stoi(match[1]), fs::absolute(given).string()}};
    }
    std::map<int, std::string, std::greater<>> found;
    for (int major = oldest_major; major <= newest_major; ++major) {
        if (const fs::path file = companion(fmt::format("linn-tidy-{}.so", major)); fs::exists(file)) {
            found[major] = file.string();
        }
    }
    if (found.empty()) {
        throw unusable_input{
            "there is no plugin linn-tidy-N.so next to linn: it was built without the headers of LLVM.\n"
            "Install libclang-19-dev and llvm-19-dev, build Linn again, and see what CMake says about "
            "LINN_LINT_PLUGIN; or name one with --plugin."};
    }
    return found;
}

/// Programs that may be the clang-tidy for a plugin.
std::vector<std::string> programs_for(int major, const tidy_choice& choice) {
    std::vector<std::string> names{choice.clang_tidy};
    if (choice.clang_tidy.empty()) {
        names = {fmt::format("clang-tidy-{}", major), fmt::format("/usr/lib/llvm-{}/bin/clang-tidy", major),
                 fmt::format("/usr/lib/llvm/{}/bin/clang-tidy", major), "clang-tidy"};
    }
    std::vector<std::string> found;
    for (const std::string& name : names) {
        if (std::string path = in_path(name); !path.empty()) {
            found.push_back(std::move(path));
        }
    }
    if (found.empty() && !choice.clang_tidy.empty()) {
        throw unusable_input{fmt::format("--clang-tidy: there is no program {}", choice.clang_tidy)};
    }
    return found;
}

/// A clang-tidy with its version; none where the program does not say one.
std::optional<tidy_program> asked(const std::string& path, const interrupt_guard& guard) {
    const child_result said = call({path, "--version"}, guard);
    static const std::regex pattern{"LLVM version (\\d+)(\\.[0-9.]+)?"};
    std::smatch match;
    if (said.how != child_result::ending::exited || said.code != 0 ||
        !std::regex_search(said.out, match, pattern)) {
        return std::nullopt;
    }
    return tidy_program{path, match[1].str() + match[2].str(), std::stoi(match[1]), ""};
}

/// The program, when it loads the plugin.
tidy_program proved(tidy_program program, const interrupt_guard& guard) {
    const child_result said =
        call({program.path, "--load=" + program.plugin, "--checks=-*,linn-*", "--dump-config"}, guard);
    const bool has_ended_well = said.how == child_result::ending::exited && said.code == 0;
    if (has_ended_well && said.out.find("linn-zero-fill.Facts") != std::string::npos) {
        return program;
    }
    std::string reason = said.err.empty() ? describe_ending(said, std::chrono::seconds{60})
                                          : said.err.substr(0, said.err.find('\n'));
    if (has_ended_well) {
        reason = "it loads, but the checks linn-* are not there, or are those of an older linn";
    }
    throw unusable_input{fmt::format(
        "{} (version {}) cannot load {}:\n  {}\n"
        "A plugin fits the clang-tidy of the very version it was built for, linked with the shared LLVM "
        "library: the "
        "one from pip is not. Build Linn again with the libclang-{}-dev and llvm-{}-dev that belong to this "
        "clang-tidy.",
        program.path, program.version, program.plugin, reason, program.major, program.major)};
}

constexpr std::chrono::seconds no_limit = std::chrono::hours{24 * 365};

std::string config_text(const check_options& o) {
    std::string checks = "-*";
    std::vector<std::string> options;
    for (const auto& [check, is_on] :
         {std::pair{"linn-zero-fill", o.fill}, std::pair{"linn-overwritten-fill", o.overwritten}}) {
        checks += is_on ? fmt::format(",{}", check) : "";
        options.push_back(fmt::format("{{key: {0}.MinBytes, value: {1}}}, {{key: {0}.Facts, value: 1}}",
                                      check, o.min_bytes));
    }
    return fmt::format("{{Checks: '{}', CheckOptions: [{}]}}", checks, fmt::join(options, ", "));
}

/// The first error that the compiler found; empty when it found none. Clang does not know all options of GCC, and goes on
/// without them.
std::string first_error(const std::vector<tidy_diagnostic>& diagnostics) {
    static const std::regex option{"^(unknown|unsupported) (argument|option)"};
    const auto error = std::find_if(diagnostics.begin(), diagnostics.end(), [](const tidy_diagnostic& d) {
        return d.level == "Error" && d.name.starts_with("clang-diagnostic") &&
               !(d.message.file.empty() && std::regex_search(d.message.text, option));
    });
    if (error == diagnostics.end()) {
        return {};
    }
    const tidy_message& m = error->message;
    if (m.file.empty()) {
        return m.text;
    }
    source_texts texts;
    const text_place place = texts.place(m.file, m.offset);
    return fmt::format("{}:{}:{}: {}", m.file, place.line, place.column, m.text);
}

/// Why clang-tidy could not check a unit, or not wholly; empty when it could.
std::string failure_of(const child_result& child, const std::vector<tidy_diagnostic>& diagnostics) {
    if (child.how ==
        child_result::ending::signalled) { // its own text, "PLEASE submit a bug report", does not help here
        return "clang-tidy crashed with " + signal_name(child.code);
    }
    if (child.how != child_result::ending::exited) {
        return "clang-tidy: " + describe_ending(child, no_limit);
    }
    if (child.code != 0 && diagnostics.empty()) {
        const std::size_t error = child.err.find("error: ");
        const std::string words = child.err.substr(error != std::string::npos ? error : 0);
        return fmt::format("clang-tidy ended with status {}: {}", child.code,
                           words.substr(0, words.find('\n')));
    }
    return first_error(diagnostics);
}

/// Runs clang-tidy for one unit, with its files in a folder of its own in `parent`.
unit_outcome check_unit(const lint_unit& unit, const tidy_program& program, const check_options& options,
                        const fs::path& parent, const interrupt_guard& guard) {
    // A database of its own for every unit: clang-tidy would read the whole one each time, and check all of a
    // file's entries.
    const temporary_folder folder{parent, "unit-"};
    write_file(
        folder.path() / "compile_commands.json",
        nlohmann::json::array(
            {{{"directory", unit.directory}, {"file", unit.file}, {"arguments", arguments_for_clang(unit)}}})
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const fs::path fixes = folder.path() / "fixes.yaml";
    const auto start = std::chrono::steady_clock::now();
    const child_result child = run_child(
        {program.path, "--load=" + program.plugin, "--config=" + config_text(options), "--header-filter=.*",
         "--export-fixes=" + fixes.string(), "--quiet", "-p", folder.path().string(), unit.file},
        child_environment(""), no_limit, guard, [] {});
    unit_outcome out;
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.was_run = child.how != child_result::ending::interrupted;
    if (!out.was_run) {
        return out;
    }
    std::string unreadable;
    try {
        out.diagnostics = read_tidy_report(read_file(fixes).value_or(""), unit.directory);
    } catch (const damaged_input& error) {
        unreadable = error.what();
    }
    out.failure = failure_of(child, out.diagnostics);
    if (!unreadable.empty() && child.how == child_result::ending::exited) {
        out.failure = unreadable;
    }
    return out;
}

} // namespace

std::vector<tidy_diagnostic> read_tidy_report(const std::string& yaml, const std::string& directory) {
    std::vector<tidy_diagnostic> list;
    try {
        const YAML::Node root = YAML::Load(yaml);
        if (root.IsNull()) {
            return list;
        }
        for (const YAML::Node& node : root["Diagnostics"]) {
            list.push_back(diagnostic_of(node, directory));
        }
    } catch (const YAML::Exception& error) {
        throw damaged_input{fmt::format("clang-tidy's file of fixes cannot be read: {}", error.what())};
    }
    return list;
}

tidy_program find_tidy_program(const tidy_choice& choice, const interrupt_guard& guard) {
    const auto plugins = plugins_of(choice);
    std::set<std::string> there;
    for (const auto& [major, plugin] : plugins) {
        for (const std::string& path : programs_for(major, choice)) {
            auto program = asked(path, guard);
            if (program && program->major == major) {
                program->plugin = plugin;
                return proved(*program, guard);
            }
            if (program) {
                there.insert(fmt::format("{} ({})", path, program->version));
            } else if (!choice.clang_tidy.empty()) {
                throw unusable_input{
                    fmt::format("--clang-tidy: {} does not say its version as a clang-tidy does", path)};
            }
        }
    }
    const auto& [wanted, plugin] = *plugins.begin();
    throw unusable_input{fmt::format(
        "no clang-tidy here fits the plugin.\n  clang-tidy: {0}\n  plugin: {1} (for clang-tidy {2})\n"
        "To get the one that fits:\n"
        "  Debian, Ubuntu   apt install clang-tidy-{2}\n"
        "  Fedora           dnf install clang-tools-extra   (its version must be {2})\n"
        "  Arch             pacman -S clang                 (the same)\n"
        "  conda            conda install -c conda-forge clang-tools={2}\n"
        "The clang-tidy of pip has LLVM linked in and loads no plugins.",
        there.empty() ? "none found" : fmt::format("{}", fmt::join(there, ", ")), plugin, wanted)};
}

std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress) {
    std::error_code error; // of a TMPDIR that is no folder
    const temporary_folder folder{fs::temp_directory_path(error), "linn-lint-"};
    std::vector<unit_outcome> outcomes(units.size()); // each is written by one thread
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    const auto work = [&] {
        try {
            for (std::size_t i = 0; interrupt_guard::pending() == 0 && (i = next++) < units.size(); ++done) {
                outcomes[i] = check_unit(units[i], program, options, folder.path(), guard);
            }
        } catch (...) {
            next = units.size(); // the others end, too
            throw;
        }
    };
    std::vector<std::future<void>> workers;
    for (unsigned i = 0; i != jobs && i < units.size(); ++i) {
        workers.push_back(std::async(std::launch::async, work));
    }
    for (const std::future<void>& worker : workers) {
        while (worker.wait_for(std::chrono::milliseconds{200}) != std::future_status::ready) {
            const std::size_t newest = std::min(std::max<std::size_t>(next, 1), units.size()) - 1;
            on_progress({done, units.size(), 0,
                         fmt::format("{} of {}  {}", done.load(), figures::counted(units.size(), "file"),
                                     fs::path{units[newest].file}.filename().string())});
        }
    }
    for (std::future<void>& worker : workers) {
        worker.get();
    }
    return outcomes;
}

} // namespace linn::tool
