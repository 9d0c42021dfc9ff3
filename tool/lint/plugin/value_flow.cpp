// SPDX-License-Identifier: Apache-2.0
#include "value_flow.hpp"
namespace linn_tidy {
value_flow follow(const creation&, const std::vector<filled_member>&, fill_size&, clang::ASTContext&) {
    return {};
}
const clang::FunctionDecl* enclosing_function(const clang::Expr& e, clang::ASTContext& context) {
    clang::DynTypedNode node = clang::DynTypedNode::create(e);
    for (;;) {
        const auto parents = context.getParents(node);
        if (parents.empty())
            return nullptr;
        node = parents[0];
        if (const auto* f = node.get<clang::FunctionDecl>())
            return f;
        if (const auto* l = node.get<clang::LambdaExpr>())
            return l->getCallOperator();
    }
}
} // namespace linn_tidy
