// SPDX-License-Identifier: Apache-2.0
#include "zero_fill_check.hpp"

#include "clang/AST/DeclTemplate.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "fixes.hpp"
#include "syntax.hpp"

#include <algorithm>
#include <set>

namespace clang::tidy::linn {
namespace {

/// More members than these are summed up in one note.
constexpr std::size_t named_members = 4;

/// Whether somebody left each of the members out knowingly: its class initialises others, or has a default
/// constructor of its own.
bool left_out_knowingly(const std::vector<filled_member>& members) {
    const auto has_constructor = [](const CXXRecordDecl* record) {
        return record != nullptr && record->hasDefinition() && record->hasUserProvidedDefaultConstructor();
    };
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const filled_member& member) {
        const FieldDecl& field = *member.path.back();
        const RecordDecl& around = *field.getParent();
        return has_constructor(dyn_cast<CXXRecordDecl>(&around)) ||
               has_constructor(field.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl()) ||
               std::any_of(around.field_begin(), around.field_end(),
                           [](const FieldDecl* one) { return one->hasInClassInitializer(); });
    });
}

/// A function of a library whose factories are known: their insides are no finding of their own.
bool of_a_library(const FunctionDecl& function) {
    const std::string space = outermost_namespace(function);
    return space == "std" || space == "boost" || space == "linn";
}

/// Pointers, flags and atomics: an array of them is a table in which null or false means that there is
/// nothing, and nobody writes that in.
bool zero_means_nothing(QualType element) {
    return element->isAnyPointerType() || element->isBooleanType() || element->isMemberPointerType() ||
           (element->isRecordType() && named(element->getAsCXXRecordDecl(), {"atomic", "atomic_flag"}));
}

/// `new char[n + 1]()`: a text of n, and the zero that ends it.
bool leaves_room_for_an_end(const creation& made) {
    const auto* sum = made.count_expression != nullptr
                          ? dyn_cast<BinaryOperator>(made.count_expression->IgnoreParenImpCasts())
                          : nullptr;
    const auto is_one = [](const Expr* side) {
        const auto* literal = dyn_cast<IntegerLiteral>(side->IgnoreParenImpCasts());
        return literal != nullptr && literal->getValue() == 1;
    };
    return made.object->isAnyCharacterType() && sum != nullptr && sum->getOpcode() == BO_Add &&
           (is_one(sum->getLHS()) || is_one(sum->getRHS()));
}

bool in_constant_code(const FunctionDecl* function) {
    return function != nullptr && function->isConstexprSpecified();
}

void explain_fix(finding& found, note_kind kind, SourceLocation where, const std::string& reason) {
    found.reason = reason;
    found.notes.push_back({kind, where, "no fix: " + reason});
}

void explain_read(finding& found, const early_read& read) {
    const bool has_name = read.member != nullptr && read.member->getDeclName();
    std::string reason = has_name ? "'" + read.member->getNameAsString() + "'" : "the object";
    reason += " is read here before it is written";
    if (read.member != nullptr) {
        reason += "; with an initialiser of its own, the other members need no fill";
    }
    explain_fix(found, note_kind::read, read.where, reason);
}

void explain_members(finding& found, const std::vector<filled_member>& members, bool is_array) {
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const filled_member& member = members[i];
        if (i >= named_members) {
            rest += member.bytes;
            continue;
        }
        finding_note note{note_kind::member, member.path.back()->getLocation()};
        note.text =
            "'" + member.name + "': " + bytes_text(member.bytes) + (is_array ? " in each element" : "");
        note.member = member.name;
        note.bytes = member.bytes;
        found.notes.push_back(std::move(note));
    }
    if (rest != 0) {
        found.notes.push_back(
            {note_kind::rest, found.where,
             std::to_string(members.size() - named_members) + " more members: " + bytes_text(rest)});
    }
}

} // namespace

void zero_fill_check::registerMatchers(ast_matchers::MatchFinder* finder) {
    using namespace ast_matchers;
    finder->addMatcher(cxxNewExpr(unless(isExpansionInSystemHeader())).bind("new"), this);
    finder->addMatcher(callExpr(unless(isExpansionInSystemHeader()),
                                callee(functionDecl(hasAnyName(
                                    "make_shared", "make_unique", "allocate_shared", "make_local_shared",
                                    "allocate_local_shared", "allocate_unique", "create", "try_create"))))
                           .bind("call"),
                       this);
    finder->addMatcher(functionDecl(isDefinition(), unless(isExpansionInSystemHeader())).bind("function"),
                       this);
    finder->addMatcher(
        varDecl(hasName("::linn::zero_fill_intended"), isExplicitTemplateSpecialization()).bind("intended"),
        this);
}

void zero_fill_check::check(const ast_matchers::MatchFinder::MatchResult& result) {
    begin(*result.Context);
    std::optional<creation> made;
    if (const auto* by_new = result.Nodes.getNodeAs<CXXNewExpr>("new")) {
        made = creation_by_new(*by_new, context());
    } else if (const auto* call = result.Nodes.getNodeAs<CallExpr>("call")) {
        made = creation_by_call(*call, context());
    } else if (const auto* special = result.Nodes.getNodeAs<VarTemplateSpecializationDecl>("intended")) {
        add_intended(*special);
    } else if (const auto* function = result.Nodes.getNodeAs<FunctionDecl>("function")) {
        sites().add(*function);
    }
    if (!made) {
        return;
    }
    std::vector<version>& versions = places_[made->where];
    if (std::any_of(versions.begin(), versions.end(),
                    [&](const version& other) { return other.made.expression == made->expression; })) {
        return;
    }
    version one;
    one.each = sizes().filled(made->object, made->form);
    one.bytes = made->count ? one.each * *made->count : one.each;
    one.made = std::move(*made);
    versions.push_back(std::move(one));
}

