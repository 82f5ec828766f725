"""The frame of a self-contained HTML page: style, sections, tables. No script, no outside request.

Everything that a model wrote is hostile input: callers pass text, and only text is escaped here.
"""

from collections.abc import Sequence
from html import escape

__all__ = ["code_block", "page", "section", "table"]

_STYLE = """
:root{--bg:#fff;--fg:#1c2330;--dim:#667085;--rule:#e3e7ee;--card:#f7f8fb;--good:#167a4a;--bad:#b3261e;
--c0:#2563c9;--c1:#d9622b;--c2:#17906a;--c3:#9a4fc4;--c4:#b88a00;--c5:#c43d74;--c6:#3f8fa8;--c7:#777f8c}
@media (prefers-color-scheme:dark){:root{--bg:#12161d;--fg:#e4e8ef;--dim:#98a2b3;--rule:#2a313d;
--card:#191f29;--good:#4cc38a;--bad:#ff8a80;--c0:#6ea1ff;--c1:#ff9561;--c2:#4cc7a0;--c3:#c894ea;
--c4:#e0b93d;--c5:#f07fab;--c6:#7cc4da;--c7:#a0a8b5}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 20px 60px;max-width:1080px;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:26px;margin:0 0 4px}
h2{font-size:19px;margin:36px 0 10px;border-top:1px solid var(--rule);
padding-top:18px}p{max-width:75ch}.dim{color:var(--dim)}
.lead{font-size:17px}.good{color:var(--good)}.bad{color:var(--bad)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:16px}
figure{margin:0;padding:12px;background:var(--card);border:1px solid var(--rule);border-radius:8px}
figcaption{font-weight:600;margin-bottom:6px}svg{width:100%;height:auto;display:block}
svg text{font:10.5px system-ui,sans-serif;fill:var(--dim)}.grid{stroke:var(--rule)}
.line{fill:none;stroke-width:1.8}.band{opacity:.15}
.legend{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12.5px;color:var(--dim)}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:5px 12px 5px 0;text-align:left;border-bottom:1px solid var(--rule);vertical-align:top}
td.num,th.num{text-align:right;white-space:pre}
.bars{width:100%}.bars th{font-weight:400;white-space:nowrap}
.bars .bar{width:100%}.bars i{display:block;height:11px;background:var(--c0);border-radius:2px}
pre{margin:8px 0;padding:10px 12px;overflow-x:auto;background:var(--bg);
border:1px solid var(--rule);border-radius:6px;
font:12.5px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace;
white-space:pre-wrap;overflow-wrap:anywhere}
article{margin:14px 0;padding:12px 14px;background:var(--card);border:1px solid var(--rule);
border-radius:8px}article h3{font-size:15px;margin:0 0 4px}
.tag{display:inline-block;padding:0 7px;border:1px solid currentColor;border-radius:9px;
font-size:12px}
@media print{body{max-width:none}figure,article{break-inside:avoid}}
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A headed part of the page; ``parts`` are HTML."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts; all but the first column are numbers and stand right."""
    head = "".join(_cell("th", i, text) for i, text in enumerate(header))
    body = "".join(
        f"<tr>{''.join(_cell('td', i, text) for i, text in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def code_block(text: str, *, limit: int = 4000) -> str:
    """Escaped text; what is over ``limit`` characters is cut in the middle with a note."""
    if len(text) > limit:
        cut = len(text) - limit
        text = f"{text[: limit // 2]}\n... {cut} characters left out ...\n{text[-limit // 2 :]}"
    return f"<pre>{escape(visible(text))}</pre>"


def visible(text: str) -> str:
    """Control and direction characters made visible, so that a text cannot disguise itself."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _cell(tag: str, index: int, text: str) -> str:
    number = ' class="num"' if index else ""
    return f"<{tag}{number}>{escape(text)}</{tag}>"
