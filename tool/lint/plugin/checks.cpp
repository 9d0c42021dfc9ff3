// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace clang::tidy::linn {

/// What becomes of a finding's zeros.
enum class fill_class {
    removable,   ///< nothing reads them
    relied_upon, ///< a function that the check cannot see may read them
    cold,        ///< nothing reads them, and they are few and written once
};

struct finding_note {
    const char* kind = ""; ///< "member", "writer" or "advice"
    SourceLocation where{};
    std::string text{};
    std::vector<FixItHint> edits{}; ///< that a person may choose
    std::string member{};           ///< that is filled, where the note is about one
    std::uint64_t bytes = 0;        ///< of the member
};

/// A place that fills memory with zeros for nothing: facts for programs, sentences for people. The sentences may change at any
/// time, because `linn lint` reads the facts only.
struct finding {
    SourceLocation where{};
    std::string what{}; ///< the expression that fills: `std::make_unique<line>`
    std::uint64_t bytes = 0;
    bool per_element = false; ///< `bytes` are those of one element; only the run knows how many there are
    fill_class certainty = fill_class::relied_upon;
    std::string reason{};           ///< why there is no fix, or why a person has to look at it first
    std::string text{};             ///< the warning
    std::vector<FixItHint> edits{}; ///< of the warning: safe to apply
    std::vector<finding_note> notes{};
};

namespace {

/// Raised when a field of the facts changes its meaning; the tool refuses other versions.
constexpr int facts_version = 3;

constexpr const char* class_names[] = {"removable", "relied upon", "cold"};

/// The check looks at a few instantiations of a template.
constexpr std::size_t most_versions = 64;
/// More members and writers than these get no note.
constexpr std::size_t named_members = 4;
constexpr std::size_t named_writers = 3;
/// Fewer bytes than these, written once, are not worth a change.
constexpr std::uint64_t most_cold_bytes = 4096;

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// The facts of a finding as one line of JSON, the contract between the plugin and `linn lint`
/// (docs/design/lint.md, "What the tool reads").
std::string facts_of(const finding& found) {
    llvm::json::Array members;
    llvm::json::Array kinds;
    bool is_to_review = false;
    for (const finding_note& note : found.notes) {
        kinds.push_back(note.kind);
        is_to_review = is_to_review || !note.edits.empty();
        if (!note.member.empty()) {
            members.push_back(
                llvm::json::Object{{"name", llvm::json::fixUTF8(note.member)}, {"bytes", note.bytes}});
        }
    }
    const llvm::json::Value facts =
        llvm::json::Object{{"linn_finding", facts_version},
                           {"what", llvm::json::fixUTF8(found.what)},
                           {"bytes", found.bytes},
                           {"per_element", found.per_element},
                           {"class", class_names[static_cast<int>(found.certainty)]},
                           {"reason", llvm::json::fixUTF8(found.reason)},
                           {"members", std::move(members)},
                           {"fix", !found.edits.empty() ? "safe"
                                   : is_to_review       ? "review"
                                                        : "none"},
                           {"notes", std::move(kinds)}};
    std::string line;
    llvm::raw_string_ostream(line) << facts;
    return line;
}

void name_writers(finding& found, const object_fate& fate) {
    for (std::size_t i = 0; i != std::min(named_writers, fate.writers.size()); ++i) {
        const bool is_loop = !isa<Expr>(fate.writers[i]);
        found.notes.push_back({"writer", fate.writers[i]->getBeginLoc(),
                               is_loop ? "this loop overwrites all of it" : "here all of it is overwritten"});
    }
}

} // namespace

// --- What the checks share ------------------------------------------------------------------------------------------------------

/// What the two checks share: they gather what fills in each function, and report one warning for each place at the end of the
/// translation unit, because the instantiations of a template share the place.
///
/// Options: `MinBytes` (64), smaller fills are not reported; `Facts` (0), 1 adds a note with the facts as JSON to each warning.
class fill_check : public ClangTidyCheck {
public:
    fill_check(StringRef name, ClangTidyContext* context)
        : ClangTidyCheck(name, context),
          min_bytes_{number_option("MinBytes", 64)},
          tells_facts_{number_option("Facts", 0) != 0} {}

    bool isLanguageVersionSupported(const LangOptions& options) const override { return options.CPlusPlus11; }

    void storeOptions(ClangTidyOptions::OptionMap& options) override {
        store_number(options, "MinBytes", min_bytes_);
        store_number(options, "Facts", tells_facts_ ? 1 : 0);
    }

