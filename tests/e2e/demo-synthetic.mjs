// What a script in the page can try against an approval: everything but a person's own hand.

/** Fires at the approval element whatever a script can make. */
export function attack(page, { x, y }) {
  return page.evaluate(([left, top]) => {
    const element = document.querySelector("agent-approvals");
    const at = { bubbles: true, composed: true, cancelable: true, clientX: left, clientY: top, view: window };
    const keys = [["Enter", "Enter"], [" ", "Space"], ["Escape", "Escape"]];
    const targets = [element, document.elementFromPoint(left, top), document.activeElement];
    for (const target of targets) {
      target.click();
      for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
        const Kind = type.startsWith("pointer") ? PointerEvent : MouseEvent;
        target.dispatchEvent(new Kind(type, at));
      }
      for (const [key, code] of keys) {
        for (const type of ["keydown", "keyup"]) target.dispatchEvent(new KeyboardEvent(type, { ...at, key, code }));
      }
      target.dispatchEvent(new SubmitEvent("submit", at));
    }
    return { shadowRoot: element.shadowRoot, tag: targets[1].tagName };
  }, [x, y]);
}
