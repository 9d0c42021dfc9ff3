// SPDX-License-Identifier: Apache-2.0
#include "proofs.hpp"

#include "../measure/files.hpp"
#include "probe/record.hpp"

#include <cstring>
#include <string_view>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// The file behind the name that the loader knows, which may be a symbolic link.
std::string resolved(std::string_view name) {
    if (name.empty()) {
        return {};
    }
    std::error_code error;
    const fs::path path = fs::canonical(name, error);
    return error ? std::string{name} : path.string();
}

std::vector<std::string> split(std::string_view zeros) {
    std::vector<std::string> list;
    while (!zeros.empty()) {
        const std::size_t end = zeros.find('\0');
        list.emplace_back(zeros.substr(0, end));
        zeros.remove_prefix(end == std::string_view::npos ? zeros.size() : end + 1);
    }
    return list;
}

process_proof read_record(const probe::record& head, std::string_view rest) {
    std::string_view pieces[probe::piece_count];
    for (std::size_t i = 0; i != probe::piece_count; ++i) {
        pieces[i] = rest.substr(0, head.lengths[i]);
        rest.remove_prefix(pieces[i].size());
    }
    process_proof p;
    p.pid = head.pid;
    p.is_main = head.is_main != 0;
    p.name.assign(head.name, ::strnlen(head.name, sizeof head.name));
    p.executable = pieces[probe::executable];
    p.arguments = split(pieces[probe::arguments]);
    p.directory = pieces[probe::directory];
    p.environment = split(pieces[probe::environment]);
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

} // namespace linn::tool
