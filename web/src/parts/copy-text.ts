/**
 * Puts a text into the clipboard that is still on its way. Browsers allow it only within the click that asked for it,
 * so the promise goes along instead of being waited for; where that is not known, the text is waited for after all.
 */
export async function copyText(coming: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === "undefined") {
    await navigator.clipboard.writeText(await coming);
    return;
  }
  const blob = coming.then((text) => new Blob([text], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}
