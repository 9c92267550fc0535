/**
 * Text that both databases can hold: PostgreSQL refuses the null character and half characters. Each is replaced
 * by one replacement character, so lengths and positions stay as they are.
 */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\ufffd") : whole;
}
