// SPDX-License-Identifier: Apache-2.0
#include "symbolic.hpp"
#include "syntax.hpp"

#include <algorithm>
#include <sstream>

namespace clang::tidy::linn {
namespace {

/// The variable that a key with `.#` stands for the size of.
bool is_size(const std::string& key) {
    return key.size() > 2 && key.compare(key.size() - 2, 2, size_suffix) == 0;
}

} // namespace

std::optional<loop_parts> parts_of_loop(const Stmt* statement) {
    if (const auto* loop = dyn_cast<ForStmt>(statement)) {
        return loop_parts{loop->getInit(), loop->getCond(), loop->getBody(), loop->getInc()};
    }
    if (const auto* loop = dyn_cast<WhileStmt>(statement)) {
        return loop_parts{nullptr, loop->getCond(), loop->getBody(), nullptr};
    }
    if (const auto* loop = dyn_cast<DoStmt>(statement)) {
        return loop_parts{nullptr, loop->getCond(), loop->getBody(), nullptr};
    }
    if (const auto* loop = dyn_cast<CXXForRangeStmt>(statement)) {
        return loop_parts{nullptr, loop->getCond(), loop->getBody(), nullptr};
    }
    return std::nullopt;
}

bool has_jump(const Stmt* body, bool of_switch) {
    if (body == nullptr || isa<LambdaExpr>(body)) {
        return false;
    }
    if (isa<GotoStmt, IndirectGotoStmt, CoreturnStmt>(body) || (isa<BreakStmt>(body) && !of_switch) ||
        isa<ContinueStmt>(body)) {
        return true;
    }
    if (parts_of_loop(body)) {
        return any_part(body, [](const Stmt& one) { return isa<GotoStmt, IndirectGotoStmt>(one); });
    }
    return std::any_of(body->child_begin(), body->child_end(), [&](const Stmt* child) {
        return has_jump(child, of_switch || isa<SwitchStmt>(body));
    });
}

std::string symbolic::turn_of(const Stmt* loop) {
    std::ostringstream text;
    text << "turn" << static_cast<const void*>(loop) << '.';
    return text.str();
}

std::vector<const change*> symbolic::changes_in(const std::string& key, const Stmt* statement) const {
    std::vector<const change*> found;
    if (statement != nullptr) {
        for (const change* one : changes_.of(key)) {
            if (lies_within(one->at, statement)) {
                found.push_back(one);
            }
        }
    }
    return found;
}

std::optional<polynomial> symbolic::raised_by(const change& one) {
    const std::int64_t sign = one.how == change::kind::add ? 1 : -1;
    if (one.how != change::kind::add && one.how != change::kind::subtract) {
        return std::nullopt;
    }
    const auto* expression = cast<Expr>(one.at);
    QualType type = expression->getType();
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(expression)) {
        type = operation->getArg(0)->getType();
    } else if (isa<CXXMemberCallExpr>(expression)) {
        type = context_.IntTy; // push_back
    }
    const polynomial unit{unit_of(type, context_).value_or(1)};
    return one.amount != nullptr ? value(one.amount) * unit * sign : unit * (sign * one.number);
}

std::optional<polynomial> symbolic::raised(const std::string& key, const Stmt* statement) {
    if (statement == nullptr || changes_in(key, statement).empty()) {
        return polynomial{};
    }
    if (++work_ > 200'000) {
        return std::nullopt;
    }
    if (const auto* choice = dyn_cast<IfStmt>(statement)) {
        const auto first = raised(key, choice->getThen());
        const auto other = raised(key, choice->getElse());
        const auto condition = raised(key, choice->getCond());
        return first && other && condition && *first == *other &&
                       raised(key, choice->getInit()) == polynomial{}
                   ? std::optional<polynomial>{*first + *condition}
                   : std::nullopt;
    }
    if (parts_of_loop(statement)) {
        const auto each = raised_each_turn(key, statement);
        const auto loop = each ? counted(statement) : std::nullopt;
        if (!loop || each->mentions(loop->turn)) {
            return std::nullopt;
        }
        if (const auto turns = loop->extent.divided_by(loop->step)) {
            return *each * *turns;
        }
        const auto factor = each->divided_by(loop->step);
        return factor ? std::optional<polynomial>{*factor * loop->extent} : std::nullopt;
    }
    if (isa<SwitchStmt, LambdaExpr, CXXTryStmt, ConditionalOperator>(statement)) {
        return std::nullopt;
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(statement);
        binary != nullptr && binary->isLogicalOp()) {
        return std::nullopt;
    }
    polynomial sum;
    for (const change* one : changes_in(key, statement)) {
        if (one->at == statement) {
            const auto own = raised_by(*one);
            if (!own) {
                return std::nullopt;
            }
            sum = sum + *own;
        }
    }
    for (const Stmt* child : statement->children()) {
        const auto more = raised(key, child);
        if (!more) {
            return std::nullopt;
        }
        sum = sum + *more;
    }
    return sum;
}

