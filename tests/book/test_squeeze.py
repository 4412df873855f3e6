"""Scripts and styles lose spaces and comments, and nothing else."""

import re

import pytest

import modules
import squeeze

SCRIPTS = {
    "const a = b + c; // why\n": "let a=b+c;",
    "/* why */ let x = a - -b + +c - --d;": "let x=a- -b+ +c- --d;",
    "return \"a  b // c\" in d ? 'e  f' : g;": "return\"a  b // c\"in d?'e  f':g;",
    "x = y / z / 2; line[m] /= pivot; w = 1 / 2;": "x=y/z/2;line[m]/=pivot;w=1/2;",
    'text.replace(/[/"] +\\//g, " "); a / b;': 'text.replace(/[/"] +\\//g," ");a/b;',
    "f((x) => x, async (y) => y, (a, b) => a);": "f(x=>x,async(y)=>y,(a,b)=>a);",
    "const { a, b: c } = d;\nfor (const [i, v] of e.entries()) f(i, v);": (
        "let{a,b:c}=d;for(let[i,v]of e.entries())f(i,v);"
    ),
    "f(\n  [\n    1,\n    2,\n  ],\n);": "f([1,2]);",
    "const [, b, , d] = e;": "let[,b,,d]=e;",
    "`a  ${ b ? `c,  ${ d + `}` } ` : '' }  // e`": "`a  ${b?`c,  ${d+`}`} `:''}  // e`",
    "`a\n    b \\` \\${c} $ ${ { d: 1 }.d }`": "`a\nb \\` \\${c} $ ${{d:1}.d}`",
}
STYLES = {
    "a :is(b, c) > d {\n  color: red;\n  margin: 0 auto;\n}\n": "a :is(b,c)>d{color:red;margin:0 auto}",
    'a::before {\n  content: "x:  y; " / "z";\n}': 'a::before{content:"x:  y; " / "z"}',
    "/* why */\n@media screen and (min-width: 9px) {\n  a {\n    width: calc(1px + 2px);\n  }\n}": (
        "@media screen and (min-width:9px){a{width:calc(1px + 2px)}}"
    ),
    'a[b="c d"] :focus {\n  --e: f;\n}': 'a[b="c d"] :focus{--e:f}',
}


@pytest.mark.parametrize("code", SCRIPTS)
def test_scripts(code):
    assert squeeze.script(code) == SCRIPTS[code]


@pytest.mark.parametrize("code", STYLES)
def test_styles(code):
    assert squeeze.style(code) == STYLES[code]
    assert squeeze.style(STYLES[code]) == STYLES[code]


def test_the_figures_keep_their_words():
    code = "".join(map(modules.function, sorted(modules.FOLDER.glob("*.mjs"))))
    kept = squeeze.script(code)
    assert 0.6 < len(kept) / len(code) < 0.85
    words = re.compile(r"[a-z]{3,}")
    written = words.findall(re.sub(r"(^| )// .*", "", code, flags=re.MULTILINE).replace("const", "let"))
    assert words.findall(kept) == written
