/** Names and values in two columns; what is not known is left out. */

import type { ReactNode } from "react";

export function FactList({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(facts).filter(
    ([, value]) => value !== undefined && value !== null && value !== "" && value !== false,
  );
  if (known.length === 0) return null;
  return (
    <dl className="kv facts-kv">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
