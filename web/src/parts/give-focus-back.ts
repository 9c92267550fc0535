/** To where somebody was before something opened; to the page if that is gone. */
export function giveFocusBack(before: Element | null): void {
  const isThere = before !== null && before !== document.body && before.isConnected;
  const target = isThere ? before : document.getElementById("main");
  if (target instanceof HTMLElement || target instanceof SVGElement)
    target.focus({ preventScroll: true });
}
