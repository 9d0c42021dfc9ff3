// SPDX-License-Identifier: Apache-2.0
#include "overwritten_fill_check.hpp"

#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "fixes.hpp"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

/// Templates are looked at in a few of their instantiations.
constexpr std::size_t most_versions = 4;

} // namespace

void overwritten_fill_check::registerMatchers(ast_matchers::MatchFinder* finder) {
    using namespace ast_matchers;
    finder->addMatcher(functionDecl(isDefinition(), unless(isExpansionInSystemHeader())).bind("function"),
                       this);
}

void overwritten_fill_check::check(const ast_matchers::MatchFinder::MatchResult& result) {
    begin(*result.Context);
    const auto* function = result.Nodes.getNodeAs<FunctionDecl>("function");
    if (function == nullptr || function->isDependentContext() || function->getBody() == nullptr) {
        return;
    }
    sites().add(*function);
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function)) {
        for (const CXXCtorInitializer* initialiser : constructor->inits()) {
            add(creation_by_list(*initialiser, context()), *function);
        }
    }
    look_at(function->getBody(), *function);
}

void overwritten_fill_check::look_at(const Stmt* statement, const FunctionDecl& function) {
    if (statement == nullptr || isa<LambdaExpr>(statement)) {
        return; // a lambda's body is a function of its own
    }
    if (const auto* declaration = dyn_cast<DeclStmt>(statement)) {
        for (const Decl* one : declaration->decls()) {
            if (const auto* variable = dyn_cast<VarDecl>(one)) {
                add(creation_by_variable(*variable, context()), function);
            }
        }
    } else if (const auto* call = dyn_cast<CXXMemberCallExpr>(statement)) {
        add(creation_by_resize(*call, context()), function);
    }
    for (const Stmt* child : statement->children()) {
        look_at(child, function);
    }
}

void overwritten_fill_check::add(std::optional<creation> made, const FunctionDecl& function) {
    if (!made) {
        return;
    }
    const std::uint64_t each = sizes().size_of(made->object);
    if (each == 0 || (made->count && each * *made->count < min_bytes())) {
        return;
    }
    std::vector<version>& versions = places_[made->where];
    if (versions.size() < most_versions) {
        versions.push_back({std::move(*made), &function});
    }
}

void overwritten_fill_check::onEndOfTranslationUnit() {
    if (!places_.empty()) {
        // Parents are wanted of these functions only, not of all the headers.
        std::vector<Decl*> functions;
        for (const auto& [where, versions] : places_) {
            for (const version& one : versions) {
                auto* function = const_cast<FunctionDecl*>(one.function);
                if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
                    functions.push_back(function);
                }
            }
        }
        const std::vector<Decl*> all = context().getTraversalScope();
        context().setTraversalScope(functions);
        for (const auto& [where, versions] : places_) {
            report_place(versions);
        }
        context().setTraversalScope(all);
    }
    places_.clear();
    end();
}

void overwritten_fill_check::report_place(const std::vector<version>& versions) {
    bool is_certain = true;
    const version* largest = nullptr;
    for (const version& one : versions) {
        std::vector<filled_member> members;
        if (!one.made.array && one.made.object->isRecordType()) {
            members = sizes().members(one.made.object, one.made.form);
        }
        const value_flow flow = follow_in(*one.function, one.made, members, sizes(), context());
        if (flow.outcome == fate::read || !flow.is_held) {
            return;
        }
        const bool is_unread = flow.outcome == fate::unread && !flow.uncertain;
        if (!is_unread && !flow.handed_out) {
            return;
        }
        is_certain = is_certain && is_unread;
        const auto bytes = [&](const version& v) {
            return sizes().size_of(v.made.object) * v.made.count.value_or(1);
        };
        largest = largest == nullptr || bytes(one) > bytes(*largest) ? &one : largest;
    }
    if (!is_certain && largest->made.where_it_lies == storage::local) {
        return; // a call of C that fills in the rest is what `= {}` is for
    }
    const creation& made = largest->made;
    finding found;
    found.where = made.where;
    found.what = made.name;
    found.bytes = sizes().size_of(made.object) * made.count.value_or(1);
    found.per_element = !made.count;
    found.text = "'" + made.name + "' fills " + bytes_text(found.bytes) +
                 (found.per_element ? " of each element" : "") +
                 (is_certain ? "; all of it is overwritten or dropped before anything reads it"
                             : "; what gets a pointer to it next may overwrite all of it");
    found.certainty = !is_certain ? fill_class::relied_upon : fill_class::removable;
    if (is_certain && sites().runs_once(*made.expression, largest->function, context()) && made.count &&
        found.bytes <= most_cold_bytes) {
        found.certainty = fill_class::cold;
    }
    const remedy cure = remedy_of_overwritten(made, *largest->function, context());
    if (is_certain && !cure.edits.empty()) {
        found.edits = cure.edits;
    } else {
        found.reason = cure.edits.empty() ? cure.obstacle + "; " + cure.advice : cure.advice;
        found.notes.push_back(
            {note_kind::advice, made.where,
             (is_certain ? "no fix: " : "if it does, ") + (is_certain ? found.reason : cure.advice)});
    }
    report(found);
}

} // namespace clang::tidy::linn
