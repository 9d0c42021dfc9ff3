// SPDX-License-Identifier: Apache-2.0
#include "zero_fill_check.hpp"

#include "clang/AST/DeclTemplate.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "compat.hpp"
#include "fixes.hpp"
#include "names.hpp"

#include <algorithm>
#include <set>

namespace linn_tidy {

namespace {

/// More members than these are summed up in one note.
constexpr std::size_t named_members = 4;

/// `linn::zero_fill_intended<T>` specialised as true.
bool intended(clang::QualType type, const clang::ASTContext& context) {
    const clang::DeclContext* unit = context.getTranslationUnitDecl();
    for (const clang::NamedDecl* space : unit->lookup(clang::DeclarationName(&context.Idents.get("linn")))) {
        const auto* linn = clang::dyn_cast<clang::NamespaceDecl>(space);
        if (linn == nullptr) {
            continue;
        }
        for (const clang::NamedDecl* one :
             linn->lookup(clang::DeclarationName(&context.Idents.get("zero_fill_intended")))) {
            const auto* variable = clang::dyn_cast<clang::VarTemplateDecl>(one);
            if (variable == nullptr) {
                continue;
            }
            for (const clang::VarTemplateSpecializationDecl* special : variable->specializations()) {
                const clang::TemplateArgument& argument = special->getTemplateArgs()[0];
                if (special->isExplicitSpecialization() &&
                    argument.getKind() == clang::TemplateArgument::Type &&
                    context.hasSameUnqualifiedType(argument.getAsType(), type)) {
                    const clang::APValue* value = special->evaluateValue();
                    return value != nullptr && value->isInt() && value->getInt().getBoolValue();
                }
            }
        }
    }
    return false;
}

/// Whether somebody left each of the members out knowingly: its class initialises others, or has a default
/// constructor of its own.
bool left_out_knowingly(const std::vector<filled_member>& members) {
    const auto has_constructor = [](const clang::CXXRecordDecl* record) {
        return record != nullptr && record->hasDefinition() && record->hasUserProvidedDefaultConstructor();
    };
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const filled_member& member) {
        const clang::FieldDecl& field = *member.path.back();
        const clang::RecordDecl& around = *field.getParent();
        return has_constructor(clang::dyn_cast<clang::CXXRecordDecl>(&around)) ||
               has_constructor(field.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl()) ||
               std::any_of(around.field_begin(), around.field_end(),
                           [](const clang::FieldDecl* one) { return one->hasInClassInitializer(); });
    });
}

/// A function of a library whose factories are known: their insides are no finding of their own.
bool of_a_library(const clang::FunctionDecl& function) {
    const std::string space = outermost_namespace(function);
    return space == "std" || space == "boost" || space == "linn";
}

/// Pointers, flags and atomics: an array of them is a table in which null or false means that there is
/// nothing, and nobody writes that in.
bool zero_means_nothing(clang::QualType element) {
    return element->isAnyPointerType() || element->isBooleanType() || element->isMemberPointerType() ||
           (element->isRecordType() && named(element->getAsCXXRecordDecl(), {"atomic", "atomic_flag"}));
}

/// `new char[n + 1]()`: a text of n, and the zero that ends it.
bool leaves_room_for_an_end(const creation& made) {
    const auto* sum =
        made.count_expression != nullptr
            ? clang::dyn_cast<clang::BinaryOperator>(made.count_expression->IgnoreParenImpCasts())
            : nullptr;
    const auto is_one = [](const clang::Expr* side) {
        const auto* literal = clang::dyn_cast<clang::IntegerLiteral>(side->IgnoreParenImpCasts());
        return literal != nullptr && literal->getValue() == 1;
    };
    return made.object->isAnyCharacterType() && sum != nullptr && sum->getOpcode() == clang::BO_Add &&
           (is_one(sum->getLHS()) || is_one(sum->getRHS()));
}

bool in_constant_code(const clang::FunctionDecl* function) {
    return function != nullptr && function->isConstexprSpecified();
}

} // namespace

zero_fill_check::zero_fill_check(llvm::StringRef name, clang::tidy::ClangTidyContext* context)
    : ClangTidyCheck(name, context),
      min_bytes_{number_option(Options, "MinBytes", 64)} {}