    void registerMatchers(ast_matchers::MatchFinder* finder) override {
        using namespace ast_matchers;
        finder->addMatcher(functionDecl(isDefinition(), unless(isExpansionInSystemHeader())).bind("function"),
                           this);
    }

    void check(const ast_matchers::MatchFinder::MatchResult& result) override {
        context_ = result.Context;
        if (const auto* variable = result.Nodes.getNodeAs<VarDecl>("variable")) {
            look_at_all(variable->getInit(), nullptr);
        } else if (const auto* member = result.Nodes.getNodeAs<FieldDecl>("member")) {
            look_at_all(member->getInClassInitializer(), nullptr);
        }
        const auto* function = result.Nodes.getNodeAs<FunctionDecl>("function");
        // A consteval function runs in the compiler only.
        if (function == nullptr || function->isDependentContext() || function->getBody() == nullptr ||
            function->isConsteval()) {
            return;
        }
        if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function)) {
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                look_at_all(initialiser->getInit(), function);
            }
        }
        look_at_all(function->getBody(), function);
    }

    void onEndOfTranslationUnit() override {
        for (auto& [where, versions] : places_) {
            report_place(versions);
        }
        places_.clear();
    }

protected:
    /// One instantiation, or the only version, of an expression that fills.
    struct version {
        creation made;
        const FunctionDecl* function = nullptr; ///< none for an initialiser outside of all functions
        std::uint64_t bytes = 0; ///< all together where the number is known; otherwise those of one
        std::vector<filled_member> members{};
        object_fate fate{};
    };

    /// What a part of a function fills, if the check looks for that.
    virtual void look_at(const Stmt& part, const FunctionDecl* function) = 0;
    /// May fill in what it finds out of the versions.
    virtual void report_place(std::vector<version>& versions) = 0;

    void add(std::optional<creation> made, const FunctionDecl* function) {
        if (!made) {
            return;
        }
        std::vector<version>& versions = places_[made->where];
        if (versions.size() < most_versions &&
            std::none_of(versions.begin(), versions.end(),
                         [&](const version& other) { return other.made.expression == made->expression; })) {
            versions.push_back({std::move(*made), function});
        }
    }

    finding start_of(const version& one, bool is_removable) const {
        finding found;
        found.where = one.made.where;
        found.what = one.made.name;
        found.bytes = one.bytes;
        found.per_element = !one.made.count;
        found.text = "'" + one.made.name + "' fills " + bytes_text(one.bytes) +
                     (found.per_element ? " of each element" : "");
        if (is_removable) {
            const bool is_once = one.function == nullptr || (one.function->isMain() && !one.fate.is_in_loop);
            found.certainty = is_once && one.made.count && one.bytes <= most_cold_bytes
                                  ? fill_class::cold
                                  : fill_class::removable;
        }
        return found;
    }

    void report(const finding& found) {
        const auto tell = [&](SourceLocation where, const std::string& text,
                              const std::vector<FixItHint>& edits, DiagnosticIDs::Level level) {
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
            tell(context_->getSourceManager().getFileLoc(found.where), facts_of(found), {},
                 DiagnosticIDs::Note);
        }
    }

    ASTContext& context() const { return *context_; }
    std::uint64_t min_bytes() const { return min_bytes_; }

private:
    // The templates of OptionsView mangle differently under GCC and Clang, so a plugin built by GCC would not load: options are
    // read and written as text.
    std::uint64_t number_option(StringRef name, std::uint64_t otherwise) const {
        const std::string text = Options.get(name, StringRef()).str();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size() ? value : otherwise;
    }

    void store_number(ClangTidyOptions::OptionMap& to, StringRef name, std::uint64_t value) const {
        const std::string text = std::to_string(value);
        Options.store(to, name, StringRef(text));
    }

    void look_at_all(const Stmt* part, const FunctionDecl* function) {
        if (part == nullptr || isa<LambdaExpr>(part)) {
            return; // a lambda's body is a function of its own
        }
        look_at(*part, function);
        for (const Stmt* child : part->children()) {
            look_at_all(child, function);
        }
    }

    std::uint64_t min_bytes_;
    bool tells_facts_;
    ASTContext* context_ = nullptr;
    std::map<SourceLocation, std::vector<version>> places_{};
};

// --- linn-zero-fill -------------------------------------------------------------------------------------------------------------

namespace {

/// Whether the author left each of the members out knowingly: its class initialises others, or has a default constructor of its
/// own.
bool left_out_knowingly(const std::vector<filled_member>& members) {
    const auto has_constructor = [](const CXXRecordDecl* record) {
        return record != nullptr && record->hasDefinition() && record->hasUserProvidedDefaultConstructor();
    };
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const filled_member& member) {
        const FieldDecl& field = *member.field;
        const RecordDecl& around = *field.getParent();
        return has_constructor(dyn_cast<CXXRecordDecl>(&around)) ||
               has_constructor(field.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl()) ||
               std::any_of(around.field_begin(), around.field_end(),
                           [](const FieldDecl* one) { return one->hasInClassInitializer(); });
    });
}

