import { keyLabels } from "../shell/keys.ts";

/** Which keys do it, as they are printed. */
export function Keys({ keys }: { readonly keys: string }) {
  return keyLabels(keys).map((label, n) => (
    // biome-ignore lint: a sequence may name the same key twice
    <kbd key={`${n} ${label}`}>{label}</kbd>
  ));
}
