// Elements of the page. Text is always text: nothing here parses markup.

export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
}

/** Attributes that are functions are listeners of the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes, children);
  return element;
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title), ...children);
}

/** A menu of choices by name; `choose` gets the number of the choice. */
export function menu(label: string, choices: string[], choose: (number: number) => void): HTMLElement {
  const select = h("select", { change: () => { choose(select.selectedIndex); } },
    ...choices.map((choice) => h("option", {}, choice)));
  return h("label", { class: "field" }, label, " ", select);
}

export function button(text: string, title: string, act: () => void): HTMLButtonElement {
  return h("button", { type: "button", title, click: act }, text);
}

/** How wide an element of this class would be on the page, within its border; 1000 where there is none. */
export function widthOnPage(name: string): number {
  const probe = h("div", { class: name });
  document.querySelector("main")?.append(probe);
  const width = probe.clientWidth;
  probe.remove();
  return width > 0 ? width : 1000;
}

/** Telephones and tablets have neither a mouse nor, as a rule, keys. */
export function hasKeyboard(): boolean {
  return matchMedia("(any-pointer: fine)").matches;
}
