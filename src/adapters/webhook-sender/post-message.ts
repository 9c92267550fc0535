/** Posts one message to another program. Redirects are not followed, and what it answers is not read. */

export interface PostedMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATIENCE_MS = 15_000;

export async function postMessage(
  { url, headers, body }: PostedMessage,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly retryAfterMs?: number | undefined }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "user-agent": "throughline", ...headers },
    body,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  await response.body?.cancel();
  const seconds = Number(response.headers.get("retry-after") ?? "");
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
  return { status: response.status, retryAfterMs };
}
