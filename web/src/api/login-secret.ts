/** The half of a login that only pages of this origin can read; the other half is a cookie that no script sees. */

const PLACE = "login-secret";

export function loginSecret(): string | undefined {
  return localStorage.getItem(PLACE) ?? undefined;
}

export function keepLoginSecret(secret: string): void {
  localStorage.setItem(PLACE, secret);
}

export function forgetLoginSecret(): void {
  localStorage.removeItem(PLACE);
}
