# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of HTML with tables, and plots as SVG."""
import math
from html import escape

STYLE = """\
body{font-family:sans-serif;max-width:1000px;margin:24px auto;padding:0 16px;color:#222;line-height:1.45}
h1{font-size:26px}h2{font-size:20px;margin-top:36px;border-bottom:1px solid #ccc}
table{border-collapse:collapse;font-size:13px;margin:12px 0}
th{text-align:right;border-bottom:2px solid #888;padding:3px 9px;vertical-align:bottom}
td{text-align:right;border-bottom:1px solid #e4e4e4;padding:2px 9px;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
svg{max-width:100%;height:auto;display:block;margin:10px 0}
"""
COLORS = ("#0b5fa5", "#d1495b", "#2e8b57", "#e08e0b", "#7b52ab", "#3c3c3c")
PALE = ("#8fb8d8", "#eaa3ad", "#a3d3b5", "#f2cf8e", "#c3aedb", "#3c3c3c", "#bbbbbb")
# In pixels: the frame of the points, the room around it, a line of the legend.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, LEGEND, LINE = 460, 300, 70, 12, 46, 250, 18


def element(tag, text, **attributes):
    """<tag ...>text</tag>; names of attributes are written with _ for -."""
    names = "".join(f" {name.replace('_', '-')}='{round(v, 1) if isinstance(v, float) else v}'"
                    for name, v in attributes.items())
    return f"<{tag}{names}>{escape(str(text))}</{tag}>\n"


def table(head, rows):
    return ("<table><tr>" + "".join(element("th", cell) for cell in head) + "</tr>\n"
            + "".join("<tr>" + "".join(element("td", cell) for cell in row) + "</tr>\n" for row in rows) + "</table>\n")


def number(x, digits):
    """A dash for NaN. With three digits, a small number gets more."""
    if math.isnan(x):
        return "–"
    if digits == 3 and abs(x) < 0.0995:
        digits = 5 if abs(x) < 0.00995 else 4
    return f"{x:.{digits}f}"


def write(path, title, body):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>oak bench</title>\n<style>{STYLE}"
                   f"</style></head><body>\n{element('h1', title)}{body}</body></html>\n")


# ---- plots

class Scale:
    """From values to pixels. `kind`: linear (with 0), log2 or log10."""

    def __init__(self, kind, values, begin, end):
        self.kind, self.begin, self.end = kind, begin, end
        known = [self.log(v) for v in values if not math.isnan(v) and (kind == "linear" or v > 0)] or [0, 1]
        low, high = min(known), max(known)
        if kind == "linear":
            low = min(0, low)
            high += 0.06 * (high - low) or 1
        else:
            if kind == "log10" and high - low < 1:
                low = math.floor(low * 3) / 3
                high = max(math.ceil(high * 3) / 3, low + 1)
            room = max(0.05 * (high - low), 0.3 if kind == "log2" else 0.05)
            low, high = low - room, high + room
        self.low, self.high = low, high

    def log(self, x):
        return x if self.kind == "linear" else math.log2(x) if self.kind == "log2" else math.log10(x)

    def __call__(self, x):
        return self.begin + (self.end - self.begin) * (self.log(x) - self.low) / (self.high - self.low)

    def ticks(self):
        """Values that the range holds: on a linear axis four to eight, 1, 2 or 5 times a power of ten apart."""
        span = self.high - self.low
        if self.kind == "log2":
            return [2.0**e for e in range(math.ceil(self.low), math.floor(self.high) + 1)]
        if self.kind == "log10":
            parts, every = (1, 2, 5) if span <= 3 else (1,), 1 if span <= 8 else 2
            values = [part * 10.0**e for e in range(math.floor(self.low), math.ceil(self.high)) if e % every == 0
                      for part in parts]
            return [v for v in values if self.low <= math.log10(v) <= self.high]
        power = 10.0**math.floor(math.log10(span / 5))
        rest = span / 5 / power
        step = power * (1 if rest < 1.5 else 2 if rest < 3.5 else 5 if rest < 7.5 else 10)
        return [n * step for n in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]

    def label(self, value):
        return f"{value:.0e}" if self.kind == "log10" and not 1e-3 <= value <= 9999 else f"{value:.6g}"


def line(x1, y1, x2, y2, color="#e4e4e4"):
    return element("line", "", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color)


def svg(width, height, body):
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} "
            f"{height:.0f}' font-family='sans-serif' font-size='12'>\n{body}</svg>\n")


def y_axis(scale, title, width):
    middle = (scale.begin + scale.end) / 2
    return ("".join(line(LEFT, scale(v), LEFT + width, scale(v))
                    + element("text", scale.label(v), x=LEFT - 7, y=scale(v) + 4, text_anchor="end")
                    for v in scale.ticks())
            + element("text", title, transform=f"translate(16 {middle}) rotate(-90)", text_anchor="middle"))


