/** 1024 → `1,024`, whatever the language of the machine. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
