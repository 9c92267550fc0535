/** The sentence of a failure as the engine keeps it. */
export function failureText(failure: string | null): string | undefined {
  if (failure === null) return undefined;
  const { message } = JSON.parse(failure) as { readonly message?: unknown };
  return typeof message === "string" ? message : undefined;
}