void zero_fill_check::add_intended(const VarTemplateSpecializationDecl& special) {
    const TemplateArgument& argument = special.getTemplateArgs()[0];
    if (argument.getKind() == TemplateArgument::Type && !argument.getAsType()->isDependentType()) {
        const APValue* value = special.evaluateValue();
        if (value != nullptr && value->isInt() && value->getInt().getBoolValue()) {
            intended_.push_back(argument.getAsType());
        }
    }
}

bool zero_fill_check::fills_enough(const version& one) const {
    const bool is_intended = std::any_of(intended_.begin(), intended_.end(), [&](QualType type) {
        return context().hasSameUnqualifiedType(type, one.made.object);
    });
    if (one.each == 0 || is_intended) {
        return false;
    }
    if (one.made.count) {
        return one.bytes >= min_bytes();
    }
    // However many there are: a few bytes of a large element are no fill to speak of.
    return one.each >= min_bytes() || one.each * 2 >= sizes().size_of(one.made.object);
}

bool zero_fill_check::fills_for_nothing(const version& one) const {
    if (!fills_enough(one) || (one.made.array && one.flow.outcome != fate::unread &&
                               zero_means_nothing(context().getBaseElementType(one.made.object)))) {
        return false;
    }
    if (one.flow.outcome != fate::read) {
        return true;
    }
    // What is read was wanted: its bytes are not for nothing.
    std::uint64_t wanted = one.members.empty() ? one.each : 0;
    for (const filled_member& member : one.members) {
        const bool is_read =
            std::any_of(one.flow.reads.begin(), one.flow.reads.end(), [&](const early_read& read) {
                return read.member == nullptr || read.member == member.path.front();
            });
        wanted += is_read ? member.bytes : 0;
    }
    return wanted < one.each && (!one.made.count || one.made.array || one.each - wanted >= min_bytes());
}

void zero_fill_check::onEndOfTranslationUnit() {
    for (auto& [where, versions] : places_) {
        if (std::none_of(versions.begin(), versions.end(),
                         [&](const version& v) { return fills_enough(v); })) {
            continue;
        }
        for (version& one : versions) {
            one.function = enclosing_function(*one.made.expression, context());
            if (one.function != nullptr && of_a_library(*one.function)) {
                one.each = 0; // what it makes for its callers is theirs to choose
            }
            if (one.each != 0) {
                one.members = sizes().members(one.made.object, one.made.form);
                one.flow = follow(one.made, one.members, sizes(), context());
            }
        }
        report_place(versions);
    }
    places_.clear();
    intended_.clear();
    end();
}

void zero_fill_check::report_place(const std::vector<version>& versions) {
    // The largest speaks for all; an unknown number of objects counts as one.
    const version* largest = nullptr;
    const early_read* read = nullptr;
    bool all_unread = true;
    bool uncertain = false;
    std::set<const FunctionDecl*> filling;
    for (const version& one : versions) {
        if (read == nullptr && one.flow.outcome == fate::read) {
            read = one.flow.reads.data();
        }
        all_unread = all_unread && (one.each == 0 || one.flow.outcome == fate::unread);
        uncertain = uncertain || one.flow.uncertain;
        if (fills_for_nothing(one)) {
            filling.insert(one.function);
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
        all_unread || (read == nullptr && !uncertain && !in_template && left_out_knowingly(largest->members));
    remedy cure = find_remedy(made, context());
    if (in_constant_code(largest->function)) {
        cure = {
            {}, cure.advice, "this code may run at compile time, which must not read uninitialised memory"};
    } else if (!known_safe && !cure.edits.empty() && leaves_room_for_an_end(made)) {
        cure = {{}, "write only that element", "the last element may be the zero that ends a string"};
    }

    finding found;
    found.where = made.where;
    found.what = made.name;
    found.bytes = largest->bytes;
    found.per_element = !made.count;
    found.text = "'" + made.name + "' fills " + bytes_text(largest->bytes) +
                 (found.per_element ? " of each element" : "") + " with zeros; default-initialisation of '" +
                 type + "' does not write them";
    explain_members(found, largest->members, made.array);
    if (all_unread) {
        found.certainty = fill_class::removable; // a fix or none
    }
    if (read != nullptr) {
        explain_read(found, *read);
    } else if (cure.edits.empty()) {
        explain_fix(found, note_kind::advice, made.where, cure.obstacle + "; " + cure.advice);
    } else if (known_safe) {
        found.edits = cure.edits;
        found.certainty = fill_class::removable;
    } else {
        found.reason = "others who get the object may need the zeros; if they do not, " + cure.advice;
        found.notes.push_back({note_kind::advice, made.where, "fix to review: " + found.reason, cure.edits});
    }
    if (in_template) {
        const SourceLocation from = largest->function->getPointOfInstantiation();
        finding_note note{note_kind::instantiation, from.isValid() ? from : made.where,
                          "instantiated for '" + type + "' here"};
        if (filling.size() > 1) {
            note.text += ", the largest of " + std::to_string(filling.size());
        }
        found.notes.push_back(std::move(note));
    }
    if (found.certainty == fill_class::removable && made.count && found.bytes <= most_cold_bytes &&
        sites().runs_once(*made.expression, largest->function, context())) {
        found.certainty = fill_class::cold;
    }
    report(found);
}

} // namespace clang::tidy::linn
