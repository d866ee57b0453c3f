/**
 * Where a focused control goes away, such as a row's button that is of no more use, or a dialog that a link opened, gives the
 * focus to its row, its card or else the page; one that is disabled while it is waited for gets it back. The browser gives
 * it to nothing, and a keyboard starts from the top again.
 */
export function keepFocus(page: HTMLElement | null): (() => void) | undefined {
  if (!page) return undefined;
  /** What had the focus last, and all around it. */
  let around: HTMLElement[] = [];
  let isDisabled = false;
  const note = () => {
    around = [];
    isDisabled = false;
    for (let { activeElement: next } = document; next; next = next.parentElement)
      if (next instanceof HTMLElement) around.push(next);
  };
  note();
  page.addEventListener('focusin', note);
  const changes = new MutationObserver(() => {
    const [last] = around;
    const { activeElement } = document;
    // The browser takes the focus from what is disabled a moment later.
    if (!last || (activeElement !== document.body && activeElement !== last)) return;
    if (last.isConnected) {
      const wasDisabled = isDisabled;
      isDisabled = last.matches(':disabled');
      if (wasDisabled && !isDisabled) last.focus({ preventScroll: true });
      return;
    }
    const next = around.find((element) => element.isConnected && element.matches('tr, section, main'));
    around = [];
    if (next?.hasAttribute('tabindex') === false) next.tabIndex = -1;
    next?.focus({ preventScroll: true });
  });
  changes.observe(page, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    page.removeEventListener('focusin', note);
    changes.disconnect();
  };
}
