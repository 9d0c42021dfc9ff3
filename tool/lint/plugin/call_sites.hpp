// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <map>
#include <vector>

namespace clang::tidy::linn {

/// From where the functions of a translation unit are called.
class call_sites {
public:
    /// Takes note of the calls in a function's body.
    void add(const FunctionDecl& function) { look_at(function.getBody(), function, false); }

    /// Whether a place in a function, none for an initialiser outside of all, runs at most once: in `main`, or in a function that no
    /// other file sees and that one such place calls.
    bool runs_once(const Expr& place, const FunctionDecl* function, ASTContext& context) const;

private:
    struct site {
        const FunctionDecl* caller = nullptr;
        bool in_loop = false;
    };

    void look_at(const Stmt* statement, const FunctionDecl& function, bool in_loop);
    bool runs_once(const FunctionDecl& function, int depth) const;

    std::map<const FunctionDecl*, std::vector<site>> sites_{};
};

} // namespace clang::tidy::linn