/// Pointers, flags and atomics: an array of them is a table in which null or false marks an empty entry.
bool zero_means_nothing(QualType element) {
    return element->isAnyPointerType() || element->isBooleanType() || element->isMemberPointerType() ||
           (element->isRecordType() && named(element->getAsCXXRecordDecl(), {"atomic", "atomic_flag"}));
}

void explain_members(finding& found, const std::vector<filled_member>& members, bool is_array) {
    for (std::size_t i = 0; i < std::min(named_members, members.size()); ++i) {
        const FieldDecl& field = *members[i].field;
        finding_note note{"member", field.getLocation()};
        note.member = field.getDeclName() ? field.getNameAsString() : "an anonymous member";
        note.bytes = members[i].bytes;
        note.text = "'" + note.member + "': " + bytes_text(note.bytes) + (is_array ? " in each element" : "");
        found.notes.push_back(std::move(note));
    }
}

} // namespace

/// `linn-zero-fill`: value-initialisation that writes bytes which default-initialisation leaves alone.
class zero_fill_check : public fill_check {
public:
    using fill_check::fill_check;

    void registerMatchers(ast_matchers::MatchFinder* finder) override {
        using namespace ast_matchers;
        fill_check::registerMatchers(finder);
        finder->addMatcher(varDecl(hasGlobalStorage(), unless(isExpansionInSystemHeader())).bind("variable"),
                           this);
        finder->addMatcher(fieldDecl(unless(isExpansionInSystemHeader())).bind("member"), this);
        finder->addMatcher(varDecl(hasName("::linn::zero_fill_intended"), isExplicitTemplateSpecialization())
                               .bind("intended"),
                           this);
    }

    void check(const ast_matchers::MatchFinder::MatchResult& result) override {
        fill_check::check(result);
        const auto* special = result.Nodes.getNodeAs<VarTemplateSpecializationDecl>("intended");
        if (special != nullptr && special->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
            const QualType type = special->getTemplateArgs()[0].getAsType();
            const APValue* value = type->isDependentType() ? nullptr : special->evaluateValue();
            if (value != nullptr && value->isInt() && value->getInt().getBoolValue()) {
                intended_.push_back(type);
            }
        }
    }

private:
    void look_at(const Stmt& part, const FunctionDecl* function) override {
        if (const auto* call = dyn_cast<CallExpr>(&part)) {
            add(creation_by_call(*call, context()), function);
        }
    }

    void report_place(std::vector<version>& versions) override {
        // The largest speaks for all; an unknown number of objects counts as one.
        const version* largest = nullptr;
        bool all_unread = true;
        bool any_read = false;
        for (version& one : versions) {
            const std::string space =
                one.function != nullptr ? outermost_namespace(*one.function) : std::string();
            const bool is_intended = std::any_of(intended_.begin(), intended_.end(), [&](QualType type) {
                return context().hasSameUnqualifiedType(type, one.made.object);
            });
            const std::uint64_t each = filled_bytes(one.made.object, context());
            one.bytes = each * one.made.count.value_or(1);
            const bool is_enough =
                one.bytes != 0 &&
                (one.made.count ? one.bytes >= min_bytes()
                                // However many there are: a few bytes of a large element hardly count.
                                : each >= min_bytes() || each * 2 >= size_of(one.made.object, context()));
            if (is_intended || !is_enough || space == "std" || space == "boost" || space == "linn") {
                continue; // what a library makes for its callers is theirs to choose
            }
            one.members = filled_members(one.made.object, context());
            if (one.function != nullptr) {
                one.fate = follow(*one.function, one.made, context());
            }
            const bool is_unread = one.fate.outcome == fate::unread;
            const bool is_read = one.fate.outcome == fate::read;
            all_unread = all_unread && is_unread;
            any_read = any_read || is_read;
            const bool is_wanted =
                one.made.array ? is_read || zero_means_nothing(context().getBaseElementType(one.made.object))
                               : is_read && !left_out_knowingly(one.members);
            if (is_unread || !is_wanted) {
                largest = largest == nullptr || one.bytes > largest->bytes ? &one : largest;
            }
        }
        if (largest == nullptr) {
            return;
        }
        const creation& made = largest->made;
        const bool in_template = largest->function != nullptr && largest->function->isTemplateInstantiation();
        // In an instantiation the source's name for the type is that of a parameter.
        const std::string type = type_name(
            (in_template ? made.object.getCanonicalType() : made.object).getUnqualifiedType(), context());
        // A class with initialisers of its own says by them which members it cares for; a plain array or struct says nothing,
        // and its users may count on zeros.
        const bool known_safe =
            all_unread || (!any_read && !in_template && left_out_knowingly(largest->members));
        const remedy cure = find_remedy(made, largest->function, context());
        const bool is_removable = all_unread || (known_safe && !cure.edits.empty());
        finding found = start_of(*largest, is_removable);
        found.text += " with zeros; default-initialisation of '" + type + "' does not write them";
        explain_members(found, largest->members, made.array);
        name_writers(found, largest->fate);
        if (any_read || cure.edits.empty()) {
            found.reason = any_read ? "a part of it may be read before it is written"
                                    : cure.obstacle + "; " + cure.advice;
            found.notes.push_back({"advice", made.where, "no fix: " + found.reason});
        } else if (known_safe) {
            found.edits = cure.edits;
        } else {
            found.reason = "something may need the zeros; if nothing does, " + cure.advice;
            found.notes.push_back({"advice", made.where, "fix to review: " + found.reason, cure.edits});
        }
        report(found);
    }

