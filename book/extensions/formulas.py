"""Formulas typeset while the book is built: a page needs no script for them, and shows them at once.

MathJax does it, from the package that carries it, in a JavaScript engine that comes as a package too. Pages
get its elements, a style with the signs that they use, and fonts with these signs alone.
"""

import json
import re
from functools import cache
from html import unescape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from py_mini_racer import MiniRacer
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from light import mark

FOLDER = "_static/formulas"
PARTS = (
    "loader",
    "core",
    "adaptors/liteDOM",
    "input/tex-full",
    "output/chtml",
    "output/chtml/fonts/tex",
    "a11y/assistive-mml",
)
# How high an x is in Source Sans, the typeface of the pages, as a share of its size: formulas follow it.
X_HEIGHT = 0.486
TEX_X_HEIGHT = 0.431  # and in MathJax's fonts
START = """
const { liteAdaptor } = MathJax._.adaptors.liteAdaptor;
const { CHTML } = MathJax._.output.chtml_ts;
const { TeXFont } = MathJax._.output.chtml.fonts.tex_ts;
const adaptor = liteAdaptor();
const handler = MathJax._.handlers.html_ts.RegisterHTMLHandler(adaptor);
MathJax._.a11y["assistive-mml"].AssistiveMmlHandler(handler);
const packages = ["base", "ams", "boldsymbol", "newcommand", "configmacros", "textmacros", "mathtools"];
const input = (macros) => new MathJax._.input.tex_ts.TeX({ packages, macros });
const fonts = { fontURL: "", adaptiveCSS: false };
const output = new CHTML({ ...fonts, font: new TeXFont(fonts) });
let page;
function prepare(macros) {
  page = MathJax._.mathjax.mathjax.document("", { InputJax: input(JSON.parse(macros)), OutputJax: output });
  return true;
}
// A formula in a line may break after its signs of relation and of addition, which have space around them.
function breakable(formula) {
  const parts = adaptor.childNodes(adaptor.firstChild(formula));
  for (const [sign, part] of parts.slice(1).map((part, i) => [parts[i], part])) {
    const spaced = ["3", "4"].includes(adaptor.getAttribute(part, "space"));
    if (spaced && adaptor.kind(sign) === "mjx-mo") adaptor.insert(adaptor.node("wbr"), part);
  }
}
function typeset(tex, display) {
  const formula = page.convert(tex, { display });
  if (!display) breakable(formula);
  return adaptor.outerHTML(formula);
}
const style = () => adaptor.textContent(output.styleSheet(page));
"""
BROWSER = "var MathJax = { loader: {} }, console = { log() {}, warn() {}, error() {} };"  # what it looks for
SIGN = re.compile(r"^mjx-c\.(mjx-c[0-9A-F]+)(?:\.(TEX-\w+))?::before \{.*?\n\}\n+", re.MULTILINE | re.DOTALL)
STRETCHED = re.compile(r"^mjx-stretchy-[hv]\.(mjx-c[0-9A-F]+) .*?\n\}\n+", re.MULTILINE | re.DOTALL)
FACE = re.compile(r"@font-face[^{]*\{\s*font-family: (MJX[\w-]+);[^}]*/(MathJax_[\w-]+)\.woff[^}]*\}\n+")
ESCAPED = re.compile(r"\\([0-9A-Fa-f]{1,6}) ?")
# What every formula would say again, and the style says once.
NEEDLESS = re.compile(
    r' class="MathJax" jax="CHTML"| style="position: relative;"| class=" MJX-TEX"| unselectable="on"'
    r'| xmlns="http://www.w3.org/1998/Math/MathML"| data-mjx-[a-z]+="[^"]*"'
)
logger = logging.getLogger(__name__)


def source() -> Path:
    """Return the folder with MathJax's files."""
    spec = find_spec("sphinx-mathjax-offline")
    return Path(spec.origin).parent / "static" / "mathjax"


@cache
def engine(macros: str) -> MiniRacer:
    """Start the engine with the book's own commands."""
    started = MiniRacer()
    started.eval(BROWSER)
    for part in PARTS:
        started.eval((source() / f"{part}.js").read_text("utf-8"))
    started.eval(START)
    started.call("prepare", macros)
    return started


@cache
def typeset(tex: str, display: bool, macros: str) -> str:
    """Return a formula as elements of a page.

    Raises
    ------
    ValueError
        If MathJax does not understand it.
    """
    made = engine(macros).call("typeset", tex, display)
    if error := re.search(r'data-mjx-error="([^"]*)"', made):
        raise ValueError(f"{unescape(error[1])} in the formula {tex}")
    return NEEDLESS.sub("", made)


