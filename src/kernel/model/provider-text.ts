/** Makes text from outside (an API's error message, a command's stderr) fit to show and to keep. */

/* oxlint-disable no-control-regex -- control characters are what this removes */

const LONGEST = 600;

const ESCAPES =
  /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])?/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const KEY_SHAPES =
  /\b(?:Bearer\s+\S+|(?:sk|pk|rk|xai|gsk|ghp|gho|hf|key)[-_][A-Za-z0-9_*.-]{6,}|AIza[A-Za-z0-9_*-]{10,})/gi;

/** Takes out terminal escapes, the given secrets and whatever looks like a key; keeps the end when long. */
export function providerText(text: string, secrets: readonly string[] = []): string {
  let clean = text.replace(ESCAPES, "").replaceAll("\r\n", "\n").replace(CONTROLS, "");
  for (const secret of secrets) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, "[secret]");
  }
  clean = clean.replace(KEY_SHAPES, "[secret]").trim();
  return clean.length <= LONGEST ? clean : `… ${clean.slice(-LONGEST).trimStart()}`;
}