std::optional<polynomial> symbolic::raised_each_turn(const std::string& key, const Stmt* loop) {
    const loop_parts parts = *parts_of_loop(loop);
    const auto in_body = raised(key, parts.body);
    const auto in_condition = raised(key, parts.condition);
    const auto after = raised(key, parts.after);
    if (!in_body || !in_condition || !after || (!in_body->is_zero() && has_jump(parts.body))) {
        return std::nullopt;
    }
    return *in_body + *in_condition + *after;
}

std::optional<polynomial> symbolic::declared(const std::string& key, const Stmt& statement) {
    const auto* declaration = dyn_cast<DeclStmt>(&statement);
    if (declaration == nullptr) {
        return std::nullopt;
    }
    for (const Decl* one : declaration->decls()) {
        const auto* variable = dyn_cast<VarDecl>(one);
        if (variable == nullptr || key.compare(0, key_of(*variable).size(), key_of(*variable)) != 0) {
            continue;
        }
        if (key == key_of(*variable)) {
            return variable->hasInit() && unit_of(variable->getType(), context_) ? value(variable->getInit())
                                                                                 : unknown(&statement);
        }
        if (is_size(key) && key == key_of(*variable) + size_suffix) {
            return initial_size(*variable);
        }
        // A part, or what a pointer points to: whatever it was then.
        return polynomial::of("k" + key);
    }
    return std::nullopt;
}

polynomial symbolic::assigned(const change& one, const std::string& key) {
    if (one.how == change::kind::assign && one.key == key) {
        return one.amount != nullptr ? value(one.amount) : polynomial{one.number};
    }
    return polynomial::of("k" + key + "@") + unknown(one.at);
}

polynomial symbolic::before(const std::string& key, const Stmt* at) {
    polynomial sum;
    const bool changes_ever = !changes_.of(key).empty();
    const Stmt* child = at;
    for (const Stmt* parent = around(child); parent != nullptr; child = parent, parent = around(child)) {
        if (++work_ > 200'000 || isa<LambdaExpr>(parent)) {
            return changes_ever ? unknown(at) : sum + polynomial::of("k" + key);
        }
        if (isa<CompoundStmt>(parent)) {
            const Stmt* behind = around(parent);
            const bool in_switch = behind != nullptr && isa<SwitchStmt>(behind);
            std::vector<const Stmt*> earlier;
            for (const Stmt* one : parent->children()) {
                if (one == child) {
                    break;
                }
                earlier.push_back(one);
            }
            for (auto one = earlier.rbegin(); one != earlier.rend(); ++one) {
                if (const auto start = declared(key, **one)) {
                    return sum + *start;
                }
                const std::vector<const change*> here =
                    changes_ever ? changes_in(key, *one) : std::vector<const change*>{};
                if (here.empty()) {
                    continue;
                }
                const Stmt* plain = *one;
                while (isa<ExprWithCleanups>(plain)) {
                    plain = *plain->child_begin();
                }
                if (here.size() == 1 && here.front()->at == plain &&
                    here.front()->how == change::kind::assign) {
                    return sum + assigned(*here.front(), key);
                }
                const auto more = in_switch ? std::nullopt : raised(key, *one);
                if (!more) {
                    return sum + polynomial::of("k" + key + "@") + unknown(*one);
                }
                sum = sum + *more;
            }
        } else if (isa<DeclStmt>(parent)) {
            if (const auto start = declared(key, *parent); start && child != parent) {
                // `int n = ..., i = n;`: only what stands before counts, and nothing refers to itself.
                bool is_own = false;
                for (const Decl* one : cast<DeclStmt>(parent)->decls()) {
                    const auto* variable = dyn_cast<VarDecl>(one);
                    is_own = is_own || (variable != nullptr && variable->getInit() == child &&
                                        key.compare(0, key_of(*variable).size(), key_of(*variable)) == 0);
                }
                if (!is_own) {
                    return sum + *start;
                }
            }
        } else if (const auto loop = parts_of_loop(parent)) {
            if (child == loop->before) {
                continue;
            }
            if (changes_ever) {
                const auto each = raised_each_turn(key, parent);
                if (!each) {
                    return polynomial::of("k" + key + "@") + unknown(at);
                }
                sum = sum + *each * polynomial::of(turn_of(parent));
                const bool is_do = isa<DoStmt>(parent);
                if (child == loop->body && !is_do) {
                    sum = sum + raised(key, loop->condition).value_or(polynomial{});
                } else if (child == loop->after) {
                    sum = sum + raised(key, loop->condition).value_or(polynomial{}) +
                          raised(key, loop->body).value_or(polynomial{});
                } else if (is_do && child == loop->condition) {
                    sum = sum + raised(key, loop->body).value_or(polynomial{});
                }
            }
            if (loop->before != nullptr) {
                if (const auto start = declared(key, *loop->before)) {
                    return sum + *start;
                }
                const auto here = changes_ever ? changes_in(key, loop->before) : std::vector<const change*>{};
                if (!here.empty()) {
                    return here.size() == 1 && here.front()->how == change::kind::assign
                               ? sum + assigned(*here.front(), key)
                               : polynomial::of("k" + key + "@") + unknown(loop->before);
                }
            }
        } else if (const auto* choice = dyn_cast<IfStmt>(parent)) {
            for (const Stmt* first : {static_cast<const Stmt*>(choice->getCond()), choice->getInit()}) {
                if (first != nullptr && first != child && changes_ever && !changes_in(key, first).empty()) {
                    return sum + polynomial::of("k" + key + "@") + unknown(first);
                }
            }
            if (choice->getInit() != nullptr && choice->getInit() != child) {
                if (const auto start = declared(key, *choice->getInit())) {
                    return sum + *start;
                }
            }
        } else if (const auto* comma = dyn_cast<BinaryOperator>(parent);
                   comma != nullptr && comma->getOpcode() == BO_Comma && comma->getRHS() == child &&
                   changes_ever) {
            const auto more = raised(key, comma->getLHS());
            if (!more) {
                return sum + polynomial::of("k" + key + "@") + unknown(comma);
            }
            sum = sum + *more;
        }
    }
    return sum + polynomial::of("k" + key);
}

