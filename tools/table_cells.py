"""How figures look in the tables of the documentation."""


def duration(ns):
    if ns is None:
        return "open"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= 0.9995 * size:  # what rounds to one
            return f"{ns / size:.3g} {unit}" if ns < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns"


def count(number):
    return f"{number:,}".replace(",", " ")


def table(heads, rows, left=1):
    """Rows of cells as Markdown; the first `left` columns are text, the others numbers."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * left}{'---:|' * (len(heads) - left)}"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows]) + "\n"
