// Colors as the style sheet defines them for light and dark.

const kNames = ["text", "muted", "faint", "line", "page", "panel", "lane", "event", "message", "inverted",
  "fast", "collective", "accent", "band", "forward", "backward",
  "linea", "lineb", "linec", "lined", "linee", "linef", "lineg", "lineh", "tinta", "tintb", "tintc", "tintd", "tinte"] as const;
export type ColorName = (typeof kNames)[number];
export type Theme = Record<ColorName, string>;

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const entries = kNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return Object.fromEntries(entries) as Theme;
}

/** Replaces var(--name) by what it stands for, for drawings that leave the page. */
export function withColors(text: string, theme: Theme): string {
  return text.replace(/var\(--([a-z]+)\)/g, (whole, name: string) =>
    name in theme ? theme[name as ColorName] : whole);
}

export function whenThemeChanges(act: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act);
}

export function movesLittle(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
