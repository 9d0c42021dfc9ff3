// SPDX-License-Identifier: Apache-2.0
// Names the sites that the preload wrote: name_sites PROGRAM SITES [--debug-dir DIR]… [--no-source]
// A line a site: count, bytes, rule, type, container, allocated, place, by tabulators.
#include "symbols/symbolizer.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace linn::tool;

namespace {

struct read_site {
    allocation_site site;
    std::map<std::uint64_t, unsigned long> counts; // by size
};

std::string site_key(const std::string& line) {
    std::istringstream in(line);
    std::string count;
    std::string bytes;
    std::string rest;
    in >> count >> bytes;
    std::getline(in, rest);
    // The RTTI stays with the site even where a size's own blocks were not probed.
    std::istringstream parts(rest);
    std::string call;
    std::string rtti;
    parts >> call >> rtti;
    std::getline(parts, rest);
    return call + rest;
}

void add(read_site& one, const std::string& line, const std::string& program) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) {
        fields.push_back(field);
    }
    if (fields.size() < 5) {
        return;
    }
    one.counts[std::stoull(fields[1])] += std::stoul(fields[0]);
    one.site.is_operator_new = fields[2] != "m";
    one.site.is_array_new = fields[2] == "a";
    if (fields[3] != "-") {
        one.site.rtti = fields[3];
    }
    if (!one.site.stack.empty()) {
        return;
    }
    for (std::size_t i = 4; i < fields.size(); ++i) {
        const std::size_t space = fields[i].rfind(' ');
        const std::string path = fields[i].substr(0, space);
        one.site.stack.push_back({path == "/proc/self/exe" ? program : path, "",
                                  std::stoull(fields[i].substr(space + 1), nullptr, 16) - 1});
    }
}

} // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    symbol_options options;
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
        if (words[i] == "--debug-dir") {
            options.debug_folders.push_back(words[i + 1]);
        }
    }
    std::map<std::string, read_site> sites;
    std::ifstream in(words.at(1));
    for (std::string line; std::getline(in, line);) {
        add(sites[site_key(line)], line, words[0]);
    }
    symbolizer symbols(options);
    type_namer namer(symbols);
    for (auto& [key, one] : sites) {
        std::multimap<unsigned long, std::uint64_t, std::greater<>> by_count;
        for (const auto& [bytes, number] : one.counts) {
            by_count.emplace(number, bytes);
        }
        for (const auto& [number, bytes] : by_count) {
            if (one.site.sizes.size() < 8) {
                one.site.sizes.push_back(bytes);
            }
        }
        const named_type type = namer.name(one.site);
        unsigned long all = 0;
        for (const auto& [bytes, number] : one.counts) {
            all += number;
        }
        std::printf("%lu\t%llu\t%s\t%s\t%s\t%s\t%s:%u\n", all,
                    static_cast<unsigned long long>(one.site.sizes.front()), to_string(type.rule),
                    type.type.c_str(), type.container.c_str(), type.allocated.c_str(),
                    type.place.file.c_str(), type.place.line);
    }
    const module_symbols about = symbols.about(words[0], "");
    if (!about.problem.empty()) {
        std::fprintf(stderr, "%s\n", about.problem.c_str());
    }
    return 0;
}
