// SPDX-License-Identifier: Apache-2.0
#include "prober.hpp"

#include "../measure/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace linn::tool {

namespace fs = std::filesystem;

std::string provider_proof::file_of(const std::string& function) const {
    const auto found = files.find(function);
    return found == files.end() ? std::string{} : found->second;
}

std::string provider_proof::told(const std::string& function) const {
    const std::string file = file_of(function);
    return fmt::format("{} is provided by {}", function, file.empty() ? "no file" : file);
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || (fs::equivalent(a, b, error) && !error);
}

bool is_c_library(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl");
}

bool is_cxx_runtime(const std::string& file) {
    const std::string name = fs::path{file}.filename().string();
    return name.starts_with("libstdc++.so") || name.starts_with("libc++.so") ||
           name.starts_with("libc++abi.so");
}

std::string refute(const provider_proof& proof, const fs::path& library, const fs::path& executable) {
    if (library.empty()) {
        for (const char* function : {"malloc", "free"}) {
            if (!is_c_library(proof.file_of(function))) {
                return proof.told(function) + ", not by the C library";
            }
        }
        for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
            if (!is_cxx_runtime(proof.file_of(function))) {
                return proof.told(function) + ", not by the C++ runtime";
            }
        }
        return {};
    }

    constexpr const char* without_effect = "the preload did not take effect: ";
    for (const char* function : {"malloc", "free"}) {
        if (!is_same_file(proof.file_of(function), library.string())) {
            return without_effect + proof.told(function);
        }
    }
    if (!proof.preload_mapped) {
        return fmt::format("{}{} is not mapped", without_effect, library.string());
    }
    for (const char* function : {"operator new", "operator delete", "sized operator delete"}) {
        const std::string file = proof.file_of(function); // a program in C has none
        if (!file.empty() && !is_same_file(file, library.string()) && !is_cxx_runtime(file) &&
            file != executable.string()) {
            return without_effect + proof.told(function);
        }
    }
    const std::string new_file = proof.file_of("operator new");
    const std::string delete_file = proof.file_of("operator delete");
    return new_file.empty() || delete_file.empty() || is_same_file(new_file, delete_file)
               ? std::string{}
               : without_effect + proof.told("operator new") + ", " + proof.told("operator delete");
}

namespace {

/// What the lines of the probe say, and the last thing that it set out to do.
struct reading {
    bool done = false;
    std::string doing;
};

reading read_lines(const std::string& text, probe_report& report) {
    reading r;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = std::min(line.find('\t'), line.size());
        const std::string key = line.substr(0, tab);
        const std::string value = line.substr(std::min(tab + 1, line.size()));
        if (key == "doing") {
            r.doing = value;
        } else if (key == "done") {
            r.done = true;
        } else if (key == "provider") {
            const std::size_t second = std::min(value.find('\t'), value.size());
            report.proof.files[value.substr(0, second)] = value.substr(std::min(second + 1, value.size()));
        } else if (key == "mapped") {
            report.proof.preload_mapped = value == "1";
        } else if (key == "version") {
            report.version = value;
        } else if (key == "checks") {
            report.checks = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
        } else if (key == "wrong") {
            report.wrong.push_back(value);
        } else if (key == "weak") {
            report.weak.push_back(value);
        }
    }
    return r;
}

child_result start(const char* what, const std::filesystem::path& library,
                   const std::vector<std::string>& environment, std::chrono::seconds timeout,
                   const interrupt_guard& guard) {
    return run_child({companion("linn-allocator-probe").string(), what, library.string()},
                     child_environment(library.string(), environment), timeout, guard, [] {});
}

std::string ending(const child_result& child, const reading& r, std::chrono::seconds timeout) {
    std::string text = describe_ending(child, timeout);
    if (child.how == child_result::ending::not_started) {
        return text + ' ' + companion("linn-allocator-probe").string();
    }
    return fmt::format("{} while {}", text, r.doing.empty() ? "starting a program" : r.doing);
}

bool ended_well(const child_result& child) {
    return child.how == child_result::ending::exited && child.code == 0;
}

} // namespace

std::string loader_complaint(const std::string& standard_error) {
    const std::size_t start = standard_error.find("ld.so: ");
    if (start == std::string::npos) {
        return {};
    }
    return standard_error.substr(start, standard_error.find('\n', start) - start);
}

probe_report try_library(const std::filesystem::path& library, const std::vector<std::string>& environment,
                         std::chrono::seconds timeout, const interrupt_guard& guard) {
    probe_report report;
    const child_result all = start("all", library, environment, timeout, guard);
    const reading r = read_lines(all.out, report);
    report.interrupted = all.how == child_result::ending::interrupted;
    if (const std::string complaint = loader_complaint(all.err); !complaint.empty()) {
        report.failure = complaint;
    } else if (!ended_well(all) || !r.done) {
        report.failure = ending(all, r, timeout);
    }
    if (!report.failure.empty() || report.interrupted) {
        return report;
    }

    // By itself, because there are allocators that end the process.
    const child_result huge = start("huge", library, environment, timeout, guard);
    report.interrupted = huge.how == child_result::ending::interrupted;
    if (const reading end = read_lines(huge.out, report); !ended_well(huge) || !end.done) {
        child_result silent = huge;
        silent.err.clear(); // some print pages of statistics
        report.weak.push_back(ending(silent, end, timeout));
    }
    return report;
}

} // namespace linn::tool
