// SPDX-License-Identifier: Apache-2.0
#include "fill_check.hpp"

#include <charconv>

namespace clang::tidy::linn {

fill_check::fill_check(StringRef name, ClangTidyContext* context)
    : ClangTidyCheck(name, context),
      min_bytes_{number_option("MinBytes", 64)},
      tells_facts_{number_option("Facts", 0) != 0} {}

void fill_check::storeOptions(ClangTidyOptions::OptionMap& options) {
    store_number(options, "MinBytes", min_bytes_);
    store_number(options, "Facts", tells_facts_ ? 1 : 0);
}

// The templates of OptionsView mangle differently under GCC and Clang, so a plugin built by GCC would not load: options are
// read and written as text.
std::uint64_t fill_check::number_option(StringRef name, std::uint64_t otherwise) const {
    const std::string text = Options.get(name, StringRef()).str();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : otherwise;
}

void fill_check::store_number(ClangTidyOptions::OptionMap& to, StringRef name, std::uint64_t value) const {
    const std::string text = std::to_string(value);
    Options.store(to, name, StringRef(text));
}

void fill_check::begin(ASTContext& context) {
    context_ = &context;
    if (!sizes_) {
        sizes_ = std::make_unique<fill_size>(context);
    }
}

void fill_check::report(const finding& found) {
    const auto tell = [&](SourceLocation where, const std::string& text, const std::vector<FixItHint>& edits,
                          DiagnosticIDs::Level level) {
        auto message = diag(where, "%0", level);
        message << text;
        for (const FixItHint& edit : edits) {
            message << edit;
        }
    };
    tell(found.where, found.text, found.edits, DiagnosticIDs::Warning);
    for (const finding_note& note : found.notes) {
        tell(note.where, note.text, note.edits, DiagnosticIDs::Note);
    }
    if (tells_facts_) {
        // A note goes where its warning goes: NOLINT, filters and --export-fixes treat both alike.
        tell(context_->getSourceManager().getFileLoc(found.where), facts_of(found), {}, DiagnosticIDs::Note);
    }
}

} // namespace clang::tidy::linn
