/** JSON schema's keywords, as far as making a value needs them. */

export type Keywords = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Also where `type` is missing and other keywords give it away. */
export function typesOf(schema: Keywords): readonly string[] {
  const type = schema["type"];
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  if (schema["properties"] || schema["additionalProperties"]) return ["object"];
  if (schema["items"] || schema["prefixItems"]) return ["array"];
  return [];
}

export function count(schema: Keywords, key: string, otherwise: number): number {
  const value = schema[key];
  return typeof value === "number" ? value : otherwise;
}

/** What stands beside `anyOf` holds for every branch. */
export function overlaid(schema: Keywords, branch: unknown): unknown {
  if (!isRecord(branch)) return branch;
  const { anyOf: _anyOf, oneOf: _oneOf, description: _d, title: _t, ...beside } = schema;
  return Object.keys(beside).length === 0 ? branch : { ...both(beside, branch) };
}

/** A schema that says what both say; of two limits the stricter. */
export function both(a: Keywords, b: Keywords): Keywords {
  const sum: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b))
    sum[key] = key in a ? stricter(key, a[key], value) : value;
  return sum;
}

function stricter(key: string, a: unknown, b: unknown): unknown {
  if (key === "properties" && isRecord(a) && isRecord(b)) {
    const sum: Record<string, unknown> = { ...a };
    for (const [name, inner] of Object.entries(b)) {
      sum[name] = name in a ? { allOf: [a[name], inner] } : inner;
    }
    return sum;
  }
  if (key === "required" && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (key === "enum" && Array.isArray(a) && Array.isArray(b))
    return a.filter((value) => b.includes(value));
  if (key === "pattern") return [a, b].flat();
  if (key === "additionalProperties") return a === false && b === false ? false : undefined;
  if (typeof a === "number" && typeof b === "number") {
    return /^(?:min|exclusiveMin)/.test(key) ? Math.max(a, b) : Math.min(a, b);
  }
  return b;
}