void zero_fill_check::storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) {
    store_number(Options, options, "MinBytes", min_bytes_);
}

void zero_fill_check::registerMatchers(clang::ast_matchers::MatchFinder* finder) {
    using namespace clang::ast_matchers;
    finder->addMatcher(cxxNewExpr(unless(isExpansionInSystemHeader())).bind("new"), this);
    finder->addMatcher(callExpr(unless(isExpansionInSystemHeader()),
                                callee(functionDecl(hasAnyName(
                                    "make_shared", "make_unique", "allocate_shared", "make_local_shared",
                                    "allocate_local_shared", "allocate_unique", "create", "try_create"))))
                           .bind("call"),
                       this);
}

void zero_fill_check::check(const clang::ast_matchers::MatchFinder::MatchResult& result) {
    context_ = result.Context;
    if (!sizes_) {
        sizes_ = std::make_unique<fill_size>(*context_);
    }
    std::optional<creation> made;
    if (const auto* by_new = result.Nodes.getNodeAs<clang::CXXNewExpr>("new")) {
        made = creation_by_new(*by_new, *context_);
    } else if (const auto* call = result.Nodes.getNodeAs<clang::CallExpr>("call")) {
        made = creation_by_call(*call, *context_);
    }
    if (made) {
        add_version(std::move(*made));
    }
}

bool zero_fill_check::add_version(creation made) {
    std::vector<version>& versions = places_[made.where];
    for (const version& other : versions) {
        if (other.made.expression == made.expression) {
            return false;
        }
    }
    version one;
    one.each = sizes_->filled(made.object, made.form);
    one.bytes = made.count ? one.each * *made.count : one.each;
    one.made = std::move(made);
    versions.push_back(std::move(one));
    return true;
}

bool zero_fill_check::fills_enough(const version& one) const {
    if (one.each == 0 || intended(one.made.object, *context_)) {
        return false;
    }
    if (one.made.count) {
        return one.bytes >= min_bytes_;
    }
    // However many there are: a few bytes of a large element are no fill to speak of.
    return one.each >= min_bytes_ || one.each * 2 >= sizes_->size_of(one.made.object);
}

void zero_fill_check::onEndOfTranslationUnit() {
    for (auto& [where, versions] : places_) {
        if (std::none_of(versions.begin(), versions.end(),
                         [&](const version& v) { return fills_enough(v); })) {
            continue;
        }
        for (version& one : versions) {
            one.function = enclosing_function(*one.made.expression, *context_);
            if (one.function != nullptr && of_a_library(*one.function)) {
                one.each = 0; // what it makes for its callers is theirs to choose
            }
            if (one.each != 0) {
                one.flow =
                    follow(one.made, sizes_->members(one.made.object, one.made.form), *sizes_, *context_);
            }
        }
        report(versions);
    }
    places_.clear();
    sizes_.reset();
}