def add(translator, node: nodes.Element, tex: str, display: bool) -> None:
    """Put a formula into the page that is being written, and warn of one that is wrong."""
    macros = translator.config.mathjax3_config["tex"]["macros"]
    try:
        translator.body.append(typeset(tex.strip(), display, json.dumps(macros)))
    except ValueError as error:
        logger.warning(str(error), location=node)


def visit_inline(translator, node: nodes.math) -> None:
    """Write a formula in a line."""
    translator.body.append(translator.starttag(node, "span", "", CLASS="math"))
    add(translator, node, node.astext(), False)
    translator.body.append("</span>")
    raise nodes.SkipNode


def visit_block(translator, node: nodes.math_block) -> None:
    """Write a formula of its own line, with its number; Sphinx's rules say what lines of it mean."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    add(translator, node, node.astext() if node["nowrap"] else lines(node.astext()), True)
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def lines(tex: str) -> str:
    """Return TeX for parts between empty lines below each other, and for lines within a part aligned."""
    parts = [part for part in tex.split("\n\n") if part.strip()]
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in parts]
    return parts[0] if len(parts) == 1 else r"\begin{aligned}" + r"\\".join(parts) + r"\end{aligned}"


def style(pages: str, macros: str) -> tuple[str, str]:
    """Return MathJax's style but for signs that the pages do not have, and all letters in it.

    Parameters
    ----------
    pages
        The text of all pages.
    macros
        The book's own commands.
    """
    used = set(re.findall(r'class="(mjx-c[0-9A-F]+)(?: (TEX-\w+))?"', pages))
    stretched = {name for name, _ in used} | set(
        re.findall(r'<mjx-stretchy-[hv] class="(mjx-c[0-9A-F]+)', pages)
    )
    rules = SIGN.sub(
        lambda rule: rule[0] if (rule[1], rule[2] or "") in used else "", engine(macros).call("style")
    )
    rules = STRETCHED.sub(lambda rule: rule[0] if rule[1] in stretched else "", rules)
    rules = rules.replace('mjx-container[jax="CHTML"]', "mjx-container").replace(".MJX-TEX", "mjx-math")
    contents = re.findall(r'content: "(.*?)";', rules)
    letters = "".join(ESCAPED.sub(lambda code: chr(int(code[1], 16)), text) for text in contents)
    rules = FACE.sub(r'@font-face { font-family: \1; src: url("\2.woff2"); font-display: swap; }\n', rules)
    scale = f"mjx-container {{ position: relative; font-size: {X_HEIGHT / TEX_X_HEIGHT:.0%}; }}\n"
    return scale + rules + "span.math mjx-math { display: inline; }\n", letters


def small(font: Path, letters: str) -> bytes:
    """Return a font with some letters only, for the web."""
    face, out = TTFont(font), BytesIO()
    cut = subset.Subsetter(subset.Options(drop_tables=["FFTM"]))  # when the font was made
    known = set(face.getBestCmap())
    cut.populate(unicodes=known & set(map(ord, letters)) or known)  # browsers refuse a font without letters
    cut.subset(face)
    face.flavor = "woff2"
    face.save(out)
    return out.getvalue()


def name_style(_app, _page: str, _template, context: dict, _doctree) -> None:
    """Ask for the style in pages with formulas."""
    context["formulas"] = f"{FOLDER}/formulas.css?v=@" if "<mjx-container" in context.get("body", "") else ""


def write_files(app, exception: Exception | None) -> None:
    """Write the style and the fonts that the built pages need."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir) / FOLDER
    out.mkdir(parents=True, exist_ok=True)
    pages = "".join(page.read_text("utf-8") for page in Path(app.outdir).rglob("*.html"))
    rules, letters = style(pages, json.dumps(app.config.mathjax3_config["tex"]["macros"]))
    for font in (source() / "output/chtml/fonts/woff-v2").iterdir():
        cut = out / f"{font.stem}.woff2"
        cut.write_bytes(small(font, letters))
        rules = rules.replace(f'"{cut.name}"', f'"{cut.name}?v={mark(cut)}"')
    (out / "formulas.css").write_text(rules, "utf-8")


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_html_math_renderer("typeset", (visit_inline, None), (visit_block, None))
    app.connect("html-page-context", name_style, priority=950)  # after all that adds to a page
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
