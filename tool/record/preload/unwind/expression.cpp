// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

namespace linn::tool::unwind {
namespace {

/// The machine of DWARF 4, section 2.5, as far as frame information may use it.
class machine {
public:
    machine(dwarf_reader code, const register_file& registers, readable_pages& memory)
        : begin_(code.position()),
          code_(code),
          registers_(registers),
          memory_(memory) {}

    void push(std::uintptr_t value) {
        if (depth_ == most_depth) {
            failed_ = true;
            return;
        }
        stack_[depth_++] = value;
    }

    bool run(std::uintptr_t& result) {
        // A loop in an expression is legal and never seen; an endless one must not hang the program.
        for (unsigned steps = 0; !code_.at_end() && !failed_; ++steps) {
            if (steps == most_steps) {
                return false;
            }
            step(code_.fixed<unsigned char>());
        }
        result = pop();
        return !failed_ && !code_.failed();
    }

private:
    static constexpr unsigned most_depth = 32;
    static constexpr unsigned most_steps = 1000;

    std::uintptr_t pop() {
        if (depth_ == 0) {
            failed_ = true;
            return 0;
        }
        return stack_[--depth_];
    }

    std::uintptr_t pick(unsigned index) {
        if (index >= depth_) {
            failed_ = true;
            return 0;
        }
        return stack_[depth_ - 1 - index];
    }

    std::uintptr_t register_at(std::uint64_t number, std::int64_t offset) {
        if (number >= dwarf_registers) {
            failed_ = true;
            return 0;
        }
        return registers_.value[number] + static_cast<std::uintptr_t>(offset);
    }

    void dereference(unsigned bytes) {
        std::uintptr_t address = pop();
        std::uintptr_t value = 0;
        // A probe tells of one aligned word.
        const auto within = static_cast<unsigned>(address % sizeof value);
        if (bytes == 0 || bytes + within > sizeof value || !load_word(memory_, address - within, value)) {
            failed_ = true;
            return;
        }
        value >>= 8 * within;
        push(bytes == sizeof value ? value : value & ((std::uintptr_t{1} << (8 * bytes)) - 1));
    }

    void step(unsigned op) {
        if (op >= 0x30 && op <= 0x4f) { // lit
            push(op - 0x30);
        } else if (op >= 0x50 && op <= 0x6f) { // reg
            push(register_at(op - 0x50, 0));
        } else if (op >= 0x70 && op <= 0x8f) { // breg
            const std::int64_t offset = code_.signed_leb();
            push(register_at(op - 0x70, offset));
        } else if (op >= 0x08 && op <= 0x11) {
            push(constant(op));
        } else if (!stack_operation(op) && !binary(op)) {
            failed_ = true;
        }
    }

    std::uintptr_t constant(unsigned op) {
        const auto wide = [](std::int64_t value) { return static_cast<std::uintptr_t>(value); };
        switch (op) {
        case 0x08:
            return code_.fixed<std::uint8_t>();
        case 0x09:
            return wide(code_.fixed<std::int8_t>());
        case 0x0a:
            return code_.fixed<std::uint16_t>();
        case 0x0b:
            return wide(code_.fixed<std::int16_t>());
        case 0x0c:
            return code_.fixed<std::uint32_t>();
        case 0x0d:
            return wide(code_.fixed<std::int32_t>());
        case 0x0e:
        case 0x0f:
            return code_.fixed<std::uint64_t>();
        case 0x10:
            return code_.unsigned_leb();
        default:
            return wide(code_.signed_leb());
        }
    }