std::optional<counted_loop> symbolic::counted(const Stmt* loop) {
    if (const auto known = loops_.find(loop); known != loops_.end()) {
        return known->second;
    }
    loops_[loop] = std::nullopt; // while it is looked at
    const auto parts = parts_of_loop(loop);
    if (!parts || any_part(parts->body, [](const Stmt& one) { return isa<GotoStmt, LabelStmt>(one); })) {
        return std::nullopt;
    }
    counted_loop found;
    found.turn = turn_of(loop);
    if (const auto* range = dyn_cast<CXXForRangeStmt>(loop)) {
        found.extent = size(range->getRangeInit());
        found.step = 1;
        return loops_[loop] = found;
    }
    if (parts->condition == nullptr || isa<DoStmt>(loop)) {
        return std::nullopt;
    }
    const Expr* condition = parts->condition->IgnoreParens();
    while (
        isa<ExprWithCleanups, CXXBindTemporaryExpr, MaterializeTemporaryExpr, ImplicitCastExpr>(condition) &&
        !condition->getType()->isPointerType()) {
        const auto* implicit = dyn_cast<ImplicitCastExpr>(condition);
        if (implicit != nullptr && implicit->getCastKind() == CK_LValueToRValue) {
            break;
        }
        condition = cast<Expr>(*condition->child_begin())->IgnoreParens();
    }
    const Expr* left = condition;
    const Expr* right = nullptr;
    BinaryOperatorKind how = BO_NE;
    if (const auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(condition)) {
        left = rewritten->getLHS();
        right = rewritten->getRHS();
        how = rewritten->getOpcode();
    } else if (const auto* binary = dyn_cast<BinaryOperator>(condition)) {
        left = binary->getLHS();
        right = binary->getRHS();
        how = binary->getOpcode();
    } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(condition)) {
        if (operation->getNumArgs() != 2) {
            return std::nullopt;
        }
        left = operation->getArg(0);
        right = operation->getArg(1);
        const OverloadedOperatorKind which = operation->getOperator();
        how = which == OO_ExclaimEqual ? BO_NE : which == OO_Less ? BO_LT : BO_Comma;
    }
    const auto is_counter = [&](const Expr* side) { return unit_of(side->getType(), context_).has_value(); };
    if (!is_counter(left) || (right != nullptr && !is_counter(right))) {
        return std::nullopt;
    }
    const polynomial turn = polynomial::of(found.turn);
    polynomial distance = right != nullptr ? value(left) - value(right) : value(left);
    const polynomial start = distance.with(found.turn, 0);
    found.step = distance.with(found.turn, 1) - start;
    if (found.step.is_zero() || !(distance == start + found.step * turn)) {
        return std::nullopt;
    }
    const bool rises = found.step.is_never_negative();
    if (!rises && !(polynomial{} - found.step).is_never_negative()) {
        return std::nullopt;
    }
    switch (how) {
    case BO_LT:
    case BO_LE:
        if (!rises) {
            return std::nullopt;
        }
        break;
    case BO_GT:
    case BO_GE:
        if (rises) {
            return std::nullopt;
        }
        break;
    case BO_NE:
        break;
    default:
        return std::nullopt;
    }
    found.extent = rises ? polynomial{} - start : start;
    found.step = rises ? found.step : polynomial{} - found.step;
    if (how == BO_LE || how == BO_GE) {
        found.extent = found.extent + 1;
    }
    return loops_[loop] = found;
}

} // namespace clang::tidy::linn
