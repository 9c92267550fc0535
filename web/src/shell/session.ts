/** Who is here; pages ask what they may do. */

import { createContext, useContext } from "react";
import type { Person } from "../api/login.ts";

export const PersonContext = createContext<Person | undefined>(undefined);

export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (person === undefined) throw new TypeError("Nobody is signed in here.");
  return person;
}

const ALLOWED: Readonly<Record<Person["role"], readonly string[]>> = {
  viewer: ["read"],
  reviewer: ["read", "answer"],
  operator: ["read", "answer", "edit", "run"],
  admin: ["read", "answer", "edit", "run", "administer"],
};

export type Permission = "read" | "answer" | "edit" | "run" | "administer";

export function useMayAll(): (permission: Permission) => boolean {
  const { role } = usePerson();
  return (permission) => ALLOWED[role].includes(permission);
}

/** Whether the role allows it somewhere; the server has the last word, also about single projects. */
export function useMay(permission: Permission): boolean {
  return useMayAll()(permission);
}
