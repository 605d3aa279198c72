// Elements of the page. Text is set as text, never as markup.

export function element(name: string, text?: string, kind?: string): HTMLElement {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = element("button", text) as HTMLButtonElement;
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

export function check(text: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const label = element("label") as HTMLLabelElement;
  const box = element("input") as HTMLInputElement;
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  label.append(box, text);
  return label;
}
