# SPDX-License-Identifier: Apache-2.0
"""Follows the hot path of a function in objdump's output and counts what lies on it."""
import re

KINDS = ("instructions", "calls", "tls", "locked")

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\t(.+)$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: R_X86_64_\S+\s+(\S.*)$")
TARGET = re.compile(r"^(?:\*?)([0-9a-f]+) <(.+?)(?:\+0x[0-9a-f]+)?>$")
PREFIXES = {"data16", "rex.W", "cs", "lock", "rep", "repz", "bnd", "notrack"}
# A path this long is no fast path, and a loop would never end.
LONGEST = 200


class Instruction:
    def __init__(self, address, text):
        self.address = address
        words = text.split("#")[0].split()
        self.prefixes = []
        while words and words[0] in PREFIXES:
            self.prefixes.append(words.pop(0))
        self.name = words[0] if words else ""
        self.operands = " ".join(words[1:])
        self.relocations = []

    def target(self):
        match = TARGET.match(self.operands)
        return (int(match[1], 16), match[2]) if match else (None, None)

    def is_branch(self):
        return self.name.startswith("j") and self.name != "jmp"

    def is_locked(self):
        return "lock" in self.prefixes or (self.name.startswith("xchg") and "(" in self.operands)


def functions(disassembly):
    """Name -> instructions, from `objdump -dr --no-show-raw-insn`."""
    found, body = {}, None
    for line in disassembly.splitlines():
        if match := FUNCTION.match(line):
            body = found.setdefault(match[1], [])
        elif match := RELOCATION.match(line):
            if body:
                body[-1].relocations.append(match[1])
        elif (match := INSTRUCTION.match(line)) and body is not None:
            body.append(Instruction(int(match[1], 16), match[2]))
    return found


def paths(name, body):
    """Every way from the entry to a return that stays within the function."""
    index = {instruction.address: i for i, instruction in enumerate(body)}
    pending = [(0, [])]
    while pending:
        i, path = pending.pop()
        while i < len(body) and len(path) < LONGEST:
            instruction = body[i]
            path = path + [instruction]
            if instruction.name.startswith("ret"):
                yield path
                break
            address, symbol = instruction.target()
            inside = symbol == name and address in index
            if instruction.name == "jmp":
                if not inside:
                    break
                i = index[address]
                continue
            if instruction.is_branch() and inside:
                pending.append((index[address], path))
            i += 1


def count(path):
    total = dict.fromkeys(KINDS, 0)
    for instruction in path:
        if instruction.name.startswith(("nop", "data16", "xchg %ax")):
            continue
        tls = instruction.name.startswith("call") and any(
            "__tls_get_addr" in r for r in instruction.relocations)
        total["instructions"] += 1
        total["calls"] += instruction.name.startswith("call") and not tls
        total["tls"] += tls
        total["locked"] += instruction.is_locked()
    return total


def hot_path(name, body):
    """Counts of the hot path: of those with the fewest calls the longest, as a second way that calls nothing is
    part of the fast path too."""
    counts = [count(path) for path in paths(name, body)]
    if not counts:
        raise ValueError(f"{name} has no path to a return")
    fewest = min(c["calls"] for c in counts)
    return max((c for c in counts if c["calls"] == fewest), key=lambda c: c["instructions"])
