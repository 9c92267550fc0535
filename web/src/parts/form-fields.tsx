/**
 * A form out of data: the fields a wait asks for, the input of a workflow. Values are read from the form when it is
 * sent, each as its type wants it; what a field says about itself stands with it.
 */

import { type ReactNode, useId } from "react";
import type { FieldProblem } from "../api/call-problem.ts";
import type { Json } from "../api/operation.ts";
import { words } from "./format.ts";
import { Icon } from "./icon.tsx";
import { Words } from "./words.tsx";

export interface FormField {
  readonly name: string;
  readonly label?: string;
  readonly type:
    | "text"
    | "longtext"
    | "number"
    | "confirm"
    | "choice"
    | "multiselect"
    | "json"
    | "list";
  readonly required: boolean;
  readonly options?: readonly FieldOption[];
  readonly help?: string;
  readonly initial?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface FieldOption {
  readonly value: string | number | boolean;
  readonly label: string;
}

export function FormFields({
  fields,
  problems,
  isDisabled = false,
}: {
  readonly fields: readonly FormField[];
  readonly problems: readonly FieldProblem[];
  readonly isDisabled?: boolean;
}) {
  return fields.map((field) => {
    const fault = problems.find(({ pointer }) => pointer.split("/").includes(field.name))?.message;
    return <OneField key={field.name} field={field} fault={fault} isDisabled={isDisabled} />;
  });
}

interface OneProps {
  readonly field: FormField;
  readonly fault: string | undefined;
  readonly isDisabled: boolean;
}

function OneField({ field, fault, isDisabled }: OneProps) {
  const { name, type, options = [], initial } = field;
  const id = useId();
  const isGroup =
    type === "confirm" || type === "multiselect" || (type === "choice" && options.length <= 5);
  const label = <FieldLabel field={field} fault={fault} />;
  if (!isGroup)
    return (
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <TextInput field={field} id={id} isDisabled={isDisabled} />
        <Help field={field} />
      </div>
    );
  const choices = type === "confirm" ? YES_NO : options;
  const chosen = Array.isArray(initial) ? initial : initial === undefined ? [] : [initial];
  const isMany = type === "multiselect";
  return (
    <fieldset className="field tight" disabled={isDisabled}>
      <legend>{label}</legend>
      {choices.map(({ value, label: text }) => (
        <label key={String(value)} className={isMany ? "check" : "radio"}>
          <input
            type={isMany ? "checkbox" : "radio"}
            name={name}
            value={String(value)}
            defaultChecked={chosen.includes(value)}
            required={!isMany && field.required}
          />
          <i>{isMany && <Icon name="check" />}</i>
          <span>
            <Words text={text} />
          </span>
        </label>
      ))}
      <Help field={field} />
    </fieldset>
  );
}

const YES_NO: readonly FieldOption[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

function FieldLabel({
  field,
  fault,
}: {
  readonly field: FormField;
  readonly fault: string | undefined;
}) {
  const { name, label, required } = field;
  return (
    <span className="lbl">
      <Words text={label ?? words(name)} />{" "}
      <span className="faint">
        ({name}
        {required ? "" : ", optional"})
      </span>
      {fault !== undefined && (
        <span className="fault" role="alert">
          {" "}
          {fault}
        </span>
      )}
    </span>
  );
}

/** What can be chosen is seen; it need not be told as well. */
function Help({ field: { help, type } }: { readonly field: FormField }): ReactNode {
  const isTold = type === "choice" && help?.startsWith("one of ");
  return help === undefined || isTold ? null : (
    <span className="micro muted">
      <Words text={help} />
    </span>
  );
}

function TextInput({
  field,
  id,
  isDisabled,
}: {
  readonly field: FormField;
  readonly id: string;
  readonly isDisabled: boolean;
}) {
  const { name, type, required, options = [], initial, minimum, maximum } = field;
  const common = { id, name, required, disabled: isDisabled, defaultValue: initialText(initial) };
  switch (type) {
    case "number":
      return (
        <input
          className="inp num short"
          type="number"
          step="any"
          min={minimum}
          max={maximum}
          {...common}
        />
      );
    case "choice":
      return (
        <select className="inp" {...common}>
          <option value="">–</option>
          {options.map(({ value, label }) => (
            <option key={String(value)} value={String(value)}>
              {label}
            </option>
          ))}
        </select>
      );
    case "longtext":
      return <textarea className="inp" rows={4} {...common} />;
    case "list":
      return <textarea className="inp" rows={3} placeholder="One per line" {...common} />;
    case "json":
      return <textarea className="inp mono" rows={4} spellCheck={false} {...common} />;
    default:
      return <input className="inp" type="text" {...common} />;
  }
}

function initialText(initial: Json | undefined): string | undefined {
  if (initial === undefined || initial === null) return undefined;
  if (Array.isArray(initial) && initial.every((item) => typeof item === "string"))
    return initial.join("\n");
  return typeof initial === "object" ? JSON.stringify(initial, null, 2) : String(initial);
}

/** What was filled in, by name; empty fields are left out. The server checks it and says what does not fit. */
export function readForm(
  fields: readonly FormField[],
  form: FormData,
): { readonly [name: string]: Json } {
  const values = fields.flatMap((field): [string, Json][] => {
    const value = readValue(field, form.getAll(field.name).map(String));
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(values);
}

function readValue({ type, options = [] }: FormField, given: readonly string[]): Json | undefined {
  const ofOption = (text: string) =>
    options.find(({ value }) => String(value) === text)?.value ?? text;
  if (type === "multiselect") return given.map(ofOption);
  const [text = ""] = given;
  if (text.trim() === "") return undefined;
  switch (type) {
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "confirm":
      return text === "true";
    case "choice":
      return ofOption(text);
    case "list":
      return text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    case "json":
      return readJson(text);
    default:
      return text;
  }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
