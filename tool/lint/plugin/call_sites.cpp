// SPDX-License-Identifier: Apache-2.0
#include "call_sites.hpp"

#include "clang/AST/StmtCXX.h"
#include "symbolic.hpp"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {

void call_sites::look_at(const Stmt* statement, const FunctionDecl& function, bool in_loop) {
    if (statement == nullptr) {
        return;
    }
    in_loop = in_loop || parts_of_loop(statement) || isa<LambdaExpr>(statement);
    // A mention that is no call may be called from anywhere.
    if (const auto* reference = dyn_cast<DeclRefExpr>(statement)) {
        if (const auto* named = dyn_cast<FunctionDecl>(reference->getDecl())) {
            sites_[named->getCanonicalDecl()].push_back({&function, in_loop});
        }
    }
    for (const Stmt* child : statement->children()) {
        look_at(child, function, in_loop);
    }
}

bool call_sites::runs_once(const FunctionDecl& function, int depth) const {
    constexpr int most_calls = 8;
    if (function.isMain()) {
        return true;
    }
    const auto known = sites_.find(function.getCanonicalDecl());
    if (depth > most_calls || function.isExternallyVisible() || isa<CXXMethodDecl>(function) ||
        known == sites_.end() || known->second.size() != 1) {
        return false;
    }
    const site& only = known->second.front();
    return !only.in_loop && only.caller != &function && runs_once(*only.caller, depth + 1);
}

bool call_sites::runs_once(const Expr& place, const FunctionDecl* function, ASTContext& context) const {
    if (function == nullptr) {
        return true;
    }
    bool in_loop = false;
    climb(place, context, [&](const DynTypedNode& around) {
        const auto* statement = around.get<Stmt>();
        in_loop = in_loop || (statement != nullptr && parts_of_loop(statement));
        return around.get<FunctionDecl>() == nullptr;
    });
    return !in_loop && runs_once(*function, 0);
}

} // namespace clang::tidy::linn