    bool stack_operation(unsigned op) {
        std::uintptr_t top;
        std::uintptr_t below;
        std::uintptr_t third;
        switch (op) {
        case 0x03: // addr
            push(code_.fixed<std::uint64_t>());
            return true;
        case 0x06: // deref
            dereference(sizeof(std::uintptr_t));
            return true;
        case 0x94: // deref_size
            dereference(code_.fixed<std::uint8_t>());
            return true;
        case 0x12: // dup
            push(pick(0));
            return true;
        case 0x13: // drop
            pop();
            return true;
        case 0x14: // over
            push(pick(1));
            return true;
        case 0x15: // pick
            push(pick(code_.fixed<std::uint8_t>()));
            return true;
        case 0x16: // swap
            top = pop();
            below = pop();
            push(top);
            push(below);
            return true;
        case 0x17: // rot
            top = pop();
            below = pop();
            third = pop();
            push(top);
            push(third);
            push(below);
            return true;
        case 0x19: // abs
            top = pop();
            push(static_cast<std::intptr_t>(top) < 0 ? 0 - top : top);
            return true;
        case 0x1f: // neg
            push(0 - pop());
            return true;
        case 0x20: // not
            push(~pop());
            return true;
        case 0x23: // plus_uconst
            top = pop();
            push(top + code_.unsigned_leb());
            return true;
        case 0x28: // bra
            if (const std::int16_t distance = code_.fixed<std::int16_t>(); pop() != 0) {
                code_.jump(distance, begin_);
            }
            return true;
        case 0x2f: // skip
            code_.jump(code_.fixed<std::int16_t>(), begin_);
            return true;
        case 0x92: { // bregx
            const std::uint64_t number = code_.unsigned_leb();
            push(register_at(number, code_.signed_leb()));
            return true;
        }
        case 0x96: // nop
            return true;
        default:
            return false;
        }
    }

    bool binary(unsigned op) {
        const std::uintptr_t right = pop();
        const std::uintptr_t left = pop();
        const auto signed_left = static_cast<std::intptr_t>(left);
        const auto signed_right = static_cast<std::intptr_t>(right);
        switch (op) {
        case 0x1a:
            push(left & right);
            return true;
        case 0x1b: // div
            if (right == 0 || signed_right == -1) {
                return false;
            }
            push(static_cast<std::uintptr_t>(signed_left / signed_right));
            return true;
        case 0x1c:
            push(left - right);
            return true;
        case 0x1d: // mod
            if (right == 0) {
                return false;
            }
            push(left % right);
            return true;
        case 0x1e:
            push(left * right);
            return true;
        case 0x21:
            push(left | right);
            return true;
        case 0x22:
            push(left + right);
            return true;
        case 0x24: // shl
            push(right < 64 ? left << right : 0);
            return true;
        case 0x25: // shr
            push(right < 64 ? left >> right : 0);
            return true;
        case 0x26: // shra
            push(static_cast<std::uintptr_t>(signed_left >> (right < 64 ? right : 63)));
            return true;
        case 0x27:
            push(left ^ right);
            return true;
        case 0x29:
            push(signed_left == signed_right);
            return true;
        case 0x2a:
            push(signed_left >= signed_right);
            return true;
        case 0x2b:
            push(signed_left > signed_right);
            return true;
        case 0x2c:
            push(signed_left <= signed_right);
            return true;
        case 0x2d:
            push(signed_left < signed_right);
            return true;
        case 0x2e:
            push(signed_left != signed_right);
            return true;
        default:
            return false;
        }
    }

    const unsigned char* begin_;
    dwarf_reader code_;
    const register_file& registers_;
    readable_pages& memory_;
    unsigned depth_ = 0;
    bool failed_ = false;
    std::uintptr_t stack_[most_depth];
};

} // namespace

bool load_word(readable_pages& memory, std::uintptr_t address, std::uintptr_t& value) noexcept {
    if (address % sizeof value != 0 || !memory.word(address)) {
        return false;
    }
    value = *reinterpret_cast<const std::uintptr_t*>(address);
    return true;
}

bool evaluate(dwarf_reader code, const register_file& registers, readable_pages& memory,
              const std::uintptr_t* cfa, std::uintptr_t& result) noexcept {
    machine evaluator{code, registers, memory};
    if (cfa != nullptr) {
        evaluator.push(*cfa);
    }
    return evaluator.run(result);
}

} // namespace linn::tool::unwind