    std::vector<QualType> intended_{}; ///< for which `linn::zero_fill_intended` is specialised as true
};

// --- linn-overwritten-fill ------------------------------------------------------------------------------------------------------

/// `linn-overwritten-fill`: a vector, string, array or object that is filled, all of which the function then overwrites before
/// anything reads it.
class overwritten_fill_check : public fill_check {
public:
    using fill_check::fill_check;

private:
    void look_at(const Stmt& part, const FunctionDecl* function) override {
        if (const auto* declaration = dyn_cast<DeclStmt>(&part)) {
            for (const Decl* one : declaration->decls()) {
                if (const auto* variable = dyn_cast<VarDecl>(one)) {
                    add(creation_by_variable(*variable, context()), function);
                }
            }
        } else if (const auto* call = dyn_cast<CXXMemberCallExpr>(&part)) {
            add(creation_by_resize(*call, context()), function);
        }
    }

    void report_place(std::vector<version>& versions) override {
        bool is_certain = true;
        const version* largest = nullptr;
        for (version& one : versions) {
            one.bytes = size_of(one.made.object, context()) * one.made.count.value_or(1);
            if (one.bytes == 0 || (one.made.count && one.bytes < min_bytes())) {
                continue;
            }
            one.fate = follow(*one.function, one.made, context());
            const bool is_overwritten = one.fate.outcome == fate::unread && !one.fate.writers.empty();
            if (one.fate.outcome == fate::read || !one.fate.is_held || one.fate.repeats_zeros ||
                (!is_overwritten && !one.fate.handed_out)) {
                return;
            }
            is_certain = is_certain && is_overwritten;
            largest = largest == nullptr || one.bytes > largest->bytes ? &one : largest;
        }
        if (largest == nullptr || (!is_certain && largest->made.where_it_lies == storage::local)) {
            return; // a call of C that fills in the rest is what `= {}` is for
        }
        finding found = start_of(*largest, is_certain);
        found.text += is_certain ? "; all of it is overwritten before anything reads it"
                                 : "; a function that gets a pointer to it may overwrite all of it";
        name_writers(found, largest->fate);
        const remedy cure = remedy_of_overwritten(largest->made, *largest->function, context());
        if (is_certain && !cure.edits.empty()) {
            if (largest->fate.shows_padding) {
                found.reason = "a function gets the bytes between its members as well";
                found.notes.push_back({"advice", found.where, "fix to review: " + found.reason, cure.edits});
            } else {
                found.edits = cure.edits;
            }
        } else {
            found.reason = cure.edits.empty() ? cure.obstacle + "; " + cure.advice : cure.advice;
            found.notes.push_back({"advice", found.where,
                                   is_certain ? "no fix: " + found.reason : "if it does, " + cure.advice});
        }
        report(found);
    }
};

// --- The module -----------------------------------------------------------------------------------------------------------------

namespace {

class module : public ClangTidyModule {
public:
    void addCheckFactories(ClangTidyCheckFactories& to) override {
        to.registerCheck<zero_fill_check>("linn-zero-fill");
        to.registerCheck<overwritten_fill_check>("linn-overwritten-fill");
    }
};

const ClangTidyModuleRegistry::Add<module> registered("linn-module", "Zero fills that serve no purpose.");

} // namespace

} // namespace clang::tidy::linn