void zero_fill_check::report(const std::vector<version>& versions) {
    // The largest speaks for all; an unknown number of objects counts as one.
    const version* largest = nullptr;
    bool any_read = false;
    bool all_unread = true;
    bool uncertain = false;
    std::set<const clang::FunctionDecl*> filling;
    for (const version& one : versions) {
        any_read = any_read || (one.each != 0 && one.flow.outcome == fate::read);
        all_unread = all_unread && (one.each == 0 || one.flow.outcome == fate::unread);
        uncertain = uncertain || one.flow.uncertain;
        if (one.made.array && one.flow.outcome != fate::unread &&
            zero_means_nothing(context_->getBaseElementType(one.made.object))) {
            continue;
        }
        if (!fills_enough(one)) {
            continue;
        }
        // What is read was wanted: its bytes are not for nothing.
        const std::vector<filled_member> members = sizes_->members(one.made.object, one.made.form);
        if (one.flow.outcome == fate::read) {
            std::uint64_t wanted = members.empty() ? one.each : 0;
            for (const filled_member& member : members) {
                for (const early_read& read : one.flow.reads) {
                    if (read.member == nullptr || read.member == member.path.front()) {
                        wanted += member.bytes;
                        break;
                    }
                }
            }
            if (wanted >= one.each || (one.made.count && one.each - wanted < min_bytes_ && !one.made.array)) {
                continue;
            }
        }
        filling.insert(one.function);
        if (largest == nullptr || one.bytes > largest->bytes) {
            largest = &one;
        }
    }
    if (largest == nullptr) {
        return;
    }
    const creation& made = largest->made;
    const bool per_element = !made.count;
    const bool in_template = largest->function != nullptr && largest->function->isTemplateInstantiation();
    // In an instantiation the source's name for the type is that of a parameter.
    const clang::QualType shown =
        (in_template ? made.object.getCanonicalType() : made.object).getUnqualifiedType();
    remedy mend = find_remedy(made, *context_);
    if (in_constant_code(largest->function)) {
        mend.edits.clear();
        mend.obstacle = "it may run at compile time, where nothing may be read uninitialised";
    }
    // A class with initialisers of its own says by them which members it cares for; a plain array or
    // struct says nothing, and its users may count on zeros.
    const bool known_safe = all_unread || (!any_read && !uncertain && !in_template &&
                                           left_out_knowingly(sizes_->members(made.object, made.form)));
    if (!known_safe && !mend.edits.empty() && leaves_room_for_an_end(made)) {
        mend.edits.clear();
        mend.obstacle = "the last one may be the zero that ends a text";
        mend.advice = "to write that one is enough";
    }
    const bool fix_here = known_safe && !mend.edits.empty();
    {
        auto warning =
            diag(made.where, "'%0' writes %1 bytes of zeros %2that default-initialisation of '%3' leaves "
                             "alone");
        warning << made.name << std::to_string(largest->bytes) << (per_element ? "for each element " : "")
                << type_name(shown, *context_);
        if (fix_here) {
            for (const clang::FixItHint& edit : mend.edits) {
                warning << edit;
            }
        }
    }
    explain_members(*largest);
    if (any_read) {
        for (const version& one : versions) {
            if (one.flow.outcome == fate::read) {
                explain_reads(one);
                break;
            }
        }
    } else if (!known_safe && !mend.edits.empty()) {
        auto note = diag(made.where,
                         "no fix: others who get the object may rely on the zeros; if nobody "
                         "does, %0",
                         clang::DiagnosticIDs::Note);
        note << mend.advice;
        for (const clang::FixItHint& edit : mend.edits) {
            note << edit;
        }
    } else if (!fix_here) {
        diag(made.where, "no fix: %0; %1", clang::DiagnosticIDs::Note) << mend.obstacle << mend.advice;
    }
    if (in_template) {
        const clang::SourceLocation from = largest->function->getPointOfInstantiation();
        diag(from.isValid() ? from : made.where, "in the instantiation for '%0', required here%1",
             clang::DiagnosticIDs::Note)
            << type_name(shown, *context_)
            << (filling.size() > 1 ? ", the largest of " + std::to_string(filling.size()) : std::string{});
    }
}

void zero_fill_check::explain_members(const version& one) {
    const std::vector<filled_member> members = sizes_->members(one.made.object, one.made.form);
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (i < named_members) {
            diag(members[i].path.back()->getLocation(), "'%0': %1 bytes%2", clang::DiagnosticIDs::Note)
                << members[i].name << std::to_string(members[i].bytes)
                << (one.made.array ? " in each element" : "");
        } else {
            rest += members[i].bytes;
        }
    }
    if (rest != 0) {
        diag(one.made.where, "%0 more members: %1 bytes", clang::DiagnosticIDs::Note)
            << std::to_string(members.size() - named_members) << std::to_string(rest);
    }
}

void zero_fill_check::explain_reads(const version& one) {
    for (const early_read& read : one.flow.reads) {
        diag(read.where, "no fix: %0 is read here before it is written%1", clang::DiagnosticIDs::Note)
            << (read.member != nullptr && read.member->getDeclName()
                    ? "'" + read.member->getNameAsString() + "'"
                    : std::string("it"))
            << (read.member != nullptr ? "; an initialiser of its own would let the others be" : "");
        break;
    }
}

} // namespace linn_tidy