class Series:
    """Points [(x, y)] of one name; NaN in y leaves a point out. `style`: line; points: without a line; dashed: a grey
    line alone, for an ideal or a limit; outlined: hollow points, for figures of others. `names` stand beside points."""

    def __init__(self, name, points, style="line", color=0, names=()):
        self.name, self.style, self.color, self.names = name, style, COLORS[color % len(COLORS)], names
        self.points = [(x, y) for x, y in points if not math.isnan(y)]

    def draw(self, path, dots):
        """A line along `path`, and dots."""
        text, dashed = "", self.style in ("dashed", "outlined")
        if self.style != "points":
            text = element("polyline", "", fill="none", stroke="#888" if self.style == "dashed" else self.color,
                           stroke_width=1.5, stroke_dasharray="5 4" if dashed else "none",
                           points=" ".join(f"{x:.1f},{y:.1f}" for x, y in path))
        if self.style == "dashed":
            return text
        fill = "#fff" if self.style == "outlined" else self.color
        return text + "".join(element("circle", "", cx=x, cy=y, r=3.6, fill=fill, stroke=self.color) for x, y in dots)


def lines(x_title, y_title, x_kind, y_kind, series):
    """Points and lines, with a legend."""
    x = Scale(x_kind, [p[0] for s in series for p in s.points], LEFT, LEFT + WIDTH)
    y = Scale(y_kind, [p[1] for s in series for p in s.points], TOP + HEIGHT, TOP)
    text = y_axis(y, y_title, WIDTH)
    for v in x.ticks():
        text += line(x(v), TOP, x(v), TOP + HEIGHT)
        text += element("text", x.label(v), x=x(v), y=TOP + HEIGHT + 17, text_anchor="middle")
    text += element("rect", "", x=LEFT, y=TOP, width=WIDTH, height=HEIGHT, fill="none", stroke="#888")
    text += element("text", x_title, x=LEFT + WIDTH // 2, y=TOP + HEIGHT + 38, text_anchor="middle")
    begin = LEFT + WIDTH + 16
    for n, s in enumerate(series):
        points = [(x(a), y(b)) for a, b in s.points]
        text += s.draw(points, points)
        for name, (a, b) in zip(s.names, points):
            text += element("text", name, x=a + 6, y=b + 4)
        at = TOP + 10 + n * LINE
        text += s.draw([(begin, at), (begin + 22, at)], [(begin + 11, at)]) + element("text", s.name, x=begin + 28, y=at + 4)
    return svg(LEFT + WIDTH + LEGEND, max(TOP + 10 + len(series) * LINE, TOP + HEIGHT + BOTTOM), text)


def shares(bars, parts):
    """Stacked horizontal bars. `bars`: {name: shares of the parts, of 1}."""
    height, step, names = 24, 32, 150
    colors = (COLORS[:5] + PALE)
    text, bottom = "", TOP + len(bars) * step
    for b, (bar, share) in enumerate(bars.items()):
        at, y = float(names), TOP + b * step
        text += element("text", bar, x=names - 8, y=y + 16, text_anchor="end")
        for part, s, color in zip(parts, share, colors):
            width = WIDTH * max(0.0, s)
            text += (f"<rect x='{at:.1f}' y='{y}' width='{width:.1f}' height='{height}' fill='{color}'>"
                     + element("title", f"{part}: {100 * s:.1f} %") + "</rect>\n")
            if width > 34:
                text += element("text", f"{100 * s:.0f} %", x=at + width / 2, y=y + 16, text_anchor="middle", fill="#fff")
            at += width
    for percent in range(0, 101, 20):
        text += element("text", f"{percent} %", x=names + WIDTH * percent / 100, y=bottom + 14, text_anchor="middle")
    for p, (part, color) in enumerate(zip(parts, colors)):
        text += element("rect", "", x=names + WIDTH + 26, y=TOP + p * LINE, width=12, height=12, fill=color)
        text += element("text", part, x=names + WIDTH + 44, y=TOP + p * LINE + 11)
    return svg(names + WIDTH + LEGEND, max(TOP + 10 + len(parts) * LINE, bottom + 24) + 8, text)


def pairs(y_title, bars):
    """Pairs of bars, grey and blue. Each of `bars`: group, name, grey value (NaN: none), blue value with its least and
    most, whether the text above is red, that text."""
    step, top = 52, TOP + 16
    y = Scale("linear", [v for bar in bars for v in bar[2:6]], top + HEIGHT // 2, top)
    text, bottom, x = y_axis(y, y_title, step * len(bars)), top + HEIGHT // 2, LEFT
    group = None
    for name, label, grey, blue, least, most, red, above in bars:
        for value, color, at in ((grey, "#888", x + 6), (blue, COLORS[0], x + 26)):
            if not math.isnan(value):
                text += element("rect", "", x=at, y=y(value), width=20, height=bottom - y(value), fill=color)
        text += line(x + 36, y(least), x + 36, y(most), "#3c3c3c")
        highest = max(v for v in (grey, most) if not math.isnan(v))
        text += element("text", above, x=x + 26, y=y(highest) - 4, text_anchor="middle", fill=COLORS[1] if red else "#222")
        text += element("text", label, x=x + 26, y=bottom + 16, text_anchor="middle")
        if name != group:
            text += element("text", name, x=x + 6, y=bottom + 34)
        group, x = name, x + step
    return svg(LEFT + step * len(bars) + 40, bottom + BOTTOM, text)
