"""Scripts and styles without what only those need who write them: comments, indentation, needless spaces.

The scripts are formatted by biome, which makes this easy: every statement ends with a semicolon, and a slash
is a division if a space or an equals sign follows it.
"""

import re

TOKEN = re.compile(
    r"""(?P<none>//[^\n]*|/\*.*?\*/|\s+)
    |"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'              # a string
    |/(?![\s=])(?:\\.|\[(?:\\.|[^]\\])*\]|[^/\\[])+/[a-z]*  # a regular expression
    |[\w$]+|.""",
    re.DOTALL | re.VERBOSE,
)
# What a space keeps apart: words, and signs that would become another sign.
APART = re.compile(r"[\w$] [\w$]|([-+/]) \1", re.ASCII)
LONE = re.compile(r".*[^\w$]\([\w$]+\)=", re.DOTALL)  # needs no parentheses before an arrow
LETTERS = re.compile(r"(?:\\.|\$(?!\{)|[^\\`$])*", re.DOTALL)  # of a template, up to code or the end
STYLE = re.compile(r'("[^"]*")|/\*.*?\*/|\s*([{};,>])\s*|(?<=[\w-]:) |\s+', re.DOTALL)


def script(code: str) -> str:
    """Return a script that does the same in fewer characters."""
    return _code(code, 0)[0].strip()


def _code(code: str, place: int) -> tuple[str, int]:
    """Squeeze code up to its end, or to the brace that ends it; return also where that is."""
    parts, depth, pause = [" "], 0, False
    while place < len(code) and not (code[place] == "}" and depth == 0):
        if code[place] == "`":
            token, place = _template(code, place + 1)
        else:
            found = TOKEN.match(code, place)
            token, place = found[0], found.end()
            if found["none"]:
                pause = True
                continue
            depth += (token == "{") - (token == "}")
            if token == "const":
                token = "let"  # nothing is assigned to a constant
            if token in "]})" and parts[-1] == ",":
                parts.pop()
            if token == ">" and LONE.fullmatch("".join(parts[-5:])):
                parts[-4:] = [parts[-3], "="]
        parts.append(" " + token if pause and APART.match(f"{parts[-1][-1]} {token[0]}") else token)
        pause = False
    return "".join(parts[1:]), place


def _template(code: str, place: int) -> tuple[str, int]:
    """Keep the letters of a template but the indentation, and squeeze the code in it."""
    parts = ["`"]
    while True:
        letters = LETTERS.match(code, place)
        parts.append(re.sub(r"\n\s+", "\n", letters[0]))
        place = letters.end()
        if code[place] == "`":
            return "".join([*parts, "`"]), place + 1
        inside, place = _code(code, place + 2)
        parts.append(f"${{{inside}}}")
        place += 1


def style(code: str) -> str:
    """Return a style that does the same in fewer characters."""

    def shorter(found: re.Match) -> str:
        if found[1] or found[2]:
            return found[1] or found[2]
        return "" if found[0].startswith("/*") or code[found.start() - 1] == ":" else " "

    return STYLE.sub(shorter, code).replace(";}", "}").strip()
