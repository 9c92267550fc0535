/** Said by a module that any Node understands: a bin started by hand may meet an older one, which would only fail somewhere deep. */

const OLDEST_NODE = [24, 15] as const;

/** Undefined when this Node will do. */
export function complainAboutNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `throughline needs Node ${wantedMajor}.${wantedMinor} or newer; this is ${version}. In a clone, \`npm start\` brings its own.`;
}
