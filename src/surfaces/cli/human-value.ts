/** Values as people read them. The unit is in the field's name: `createdAt`, `elapsedMs`, `sizeBytes`, `costMicroUsd`. */

import { safeLine } from "./safe-text.ts";

export function humanValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return humanNumber(name, value);
  if (typeof value === "string") return safeLine(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.map((item) => humanValue(name, item)).join(", ");
  return safeLine(JSON.stringify(value));
}

function humanNumber(name: string, value: number): string {
  if (name.endsWith("At") || name === "at") return humanTime(value);
  if (name.endsWith("Ms")) return humanDuration(value);
  if (/[bB]ytes$/.test(name)) return humanBytes(value);
  if (name.endsWith("MicroUsd")) return `$${(value / 1e6).toFixed(value < 1e4 ? 4 : 2)}`;
  return String(value);
}

function humanTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return String(ms);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function humanDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function humanBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit += 1) size /= 1000;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? "B"}`;
}
