r"""Formulas in letters, for places that hold plain text: ``\frac{e^{\eps}}{2}`` is ``e^ε/2``."""

import re
import unicodedata
from collections import deque

LONGEST = 40  # characters: what is longer is no help in the middle of a sentence
LEFT_OUT = "…"  # stands for a formula that cannot be said in letters
MINUS = "\N{MINUS SIGN}"
TOKEN = re.compile(r"\\(?:text|mathrm|operatorname)\{[^}]*\}|\\[A-Za-z]+|\\.|\S")
SIGNS = {
    r"\cdot": "·", r"\times": "\N{MULTIPLICATION SIGN}", r"\otimes": "⊗", r"\pm": "±", "-": MINUS,
    r"\le": " ≤ ", r"\ge": " ≥ ", r"\ne": " ≠ ", r"\neq": " ≠ ", r"\approx": " ≈ ", r"\in": " ∈ ",
    r"\ni": " ∋ ", r"\notin": " ∉ ", r"\to": " → ", r"\mapsto": " ↦ ", r"\subseteq": " ⊆ ",
    r"\cup": " \N{UNION} ", r"\cap": " ∩ ", r"\setminus": " \N{SET MINUS} ", r"\mid": " | ",
    "=": " = ", "<": " < ", ">": " > ", "+": " + ", ",": ", ", ";": "; ",
    r"\dots": "…", r"\cdots": "⋯", r"\sum": "∑", r"\prod": "∏", r"\int": "∫", r"\infty": "∞",
    r"\emptyset": "∅", r"\ell": "\N{SCRIPT SMALL L}", r"\{": "{", r"\}": "}", r"\|": "‖",
    r"\lvert": "|", r"\rvert": "|", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉",
}  # fmt: skip
NAMES = {r"\log", r"\exp", r"\max", r"\min", r"\sin", r"\tanh", r"\Pr"}
MARKS = {
    r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\tilde": "\N{COMBINING TILDE}",
    r"\bar": "\N{COMBINING MACRON}",
}
SILENT = {
    r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\mathbb", r"\mathcal", r"\mathbf",
    r"\,", r"\;", r"\:", r"\!", "&",
}  # fmt: skip
OWN = {r"\eps": "ε", r"\varepsilon": "ε", r"\varphi": "φ", r"\lambda": "λ"}  # to Unicode a lamda
BETWEEN = re.compile(rf"(?<=[\w)}}\]⁺])\s*{MINUS}\s*(?=[\w({{√∑])")  # two terms; a sign stays with its number
LOW = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
HIGH = dict(zip(f"0123456789+{MINUS}in*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱⁿ*", strict=True))


def letters(tex: str) -> str:
    """Write a formula in letters, or as three dots where that is not readable."""
    tokens = deque(TOKEN.findall(tex.replace("{,}", "")))
    try:
        text = row(tokens)
    except (IndexError, KeyError):
        return LEFT_OUT
    return text if 0 < len(text) <= LONGEST and not tokens else LEFT_OUT


def row(tokens: deque[str]) -> str:
    """Write all tokens up to a brace that closes."""
    text = ""
    while tokens and tokens[0] != "}":
        text += item(tokens)
    text = BETWEEN.sub(f" {MINUS} ", text)
    return re.sub(r" (?=[),;/^_])|(?<=log) (?=\()", "", " ".join(text.split()))


def item(tokens: deque[str]) -> str:
    """Write the next token with its arguments."""
    token = tokens.popleft()
    if token == "{":
        text = row(tokens)
        tokens.popleft()
        return text
    if token in "_^":
        return script(token, item(tokens).strip())
    if token in (r"\frac", r"\tfrac"):
        return f"{closed(item(tokens))}/{closed(item(tokens))}"
    if token == r"\sqrt":
        return f"√{closed(item(tokens))}"
    if token in MARKS:
        return item(tokens) + MARKS[token]
    if "{" in token and len(token) > 2:  # a word
        return f" {token[token.index('{') + 1 : -1]} "
    if token in NAMES:
        return f" {token[1:]} "
    if token in SILENT:
        return ""
    if token in SIGNS:
        return SIGNS[token]
    return greek(token) if token[0] == "\\" else token


def script(token: str, text: str) -> str:
    """Write an index or a power, small where there are small letters for it."""
    small = LOW if token == "_" else HIGH
    if all(letter in small for letter in text):
        return "".join(small[letter] for letter in text)
    return f"{token}{closed(text)} "


def closed(text: str) -> str:
    """Put a text that is more than one letter or number in parentheses."""
    return text if re.fullmatch(r"\w+[₀-₉ₐ-ₜᵢⱼᵤᵥ]*|\w\^\w|\([^()]*\)", text) else f"({text})"


def greek(token: str) -> str:
    """Return a Greek letter; a KeyError for a command that is none."""
    size = "CAPITAL" if token[1].isupper() else "SMALL"
    return OWN.get(token) or unicodedata.lookup(f"GREEK {size} LETTER {token[1:].upper()}")
