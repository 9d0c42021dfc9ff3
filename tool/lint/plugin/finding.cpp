// SPDX-License-Identifier: Apache-2.0
#include "finding.hpp"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace clang::tidy::linn {
namespace {

/// Raised when a field changes its meaning; the tool refuses other versions.
constexpr int facts_version = 2;

const char* kind_name(note_kind kind) {
    switch (kind) {
    case note_kind::member:
        return "member";
    case note_kind::rest:
        return "rest";
    case note_kind::read:
        return "read";
    case note_kind::advice:
        return "advice";
    case note_kind::instantiation:
        return "instantiation";
    }
    return "";
}

/// Why a fix is offered on the warning (safe), on a note (review), or not at all.
const char* fix_name(const finding& found) {
    if (!found.edits.empty()) {
        return "safe";
    }
    for (const finding_note& note : found.notes) {
        if (!note.edits.empty()) {
            return "review";
        }
    }
    return "none";
}

const char* class_name(fill_class certainty) {
    switch (certainty) {
    case fill_class::removable:
        return "removable";
    case fill_class::relied_upon:
        return "relied upon";
    case fill_class::cold:
        return "cold";
    }
    return "";
}

/// A name in the source may hold bytes that are no UTF-8, and JSON must.
std::string json_text(const std::string& text) {
    return llvm::json::fixUTF8(text);
}

} // namespace

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string facts_of(const finding& found) {
    llvm::json::Array members;
    llvm::json::Array notes;
    for (const finding_note& note : found.notes) {
        notes.push_back(kind_name(note.kind));
        if (note.kind == note_kind::member) {
            members.push_back(llvm::json::Object{{"name", json_text(note.member)}, {"bytes", note.bytes}});
        }
    }
    const llvm::json::Value facts = llvm::json::Object{{"linn_finding", facts_version},
                                                       {"what", json_text(found.what)},
                                                       {"bytes", found.bytes},
                                                       {"per_element", found.per_element},
                                                       {"after_a_change", found.after_a_change},
                                                       {"class", class_name(found.certainty)},
                                                       {"fix", fix_name(found)},
                                                       {"reason", json_text(found.reason)},
                                                       {"members", std::move(members)},
                                                       {"notes", std::move(notes)}};
    std::string line;
    llvm::raw_string_ostream(line) << facts;
    return line;
}

} // namespace clang::tidy::linn
