// SPDX-License-Identifier: Apache-2.0
#include "fixes.hpp"

#include <algorithm>
#include <set>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// True when the two cannot both be made. Two insertions at one place have no order.
bool conflict(const lint_replacement& a, const lint_replacement& b) {
    if (a == b) {
        return false;
    }
    if (a.length == 0 && b.length == 0) {
        return a.offset == b.offset;
    }
    return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

class fixer {
public:
    fixer(source_texts& texts, fs::file_time_type read_at) : texts_{texts}, read_at_{read_at} {}

    /// Why the fix cannot be made; empty when it is.
    std::string take(const lint_finding& f) {
        const source_text& text = texts_.of(f.file);
        std::error_code error;
        if (const auto changed = fs::last_write_time(f.file, error); error || changed > read_at_) {
            return "the file was changed while it was checked";
        }
        std::set<lint_replacement>& made = made_[f.file];
        for (const lint_replacement& r : f.fix) {
            if (r.file != f.file) {
                return "it would change another file";
            }
            if (r.offset > text.text().size() || r.length > text.text().size() - r.offset) {
                return "it does not fit the file";
            }
            if (std::any_of(made.begin(), made.end(),
                            [&](const auto& other) { return conflict(other, r); })) {
                return "it overlaps with another fix; run again";
            }
        }
        made.insert(f.fix.begin(), f.fix.end());
        return {};
    }

    std::map<std::string, std::string> changed() const {
        std::map<std::string, std::string> out;
        for (const auto& [file, made] : made_) {
            if (made.empty()) {
                continue;
            }
            std::string text = texts_.of(file).text();
            for (auto r = made.rbegin(); r != made.rend(); ++r) { // from the end, so that offsets stay right
                text.replace(r->offset, r->length, r->text);
            }
            out.emplace(file, std::move(text));
        }
        return out;
    }

private:
    source_texts& texts_;
    fs::file_time_type read_at_;
    std::map<std::string, std::set<lint_replacement>> made_; // in the order of their offsets
};

} // namespace

std::map<std::string, std::string> apply_fixes(std::vector<lint_finding>& findings, source_texts& texts,
                                               bool with_notes, fs::file_time_type read_at) {
    fixer all{texts, read_at};
    for (lint_finding& f : findings) {
        if (f.state != fix_state::offered && (!with_notes || f.state != fix_state::in_note)) {
            continue;
        }
        f.refusal = all.take(f);
        f.state = f.refusal.empty() ? fix_state::applied : fix_state::refused;
    }
    return all.changed();
}

void refuse_fixes_of(std::vector<lint_finding>& findings, const std::string& file,
                     const std::string& reason) {
    for (lint_finding& f : findings) {
        if (f.file == file && f.state == fix_state::applied) {
            f.state = fix_state::refused;
            f.refusal = reason;
        }
    }
}

} // namespace linn::tool
